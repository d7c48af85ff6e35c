/** The page about all domains and a compliance profile, and what an organization follows, on real stores. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { handler as save } from '../../functions/console-compliance/save.ts';
import { handler as show } from '../../functions/console-compliance/show.ts';
import { listedStatuses } from '../../shared/compliance/listed.ts';
import { Refused } from '../../shared/operations/outcome.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { nothingListed } from '../../shared/store/domains/listed.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { formTokenOf } from '../../shared/store/sessions.ts';
import { organizationComplianceOf } from '../../shared/views/compliance.ts';
import { counted } from '../kit/capacity.ts';
import { consoleTable, follow, newSession, send } from '../kit/console.ts';
import { storeDirectory, storeDomain } from '../kit/large-organization.ts';
import { registerDomain, registeredDomain } from '../kit/reports.ts';
import { emptyResults, perfectResults } from '../kit/results.ts';
import { use } from '../kit/use.ts';

const now = new Date('2026-03-01T06:00:00Z');

const dependencies = () => ({
  checks: checkStore(table),
  compliance: complianceSettingsStore(table),
  directory: directoryStore(table),
  clock: { now: () => now },
});

const table = await use(consoleTable());
const domain = await registeredDomain(table);
const second = await registerDomain(table, domain.organization, 'second.example', now);
await registeredDomain(table, 'other.example');
for (const [of, results] of [
  [domain, emptyResults()],
  [second, perfectResults('parked')],
] as const) {
  const listed = { ...nothingListed, compliance: listedStatuses(results, []) };
  await checkStore(table).keep(of, { checkedAt: now.toISOString(), results, listed });
}

const session = (of = domain.organization) => newSession(table, of, { scope: 'write' });

const pageOf = async (query: string) => send(show.with(dependencies()), { cookie: await session(), query });

async function saving(form: Readonly<Record<string, string>>) {
  const cookie = await session();
  const answer = await send(save.with(dependencies()), {
    cookie,
    headers: { 'sec-fetch-site': 'same-origin' },
    form: { ...form, formToken: formTokenOf(cookie) },
  });
  const { body } = await follow(show.with(dependencies()), answer, { cookie });
  return String(body);
}

describe('the compliance page', () => {
  test('lists the domains of the organization with their statuses, by profile and status', async () => {
    const { body } = await pageOf('profile=bod-18-01');
    expect(body).toContain('>All domains (2)<');
    expect(body).toMatch(/example\.org<\/a><\/th><td>.{0,120}violated/);
    expect(body).toMatch(/second\.example<\/a><\/th><td>.{0,120}fulfilled/);
    expect(body).not.toContain('other.example');
    const violated = await pageOf('profile=bod-18-01&status=violated');
    expect(violated.body).toContain('example.org</a>');
    expect(violated.body).not.toContain('second.example</a>');
  });

  test('follows profiles, keeps own ones, and says what is wrong with them', async () => {
    const own = [
      {
        ...{ id: 'own-one', name: 'Our <b>baseline', version: '1' },
        requirements: [{ id: 'r', text: 'R', level: 'must', rules: ['dmarc-missing'] }],
      },
    ];
    expect(await saving({ own: '[{' })).toContain('The list of your own profiles must be JSON');
    const broken = JSON.stringify([{ ...own[0], version: '' }]);
    const refused = await saving({ own: broken, 'on_bod-18-01': 'on' });
    expect(refused).toContain('The list of your own profiles must not be empty');
    expect(refused).toContain('name="on_bod-18-01" value="on" checked');
    expect(await complianceSettingsStore(table).get(domain.organization)).toMatchObject({ revision: 0 });
    const saved = await saving({ own: JSON.stringify(own), 'on_bod-18-01': 'on' });
    expect(saved).toContain('The profiles are saved.');
    expect(saved).toContain('Our &lt;b&gt;baseline');
    expect(await complianceSettingsStore(table).get(domain.organization)).toMatchObject({
      ...{ follows: ['bod-18-01'], own: [{ id: 'own-one' }] },
    });
    // The page begins with what is followed.
    expect((await pageOf('')).body).toContain('CISA BOD 18-01 Enhance Email and Web Security (followed)');
  });
});

describe('with many domains', () => {
  const size = 3000;
  let organization: string;

  beforeAll(async () => {
    organization = (await organizationStore(table).create('Large', now, randomUUID())).id;
    const rows = await storeDirectory(table, organization, size, '2026-02-28');
    const results = perfectResults('sends-and-receives');
    for (const row of [...rows.slice(0, 100), ...rows.slice(-100)]) {
      const stored = await storeDomain(table, organization, row);
      await checkStore(table).keep(stored, { checkedAt: now.toISOString(), results });
    }
  });

  test('a page has 100 of them, and the way to the next one, unless it is the last', async () => {
    const cookie = await session(organization);
    const shown = async (page: number) =>
      (await send(show.with(dependencies()), { cookie, query: `profile=bod-18-01&page=${page}` })).body;
    expect(String(await shown(1)).split('<th scope="row">')).toHaveLength(1 + 100);
    expect(await shown(1)).toContain('page=2');
    expect(await shown(size / 100)).toContain('Earlier domains');
    expect(await shown(size / 100)).not.toContain('Later domains');
  });

  test('each page costs the same, wherever it is', async () => {
    const costOf = async (page: number) => {
      const { table: measured, capacity } = counted(table);
      const view = await organizationComplianceOf(
        organization,
        { profile: 'bod-18-01', page, limit: 100 },
        {
          checks: checkStore(measured),
          compliance: complianceSettingsStore(measured),
          directory: directoryStore(measured),
        },
        now,
      );
      if (view instanceof Refused) throw new Error(view.message);
      expect([view.domains.length, view.matching]).toEqual([100, size]);
      const { violated, unknown, fulfilled, notApplicable } = view.counts;
      expect(violated + unknown + fulfilled + notApplicable).toBe(size);
      return capacity.units().reads;
    };
    const [first, last] = [await costOf(1), await costOf(size / 100)];
    expect(first).toBeLessThan(150);
    expect(Math.abs(last - first)).toBeLessThan(first / 4);
  });
});
