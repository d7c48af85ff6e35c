import { expect, test } from '@jest/globals';
import { publishersIn } from '../../../../lib/admin/deploy/publishers.ts';
import { checkStore } from '../../../../shared/store/check-runs/checks.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { perfectResults } from '../../../kit/results.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();

test('domains of all organizations are found by the address that their latest check found', async () => {
  const perfect = perfectResults('sends-and-receives');
  for (const [name, host, record] of [
    ['a.example', 'old.example', 'dmarc'],
    ['b.example', 'old.example', 'tlsRpt'],
    ['c.example', 'new.example', 'dmarc'],
  ] as const) {
    const domain = await registeredDomain(table, name);
    const rua = [`mailto:${domain.mailbox}@${host}`];
    const results = { ...perfect, [record]: { ...perfect[record], rua } };
    await checkStore(table).keep(domain, { checkedAt: '2026-03-01T00:00:00.000Z', results });
  }
  await registeredDomain(table, 'never-checked.example');
  const found = await publishersIn(table, ['old.example', 'older.example']);
  expect([...found].map(([at, names]) => [at, names.toSorted()])).toEqual([
    ['old.example', ['a.example', 'b.example']],
  ]);
});
