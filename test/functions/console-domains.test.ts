/** The list of domains in the console: what is done for many of them at once, saved views, and what it costs. */
import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { handler as domains } from '../../functions/console/domains.ts';
import { handler as ownership } from '../../functions/console/ownership.ts';
import { handler as saveView } from '../../functions/console/save-view.ts';
import { handler as updateDomains } from '../../functions/console/update-domains.ts';
import { handler as verifyDomains } from '../../functions/console/verify-domains.ts';
import { domainsPage } from '../../shared/pages/console/domains.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { selectRows } from '../../shared/store/domains/select-rows.ts';
import { auditPartition } from '../../shared/store/keys.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { formTokenOf } from '../../shared/store/sessions.ts';
import { domainList } from '../../shared/views/domain-list.ts';
import { counted } from '../kit/capacity.ts';
import { consoleTable, follow, ledTo, newSession, send } from '../kit/console.ts';
import { storeDirectory, storeDomain } from '../kit/large-organization.ts';
import { registerDomain } from '../kit/reports.ts';
import { use } from '../kit/use.ts';
import { zone } from '../kit/zone.ts';

const now = new Date();
const clock = { now: () => now };

const table = await use(consoleTable());

async function organization() {
  const { id } = await organizationStore(table).create('Org', now);
  const cookie = await newSession(table, id, {}, now);
  const register = (domain: string, tags: string[] = []) => registerDomain(table, id, domain, now, { tags });
  const formToken = formTokenOf(cookie);
  const shown = async (query = '') => (await send(domains, { cookie, query })).body ?? '';
  const stored = async ({ id: of }: Domain) => domainStore(table).get(id, of);
  return { id, cookie, register, formToken, shown, stored };
}

const boxes = (...of: readonly Domain[]) => Object.fromEntries(of.map(({ id }) => [`on_${id}`, 'on']));

