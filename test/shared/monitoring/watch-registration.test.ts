/** The attention item about the registration of a domain, from a real registry on loopback and the embedded table. */
import { beforeEach, expect, test } from '@jest/globals';
import { textOf } from '../../../shared/attention/kinds.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { watchRegistration } from '../../../shared/monitoring/watch-registration.ts';
import { registrationStore } from '../../../shared/store/check-runs/registrations.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { changesOn, openItems } from '../../kit/attention.ts';
import type { Page } from '../../kit/https-host.ts';
import { type RegistryFacts, rdapDomain, startRegistry } from '../../kit/registry.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { emptyResults, perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';

const DAY = 86_400_000;
const start = Date.parse('2026-06-01T12:00:00Z');
const NAME = 'shop.example';

let domain: Domain;
let pages: Record<string, Page>;
let registry: Awaited<ReturnType<typeof startRegistry>>;
const table = await useTable();
beforeEach(async () => {
  domain = { ...(await registeredDomain(table)), domain: NAME };
  pages = {};
  registry = await startRegistry(pages);
});

const results = perfectResults('sends-and-receives');
const signedWith = (...keyTags: number[]): CheckResults => ({
  ...results,
  dnssec: {
    ...results.dnssec,
    dsRecords: keyTags.map((keyTag) => ({ keyTag, algorithm: 13, digestType: 2, digest: 'AB' })),
  },
});

/** A check run some days later, at which the registry has this answer. */
async function run(days: number, page: Page, found: CheckResults = signedWith(1)): Promise<void> {
  pages[`/v1/domain/${NAME}`] = page;
  const deps = {
    registrations: registry.registrations,
    stored: registrationStore(table),
    attention: changesOn(table),
  };
  await watchRegistration(domain, deps, { results: found, now: new Date(start + days * DAY) });
}

const says = (given: RegistryFacts): Page => ({ body: rdapDomain(NAME, { ds: [1], ...given }) });
const items = () => openItems(table, domain.organization);
const asked = () => registry.host.requests.filter((request) => request.endsWith(NAME)).length;

test.each<[string, RegistryFacts, string]>([
  ['ends in 30 days', { expires: '2026-07-01T12:00:00Z' }, 'warning expiring'],
  ['ends in a week', { expires: '2026-06-08T12:00:00Z' }, 'critical expiring'],
  ['is on hold', { status: ['client hold', 'client transfer prohibited'] }, 'critical held'],
  [
    'is being removed',
    { status: ['redemption period', 'server hold', 'server transfer prohibited'] },
    'critical removed,held',
  ],
  ['has no transfer lock', { status: ['active'] }, 'info unlocked'],
])('a domain that %s has an item', async (_, given, expected) => {
  await run(0, says(given));
  const [[kind, severity, names] = []] = await items();
  expect([kind, `${severity} ${names}`.replaceAll(', ', ',')]).toEqual(['registration', expected]);
});

test.each<[string, Page]>([
  ['with nothing wrong', says({})],
  ['that ends in 31 days', says({ expires: '2026-07-02T13:00:00Z' })],
  ['whose registry says no more', { body: rdapDomain(NAME, { status: [], expires: '' }) }],
  ['that its registry does not know, but that exists in DNS', { status: 404 }],
])('a domain %s has none', async (_, page) => {
  await run(0, page);
  expect(await items()).toEqual([]);
});

test('a domain that neither registry nor DNS knows has an item', async () => {
  const finding = { id: 'mx-no-such-domain', severity: 'error', arguments: { domain: NAME } } as const;
  await run(
    0,
    { status: 404 },
    { ...emptyResults(), mx: { ...results.mx, state: 'fail', findings: [finding] } },
  );
  expect(await items()).toEqual([['registration', 'critical', 'not-registered']]);
});

test('DS records that differ have an item after two days, unless their lookup failed', async () => {
  await run(0, says({ ds: [1, 2] }));
  expect(await items()).toEqual([]);
  const { dnssec } = signedWith();
  await run(1, says({ ds: [1, 2] }), { ...results, dnssec: { ...dnssec, state: 'unknown' } });
  expect(await items()).toEqual([]);
  for (const day of [4, 5, 6]) await run(day, says({ ds: [1, 2] }));
  expect(await items()).toEqual([['registration', 'warning', 'ds-differs']]);
  const [item] = await changesOn(table).open(domain.id);
  const detail = item === undefined ? '' : textOf(item).detail;
  expect(detail).toContain(
    'The registry has DS records with the key tags 1, 2, and DNS has DS records with the key tag 1,',
  );
  await run(7, says({}));
  expect(await items()).toEqual([]);
});

test('a failed lookup changes nothing, and is repeated later and later', async () => {
  await run(0, says({ status: ['server hold', 'server transfer prohibited'] }));
  await run(1, { status: 500 });
  expect(await items()).toEqual([['registration', 'critical', 'held']]);
  const before = asked();
  await run(1.2, says({}));
  expect(asked()).toBe(before);
  await run(1.3, { status: 500 });
  await run(1.7, says({}));
  expect([asked(), await items()]).toEqual([before + 1, [['registration', 'critical', 'held']]]);
  await run(1.9, says({}));
  expect(await items()).toEqual([]);
});

test('is asked twice a week while nothing is wrong', async () => {
  for (let day = 0; day <= 9; day += 1) await run(day, says({}));
  expect(asked()).toBe(4);
});
