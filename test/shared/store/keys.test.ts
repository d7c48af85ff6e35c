import { expect, test } from '@jest/globals';
import { entities } from '../../../shared/store/entities.ts';
import * as keys from '../../../shared/store/keys.ts';

const { indexPartitions, partitions } = keys;

test.each([{ partitions }, { indexPartitions }])(
  '%j: no prefix covers the keys of another one',
  (prefixes) => {
    const all: readonly string[] = Object.values(prefixes).flatMap((of) => Object.values(of));
    for (const prefix of all) expect(all.filter((other) => other.startsWith(prefix))).toEqual([prefix]);
  },
);

/** The functions that make no key of an item, but a part of one, or the limit of a query. */
const parts = [
  ...['alertList', 'auditPartition', 'domainPartition', 'notificationShardOf', 'pendingTime', 'secretOf'],
  ...['deliveriesDueBy', 'digestPlansDueBy', 'domainsDueBy', 'mailboxesDueBy', 'pendingDueBy'],
];

const ranges = entities.flatMap(({ read = [] }) => read.filter((one) => typeof one !== 'string'));
const positions = entities.flatMap(({ index }) => index?.at ?? []);

test('every function that makes a key, a range of keys or a position in the index is in the row of an entity', () => {
  const used = new Set([...entities.flatMap((row) => row.keys), ...ranges, ...positions].map(({ by }) => by));
  const functions = Object.entries(keys).filter(([, value]) => typeof value === 'function');
  const without = functions.filter(([, value]) => !used.has(value)).map(([name]) => name);
  expect(without.toSorted()).toEqual(parts.toSorted());
  expect(used.size).toBe(functions.length - parts.length);
});

test('every kind of partition has an entity', () => {
  const has = (made: readonly string[], prefix: string) => made.some((key) => key.startsWith(prefix));
  const made = entities.flatMap((row) => row.keys.map((key) => key.made.pk));
  expect(Object.values(partitions).filter((prefix) => !has(made, prefix))).toEqual([]);
  const listed = positions.map((position) => position.made.gsi1pk);
  expect(Object.values(indexPartitions).filter((prefix) => !has(listed, prefix))).toEqual([]);
});

test('every range of an entity has one of its keys', () => {
  for (const { keys: own, read = [] } of entities) {
    for (const one of read) {
      if (typeof one === 'string') continue;
      const { pk, prefix } = one.made;
      expect(own.map(({ made }) => made)).toContainEqual({ pk, sk: expect.stringContaining(prefix) });
    }
  }
});

test('no two entities have the same key', () => {
  const all = entities.flatMap((row) => row.keys.map(({ made }) => `${made.pk} ${made.sk}`));
  expect(all).toEqual([...new Set(all)]);
});
