import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import { spfShareKey } from '../../../shared/store/keys.ts';
import { SHARE_ID } from '../../../shared/store/shares.ts';
import { type SpfCheck, spfShareStore } from '../../../shared/store/spf-shares.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';
import { zone } from '../../kit/zone.ts';

let table: EmptyTable;
let check: SpfCheck;

beforeAll(async () => {
  table = await emptyTable();
  const expansion = await expand(
    'example.org',
    zone({ 'example.org': { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] } }),
  );
  check = { checkedAt: '2026-11-21T10:31:07.000Z', expansion };
});
afterAll(() => table.stop());

test('a saved check reads back unchanged, permanently', async () => {
  const shares = spfShareStore(table);
  const id = (await shares.save(check)) ?? '';
  expect(await shares.get(id)).toEqual(check);
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: spfShareKey(id) }));
  expect(Item).not.toHaveProperty('expiresAt');
});

test('ids are lower-case, safe in URLs and hardly ever repeat', async () => {
  const shares = spfShareStore(table);
  const ids = await Promise.all(Array.from({ length: 50 }, () => shares.save(check)));
  expect(new Set(ids).size).toBe(50);
  for (const id of ids) expect(id).toMatch(SHARE_ID);
  // Each of the 32 characters is equally likely: 1200 random ones miss one in fewer than one of a trillion runs.
  expect(new Set(ids.join('')).size).toBe(32);
});

test('an unknown id has no check', async () => {
  expect(await spfShareStore(table).get('0'.repeat(24))).toBeUndefined();
});

test('a check that is too large for an item even after compression is not saved', async () => {
  const record = randomBytes(500_000).toString('latin1');
  const large = { ...check, expansion: { ...check.expansion, record } };
  expect(await spfShareStore(table).save(large)).toBeUndefined();
  const repetitive = {
    ...check,
    expansion: { ...check.expansion, record: 'ip4:192.0.2.1 '.repeat(100_000) },
  };
  expect(await spfShareStore(table).save(repetitive)).toMatch(SHARE_ID);
});
