/** The page with the changes of all domains. */
import { describe, expect, test } from '@jest/globals';
import { handler as changes } from '../../functions/console/changes.ts';
import type { CheckName } from '../../shared/checks/state.ts';
import { historyPage } from '../../shared/pages/console/domain/history.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { organizationChangesStore } from '../../shared/store/check-runs/organization-changes.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { historyOf } from '../../shared/views/domain/history.ts';
import { changesOf } from '../../shared/views/organization-changes.ts';
import { counted } from '../kit/capacity.ts';
import { consoleTable, newSession, send } from '../kit/console.ts';
import { use } from '../kit/use.ts';

const now = new Date();
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString();

const table = await use(consoleTable());

async function organization() {
  const { id } = await organizationStore(table).create('Org', now);
  const cookie = await newSession(table, id, { scope: 'read' }, now);
  return { id, shown: async (query = '') => (await send(changes, { cookie, query })).body ?? '' };
}

const idOf = (domain: string) => `id-${domain.replace('.', '-')}`;

interface Changed {
  readonly domain: string;
  readonly at: string;
  readonly check?: CheckName;
  readonly scores?: readonly [before: number | null, after: number | null];
}

async function change(
  id: string,
  { domain, at, check = 'dmarc', scores: [scoreBefore, scoreAfter] = [70, 61] }: Changed,
) {
  const difference = {
    ...{ check, previousState: 'pass' as const, newState: 'fail' as const, omitted: 0 },
    ...{
      recordsAdded: ['v=<b>'],
      recordsRemoved: ['v=DMARC1; p=reject'],
      findingsAdded: [],
      findingsRemoved: [],
    },
  };
  await table.transact(
    historyStore(table, { retentionDays: 0 }).writesOf(idOf(domain), {
      checks: { at, changes: [difference] },
      listed: { organization: id, id: idOf(domain), domain, scoreBefore, scoreAfter },
    }),
  );
}

const domainsIn = (page: string) =>
  [...page.matchAll(/class="where"><a href="[^"]+">([\w.-]+)<\/a>/g)].map(([, domain]) => domain);

describe('the changes of all domains', () => {
  test('are shown by day with the difference and the effect on the score, newest first', async () => {
    const { id, shown } = await organization();
    expect(await shown()).toContain('Nothing changed in 7 days');
    await change(id, { domain: 'old.example', at: ago(24 * 9) });
    await change(id, { domain: 'fell.example', at: ago(50) });
    await change(id, { domain: 'rose.example', at: ago(2), check: 'spf', scores: [50, 70] });
    await change(id, { domain: 'same.example', at: ago(1), scores: [50, 50] });
    await change(id, { domain: 'new.example', at: ago(3), scores: [null, 60] });
    await change(id, { domain: 'gone.example', at: ago(4), scores: [60, null] });
    await change((await organization()).id, { domain: 'foreign.example', at: ago(1) });
    const page = await shown();
    expect(domainsIn(page)).toEqual(['same', 'rose', 'new', 'gone', 'fell'].map((name) => `${name}.example`));
    expect(page).toContain('v=&lt;b&gt;');
    expect(page).toContain(
      `href="/console/domains/id-fell-example/history?until=${encodeURIComponent(ago(50))}#${ago(50)}"`,
    );
    expect(domainsIn(await shown('days=30'))).toContain('old.example');
    expect(domainsIn(await shown('score=fell&check='))).toEqual(['fell.example']);
    expect(domainsIn(await shown('score=rose'))).toEqual(['rose.example']);
    expect(domainsIn(await shown('check=spf'))).toEqual(['rose.example']);
    expect(domainsIn(await shown('q=https://Fell.example/x'))).toEqual(['fell.example']);
    expect(await shown('q=nothing')).toContain('No change matches.');
  });

  test('are read up to a limit, whatever the filter leaves out, and go on from there', async () => {
    const { id, shown } = await organization();
    for (let n = 0; n < 203; n += 1) await change(id, { domain: `n${n}.example`, at: ago(1 + n / 10) });
    const { table: measured, capacity } = counted(table);
    const view = await changesOf(
      id,
      { days: 7, q: 'n202.' },
      {
        changes: organizationChangesStore(measured),
        alerts: alertStore(measured, { retentionDays: 0 }),
        clock: { now: () => now },
      },
    );
    expect([view.days.length, view.next]).toEqual([0, expect.stringMatching(/^20.*Z#id-n199-example$/)]);
    expect(capacity.calls()).toBe(2);
    expect(capacity.units().reads).toBeLessThan(30);
    const page = await shown('q=n202.');
    expect(page).toContain('No change matches among the newest ones.');
    const next = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&').split('?')[1] ?? '';
    expect(domainsIn(await shown(next))).toEqual(['n202.example']);
    expect((await shown('before=x')).includes('is not a position')).toBe(true);
  });

  test('lead to the entry in the history of the domain, however old it is', async () => {
    const { id } = await organization();
    const domain = 'busy.example';
    for (let n = 0; n < 25; n += 1) await change(id, { domain, at: ago(24 + n) });
    const history = historyStore(table, { retentionDays: 0 });
    const from = async (until?: string) =>
      historyOf({ id: idOf(domain) }, { page: 1, until }, { history }, now);
    expect((await from()).entries.map(({ at }) => at)).not.toContain(ago(24 + 23));
    const old = await from(ago(24 + 23));
    expect([old.entries.map(({ at }) => at), old.hasMore]).toEqual([[ago(24 + 23), ago(24 + 24)], false]);
    const shown = { id: idOf(domain), domain, canWrite: false, formToken: 'f' };
    const page = String(historyPage(shown, old, 50_000));
    expect(page).toContain(`<li id="${ago(24 + 23)}">`);
    expect(page).toContain('Show the newest changes');
  });
});
