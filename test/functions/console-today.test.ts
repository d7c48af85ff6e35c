/** The first page of the console: what it says in each state, and that it costs the same with many domains. */
import { describe, expect, test } from '@jest/globals';
import { handler as today } from '../../functions/console/today.ts';
import type { DomainKind } from '../../shared/alerts/attention-kind.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import type { Table } from '../../shared/store/table.ts';
import { organizationReport } from '../../shared/views/organization-report.ts';
import { todayOf } from '../../shared/views/today.ts';
import { openItem } from '../kit/attention.ts';
import { counted } from '../kit/capacity.ts';
import { consoleTable, newSession, send } from '../kit/console.ts';
import { storeDirectory } from '../kit/large-organization.ts';
import { registerDomain } from '../kit/reports.ts';
import { use } from '../kit/use.ts';

const now = new Date();
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);

const table = await use(consoleTable());

/** A new organization, and what reads its page. */
async function organization() {
  const { id } = await organizationStore(table).create('Org', now);
  const cookie = await newSession(table, id, {}, now);
  const register = async (domain: string, isVerified = true): Promise<Domain> => {
    const registered = await registerDomain(table, id, domain, now);
    return (isVerified && (await domainStore(table).markVerified(registered, now))) || registered;
  };
  const shown = async (query = '') => (await send(today, { cookie, query })).body ?? '';
  return { id, cookie, register, shown };
}

describe('the first page', () => {
  test('counts a kind of which there is much, and lists it on pages of its own', async () => {
    const { register, shown } = await organization();
    for (let n = 0; n < 8; n += 1)
      await openItem(table, await register(`d${n}.example`), 'check-failing', ago(n + 1).toISOString());
    const page = await shown();
    expect(page.match(/>Fix</g)).toHaveLength(6);
    expect(page).toContain('more than 6 need you');
    expect(page).toContain('href="/console?kind=check-failing"');
    expect((await shown('kind=check-failing')).match(/>Fix</g)).toHaveLength(8);
    expect(await shown('kind=expiring')).toContain('Nothing of this kind needs you');
  });
});

describe('with 10,000 domains', () => {
  const page = { page: 1 };
  const viewOn = (on: Table, id: string) =>
    todayOf(id, page, {
      attention: attentionStore(on),
      directory: directoryStore(on),
      domains: domainStore(on),
      alerts: alertStore(on, { retentionDays: 0 }),
      clock: { now: () => now },
    });
  const kinds: readonly DomainKind[] = ['check-failing', 'sender-undecided', 'expiring'];

  test('reads the directory and the first items of each kind, and nothing per domain', async () => {
    const { id } = await organization();
    const rows = await storeDirectory(table, id, 10_000, ago(1).toISOString().slice(0, 10));
    for (const { id: domainId, domain } of rows.slice(0, 150))
      for (const kind of kinds)
        await openItem(table, { id: domainId, organization: id, domain }, kind, ago(2).toISOString());
    const { table: measured, capacity } = counted(table);
    const view = await viewOn(measured, id);
    expect(view.figures).toMatchObject({ total: 10_000, verified: 9500, withoutGrade: 200 });
    expect(view.moves.fellCount).toBeGreaterThan(800);
    expect(view.groups.map(({ group, items, more }) => [group, items.length, more.length])).toEqual([
      ['broken', 12, 2],
      ['decide', 6, 1],
    ]);
    // The directory takes 40 units, one for 250 domains, and everything else as much as it would with 100 domains.
    expect(capacity.units().reads).toBeLessThan(60);
    expect(capacity.calls()).toBeLessThan(12);
    const without = { id: rows[200]?.id ?? '', organization: id, domain: rows[200]?.domain ?? '' };
    await openItem(table, without, 'reports-never-came', ago(2).toISOString());
    const report = await organizationReport(id, {
      ...{ attention: attentionStore(table), directory: directoryStore(table), clock: { now: () => now } },
    });
    expect(report.open).toEqual([
      { group: 'broken', count: 40, hasMore: true },
      { group: 'decide', count: 20, hasMore: true },
      { group: 'setup', count: 1, hasMore: false },
    ]);
  });
});
