import { expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../lib/admin/command.ts';
import { CommandError } from '../../../lib/terminal/command-line.ts';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import { domainCheckShareStore } from '../../../shared/store/domain-checks.ts';
import { spfShareStore } from '../../../shared/store/spf-shares.ts';
import { adminCommand } from '../../kit/admin.ts';
import { emptyResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';

const table = await useTable();

const checkedAt = '2026-03-01T06:00:00.000Z';
const now = new Date(checkedAt);
const count = async (): Promise<undefined> => undefined;
const stores = () => ({ spf: spfShareStore(table), check: domainCheckShareStore(table) });

async function share(...args: string[]): Promise<string[]> {
  return adminCommand(['share', 'delete', ...args])({ shares: stores() } as unknown as AdminDependencies);
}

async function saved() {
  const { spf, check } = stores();
  const domain = 'example.org';
  const expansion = await expand(domain, zone({}));
  const result = { domain, checkedAt, usageType: 'parked', results: emptyResults(), lookups: [] } as const;
  const saved = [spf.save({ checkedAt, expansion }, now, count), check.save(result, now, count)] as const;
  const [spfId, checkId] = await Promise.all(saved);
  return { spf: String(spfId), check: String(checkId) };
}

test.each([
  ['spf', 'check'],
  ['check', 'spf'],
] as const)('share delete %s deletes that saved result, and none of the kind %s', async (kind, other) => {
  const ids = await saved();
  expect(await share(kind, ids[kind])).toEqual([`deleted /s/${kind}/${ids[kind]}`]);
  expect(await stores()[kind].get(ids[kind], now)).toBeUndefined();
  expect(await stores()[other].get(ids[other], now)).toMatchObject({ checkedAt });
  await expect(share(kind, ids[kind])).rejects.toThrow(
    `The saved result does not exist: /s/${kind}/${ids[kind]}`,
  );
  await expect(share(kind, ids[other])).rejects.toThrow('The saved result does not exist');
});

test.each([
  [['tester', '0'.repeat(24)], 'kind: must be one of spf, check'],
  [['check', 'example.org'], 'id: must be the last part of the link of a saved result'],
])('share delete %j is refused', async (args, message) => {
  await expect(share(...args)).rejects.toThrow(CommandError);
  await expect(share(...args)).rejects.toThrow(message);
});
