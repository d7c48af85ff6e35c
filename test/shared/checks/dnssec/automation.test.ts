import { expect, test } from '@jest/globals';
import { words } from '../../../kit/answers.ts';
import { foreign, inspect, next, present } from '../../protocol/findings/cases/dnssec-automation.ts';

const unknown = { digestType: 9 };
const many = (length: number) => Array.from({ length }, () => present.ds);

/** Keys in the zone, and DS records of the parent, are those of the present key. The rest is in the examples of the rules. */
test.each<[expected: string, input: Parameters<typeof inspect>[0]]>([
  ['', { CDS: many(16) }],
  ['', { CDS: many(17).with(0, next.ds) }],
  ['', { CDNSKEY: Array.from({ length: 17 }, () => foreign.dnskey) }],
  ['pending', { CDS: many(16).with(0, next.ds) }],
  ['without-key', { CDNSKEY: [foreign.dnskey] }],
  ['without-key', { CDS: [foreign.ds], CDNSKEY: [foreign.dnskey] }],
  // Whether a key of the zone has an unknown digest cannot be said.
  ['pending', { CDS: [{ ...foreign.ds, ...unknown }] }],
  ['without-key', { CDS: [{ ...foreign.ds, ...unknown }, next.ds] }],
  ['', { CDS: [present.ds], CDNSKEY: [present.dnskey] }],
  ['contradiction pending', { CDS: [present.ds, next.ds], CDNSKEY: [present.dnskey] }],
  ['contradiction pending', { CDS: [present.ds], CDNSKEY: [present.dnskey, next.dnskey] }],
  ['pending', { CDS: [present.ds, { ...next.ds, ...unknown }], CDNSKEY: [present.dnskey, next.dnskey] }],
  ['contradiction pending', { CDS: [foreign.ds, { ...next.ds, ...unknown }], CDNSKEY: [present.dnskey] }],
])('%s is found, row %#', async (expected, input) => {
  const { findings } = await inspect(input);
  expect(findings.map(({ id }) => id.replace(/^dnssec-(?:cds-)?/, ''))).toEqual(
    expected === '' ? [] : words(expected),
  );
});
