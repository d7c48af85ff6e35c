/** Checks and previews of domains that an organization registered: those that are not verified have limits. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Network } from '../../shared/network/ports.ts';
import { smtpOff } from '../../shared/network/smtp-off.ts';
import { previewDomain } from '../../shared/operations/checks/preview-checks.ts';
import { Refused } from '../../shared/operations/outcome.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { monitorStateReader } from '../../shared/store/check-runs/monitor-states.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { sharedKeyStore } from '../../shared/store/check-runs/shared-keys.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { registeredDomain } from '../kit/reports.ts';
import type { EmptyTable } from '../kit/table.ts';
import { useTable } from '../kit/use-table.ts';
import { type FakeWeb, fakeWeb } from '../kit/web.ts';
import { zone } from '../kit/zone.ts';

const now = new Date('2026-03-01T06:00:00Z');
const clock = { now: () => now };

let table: EmptyTable;
let web: FakeWeb;

beforeEach(async () => {
  web = fakeWeb({});
  table = await useTable(clock);
});

function dependencies() {
  const dns = zone({ 'example.org': { TXT: ['v=spf1 -all'] } });
  const network: Network = { dns, web, over: () => ({ web }), smtp: smtpOff, clock };
  return {
    rates: exactRateStore(table),
    limits: rateStore(table),
    checkContext: { network, trustAnchors: [] },
    clock,
    stores: {
      checks: checkStore(table),
      selectors: seenSelectorStore(table),
      sharedKeys: sharedKeyStore(table),
      summaries: summaryStore(table),
      monitorStates: monitorStateReader(table),
    },
    reportsDomain: 'reports.example',
  };
}

/** What a BIMI record of somebody else's choice makes the service connect to. */
const scan = {
  name: 'default._bimi.example.org',
  type: 'TXT',
  ttl: 60,
  values: ['v=BIMI1; l=https://example.net:22/logo.svg; a=https://example.net:25/mark.pem'],
} as const;

async function preview(domain: string, verified: boolean) {
  const registered = { ...(await registeredDomain(table, domain)), verified };
  return () => previewDomain(registered, () => ({ ok: true, sets: [scan] }), dependencies());
}

describe('a preview', () => {
  test('of an unverified domain connects to port 443 only', async () => {
    const run = await preview('example.org', false);
    await run();
    expect(web.requests.map(({ url }) => new URL(url).host)).toContain('example.net:22');
    expect(web.requests.filter(({ onlyPort443 }) => onlyPort443 !== true)).toEqual([]);
  });

  test('of a verified domain uses the ports that its records name', async () => {
    const run = await preview('example.org', true);
    await run();
    expect(web.requests.filter(({ onlyPort443 }) => onlyPort443 === true)).toEqual([]);
  });

  test('counts for the registrable domain until the domain is verified', async () => {
    const names = Array.from({ length: 5 }, (_, at) => `n${at}.example.org`);
    for (const name of names) {
      const run = await preview(name, false);
      // Five per minute and domain; four of them make twenty.
      const outcomes = await Promise.all(Array.from({ length: 5 }, run));
      const refused = outcomes.filter((outcome) => outcome instanceof Refused);
      expect([name, refused.length]).toEqual([name, name === 'n4.example.org' ? 5 : 0]);
      for (const { code } of refused) expect(code).toBe('rate_limited');
    }
    const verified = await preview('verified.example.org', true);
    expect(await verified()).not.toBeInstanceOf(Refused);
  });
});