describe('with the selected domains', () => {
  test('tags are added and removed, and the usage is set, each independently of the others', async () => {
    const { register, cookie, formToken, stored, id } = await organization();
    const [a, b, c] = [
      await register('a.example', ['old']),
      await register('b.example', ['old', 'new']),
      await register('c.example'),
    ];
    const full = await register(
      'full.example',
      Array.from({ length: 20 }, (_, n) => `t${n}`),
    );
    const change = async (form: Readonly<Record<string, string>>, remaining = 60_000) => {
      const answer = await send(updateDomains, {
        ...{ cookie, remaining },
        form: { formToken, list: 'tag=old&page=1', ...form },
      });
      expect(ledTo(answer)).toBe('/console/domains?tag=old');
      return (await follow(domains, answer, { cookie })).body ?? '';
    };
    const added = await change({ ...boxes(a, b, full), do: 'tag', tag: 'new' });
    expect(added).toContain('2 of 3 domains changed.');
    expect(added).toMatch(/full\.example <span class="soft">[^<]*20/);
    expect([(await stored(a))?.tags, (await stored(b))?.tags]).toEqual([
      ['old', 'new'],
      ['old', 'new'],
    ]);
    const many = Array.from(
      { length: 101 },
      (_, n) => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`,
    );
    const gone = await change({ ids: many.join(), do: 'tag', tag: 'new' });
    expect(gone).toContain('0 of 100 domains changed. 1 domain left.');
    expect(gone).toContain(`name="ids" value="${many.at(-1)}"`);
    await change({ ids: `${a.id},${c.id}`, do: 'untag', tag: 'old' });
    expect([(await stored(a))?.tags, (await stored(c))?.tags]).toEqual([['new'], []]);
    const comma = { cookie, form: { formToken, ...boxes(a), do: 'tag', tag: 'one, two' } };
    expect((await follow(domains, await send(updateDomains, comma), { cookie })).body).toContain(
      '<a href="#many-tag">The tag must not contain a comma.',
    );
    const question = await change({ all: 'on', do: 'usage', usageType: 'sends-and-receives' });
    expect(question).toContain('Set the usage of 1 domain? 1 has another usage now, which is replaced.');
    expect(question).toContain('>Set the usage of 1 domain</button>');
    expect((await stored(b))?.usageType).toBe('parked');
    const hidden = question.matchAll(/<input type="hidden" name="(do|usageType|sure|ids)" value="([^"]+)">/g);
    const answer = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
    expect(await change(answer, 3000)).toContain('0 of 0 domains changed. 1 domain left.');
    expect(await change(answer, 3001)).toContain('1 of 1 domain changed.');
    // Of the list with the tag, which the others do not have.
    expect((await stored(b))?.usageType).toBe('sends-and-receives');
    expect((await stored(b))?.testEmailLocalPart).toBe('postmaster');
    expect((await stored(a))?.usageType).toBe('parked');
    const query = {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': auditPartition(id) },
    };
    const actions = await table.query(query, z.object({ action: z.string(), name: z.nullable(z.string()) }));
    expect(actions.filter(({ name }) => name === 'b.example')).toEqual(
      Array(2).fill({ action: 'updateDomains', name: 'b.example' }),
    );
    const none = await send(updateDomains, { cookie, form: { formToken, do: 'tag', tag: 'x' } });
    expect((await follow(domains, none, { cookie })).body).toContain('tick the boxes of the table');
  });

  test('ownership is verified, those whose record is missing say so, and the others are left for the next step', async () => {
    const { register, cookie, formToken, stored, shown } = await organization();
    const [proven, missing, later] = [
      await register('proven.example'),
      await register('missing.example'),
      await register('later.example'),
    ];
    const naming = { serviceLabel: 'svc', hostUrl: 'https://m.example', reportsDomain: 'r.example' };
    const dns = zone({
      '_svc.proven.example': { TXT: [`svc-verify=${proven.verificationToken}`] },
      'missing.example': { TXT: ['x'] },
    });
    const handler = verifyDomains.with({
      ...{ domains: domainStore(table), ownership: ownershipStore(table), directory: directoryStore(table) },
      ...{ notifications: notificationSettingsStore(table), naming, dns, clock },
    });
    const form = { formToken, ...boxes(proven, missing), list: 'verified=false' };
    const answer = await send(handler, { cookie, form });
    const { body = '' } = await follow(domains, answer, { cookie });
    expect(body).toContain('1 of 2 domains verified.');
    expect(body).toContain('missing.example <span class="soft">');
    expect([(await stored(proven))?.verified, (await stored(missing))?.verified]).toEqual([true, false]);
    const verifyLater = async (remaining: number) => {
      const sent = { cookie, form: { formToken, ids: later.id }, remaining };
      return (await follow(domains, await send(handler, sent), { cookie })).body ?? '';
    };
    expect(await verifyLater(12_001)).toContain('0 of 1 domain verified.');
    const left = await verifyLater(12_000);
    expect(left).toContain('0 of 0 domains verified. 1 domain left.');
    expect(left).toContain(`name="ids" value="${later.id}"`);
    expect(left).toContain('action="/console/domains/verify"');
    expect(await shown('verified=false')).not.toContain('proven.example</a>');
  });

  test('nothing is done to the domains of others', async () => {
    const other = await organization();
    const foreign = await other.register('foreign.example');
    const { cookie, formToken, shown } = await organization();
    const form = { formToken, ...boxes(foreign), do: 'tag', tag: 'mine' };
    const answer = await send(updateDomains, { cookie, form });
    expect((await follow(domains, answer, { cookie })).body).toContain('0 of 1 domain changed.');
    expect((await other.stored(foreign))?.tags).toEqual([]);
    expect(await shown()).not.toContain('foreign.example');
  });
});

test('ownership records are saved as a zone file and as CSV, of selected domains or of those that match', async () => {
  const { register, cookie, formToken } = await organization();
  const [a, b] = [await register('a.example', ['one']), await register('b.example')];
  await (await organization()).register('foreign.example');
  const form = { formToken, ...boxes(a), do: 'zone', list: '' };
  const answer = await send(updateDomains, { cookie, form });
  const [path, query] = ledTo(answer).split('?');
  expect(path).toBe('/console/ownership');
  const saved = await send(ownership, { cookie, query: query ?? '' });
  expect(saved.headers?.['content-disposition']).toBe('attachment; filename="ownership.zone"');
  expect(saved.body).toMatch(/^_[\w-]+\.a\.example\. 3600 IN TXT "[\w-]+-verify=[\w-]+"\n$/);
  expect(saved.body).toContain(a.verificationToken);
  const all = await send(ownership, { cookie, query: 'format=csv&sort=domain' });
  const lines = String(all.body).trim().split('\r\n');
  expect(lines[0]).toBe('domain,name,type,value,verified');
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['a.example', 'b.example']);
  expect(lines[2]).toContain(b.verificationToken);
  const none = await send(updateDomains, { cookie, form: { formToken, do: 'zone', list: '' } });
  expect((await follow(domains, none, { cookie })).body).toContain('tick the boxes of the table');
  const matching = { formToken, all: 'on', do: 'csv', list: 'tag=one' };
  expect(ledTo(await send(updateDomains, { cookie, form: matching }))).toBe(
    '/console/ownership?tag=one&format=csv',
  );
});

test('a filter is saved under a name for the organization, shown above the list, and removed', async () => {
  const { cookie, formToken, shown, register } = await organization();
  await register('a.example');
  const save = async (form: Readonly<Record<string, string>>) => {
    const answer = await send(saveView, { cookie, form: { formToken, ...form } });
    return (await follow(domains, answer, { cookie })).body ?? '';
  };
  expect(await save({ name: ' <b>Worst ', query: 'grade=F&sort=-grade&page=3&x=1' })).toContain('is saved');
  const page = await shown('grade=F');
  expect(page).toContain('<a href="/console/domains?grade=F" aria-current="true">&lt;b&gt;Worst</a>');
  expect(page).toContain('Remove this view');
  expect(await shown()).toContain('<a href="/console/domains?grade=F">&lt;b&gt;Worst</a>');
  expect(await (await organization()).shown()).not.toContain('Worst');
  expect(await save({ name: '', query: 'grade=A' })).toContain('role="alert"');
  const taken = await save({ name: '<b>Worst', query: 'grade=A' });
  expect(taken).toContain('<a href="#view-name">The name is that of another view');
  expect(await shown()).toContain('<a href="/console/domains?grade=F">&lt;b&gt;Worst</a>');
  expect(await save({ name: '<b>Worst', query: 'grade=F', do: 'remove' })).toContain('is removed');
  expect(await shown('grade=F')).not.toContain('Worst</a>');
  for (let n = 0; n < 30; n += 1) await save({ name: `view ${n}`, query: `q=${n}` });
  expect(await save({ name: 'one more', query: 'q=x' })).toContain('at most 30 views');
});

describe('with 10,000 domains', () => {
  test('a page reads the directory, its 100 domains and their unread alerts', async () => {
    const { id } = await organization();
    const rows = await storeDirectory(table, id, 10_000, now.toISOString().slice(0, 10));
    const finding = { id: 'dmarc-monitoring-only', severity: 'warning' as const, arguments: { domain: 'd' } };
    for (const row of selectRows(rows, { sort: '-grade' }).slice(100, 200))
      await storeDomain(table, id, row, { listed: { policy: 'none', next: { finding, gain: 12.5 } } });
    const query = { sort: '-grade' as const, page: 2 };
    const viewOn = (on: typeof table) =>
      domainList(id, query, {
        directory: directoryStore(on),
        alerts: alertStore(on, { retentionDays: 0 }),
        clock,
      });
    const { table: measured, capacity } = counted(table);
    const list = await viewOn(measured as typeof table);
    expect([list.rows.length, list.matching, list.figures.total]).toEqual([100, 10_000, 10_000]);
    const page = domainsPage({ ...list, views: [], canWrite: true, formToken: 'x'.repeat(43) });
    expect(page).toContain('101–200 of 10,000');
    expect(page).toMatch(/<strong>\+13<\/strong> [\w =().:]{60}…<\/td>/);
    expect(Buffer.byteLength(page)).toBeLessThan(123_000);
    // The directory takes 40 units, each domain half of one.
    expect(capacity.units().reads).toBeLessThan(100);
    expect(capacity.calls()).toBeLessThan(8);
  });
});
