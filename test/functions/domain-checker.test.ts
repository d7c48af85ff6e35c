/** The check of any domain on real stores: what it says to whom, how often it looks, and what it saves. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { checkNames, type UsageType } from '../../shared/checks/state.ts';
import type { Network } from '../../shared/network/ports.ts';
import { smtpOff } from '../../shared/network/smtp-off.ts';
import { checkAnyDomain, type OwnedCheck } from '../../shared/operations/domain-checker/check-any-domain.ts';
import { type VerifiedOwner, verifiedOwnerOf } from '../../shared/operations/domain-checker/owner.ts';
import {
  type SaveDependencies,
  saveDomainCheck,
} from '../../shared/operations/domain-checker/save-domain-check.ts';
import { countSavedBytes } from '../../shared/operations/limits/save-result.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { domainCheckShareStore, domainCheckStore } from '../../shared/store/domain-checks.ts';
import type { Domain } from '../../shared/store/domains/domain.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { assess, showCheck } from '../../shared/views/assessed-check.ts';
import { dmarcReport, registeredDomain, storeDmarc } from '../kit/reports.ts';
import type { EmptyTable } from '../kit/table.ts';
import { useTable } from '../kit/use-table.ts';
import { type FakeWeb, fakeWeb } from '../kit/web.ts';
import { zone } from '../kit/zone.ts';

const MINUTE = 60_000;
const CLIENT = '192.0.2.1';

let table: EmptyTable;
let now: Date;
/** Check runs: each looks up the TLS-RPT record once. */
let runs: number;
let web: FakeWeb;

beforeEach(async () => {
  now = new Date('2026-03-01T06:00:00Z');
  runs = 0;
  web = fakeWeb({});
  table = await useTable({ now: () => now });
});

function dependencies() {
  const published = zone({
    'example.org': { MX: [[10, 'mx.example.org']], TXT: ['v=spf1 mx -all'] },
    '_dmarc.example.org': { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@example.org'] },
    'mx.example.org': { A: ['192.0.2.25'] },
    '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] },
    'default._bimi.example.org': {
      TXT: ['v=BIMI1; l=https://example.net:22/logo.svg; a=https://example.net:25/mark.pem'],
    },
  });
  const clock = { now: () => now };
  const dns: Network['dns'] = {
    lookup: (name, type, options) => {
      if (name.startsWith('_smtp._tls.')) runs += 1;
      return published.lookup(name, type, options);
    },
  };
  return {
    isOff: false,
    checks: domainCheckStore(table),
    rates: exactRateStore(table),
    limits: rateStore(table),
    checkContext: { network: { dns, web, smtp: smtpOff, clock }, trustAnchors: [] },
    clock,
  };
}

/** A check that is not refused. */
async function checkNow(
  owner: VerifiedOwner | null,
  usageType: UsageType = 'sends-and-receives',
): Promise<OwnedCheck> {
  const asked = { domain: 'example.org', usageType };
  return answer(await checkAnyDomain(asked, dependencies(), async () => owner)).data;
}

async function shown(owner: VerifiedOwner | null, usageType?: UsageType) {
  const checked = await checkNow(owner, usageType);
  return showCheck(await assess(checked), { owner, shareId: null, hostUrl: 'https://m.example' });
}

const saving = (): SaveDependencies => ({ ...dependencies(), shares: domainCheckShareStore(table) });

/** Saves a check, for a usage type; it is not refused. */
async function save({ check, owner }: OwnedCheck, usageType: UsageType, client = CLIENT): Promise<string> {
  return answer(await saveDomainCheck({ check: { ...check, usageType }, owner }, client, saving())).data;
}

/** The domain, registered and verified by an organization. */
const verifiedDomain = async () => ({ ...(await registeredDomain(table)), verified: true });

async function ownerOfVerified(domain: Domain, usageType: UsageType): Promise<VerifiedOwner> {
  const owner = await verifiedOwnerOf(domain, usageType, reports(), now);
  if (owner === null) throw new Error('a verified domain has an owner');
  return owner;
}

const reports = () => ({
  reports: dmarcReportStore(table, { retentionDays: 0 }),
  summaries: summaryStore(table),
  reportsDomain: 'reports.example',
});

describe('what a check says', () => {
  test('has all results, the score and the changes; MX hosts are not asked if probing is off', async () => {
    const { results, score, ...check } = await shown(null);
    expect(check).toMatchObject({
      ...{ domain: 'example.org', usageType: 'sends-and-receives', checkedAt: '2026-03-01T06:00:00.000Z' },
      fixes: { score: score.score },
    });
    expect(Object.keys(results).toSorted()).toEqual([...checkNames, 'dkimSummary'].toSorted());
    expect(results.mx.findings.map(({ id }) => id)).toContain('mx-port-25-not-asked');
    const mx = score.components.find(({ component }) => component === 'mx');
    expect(mx).toMatchObject({ state: 'unknown', points: mx?.maximum, gain: 0 });
    expect(score.lastCheckedAt).toBe(check.checkedAt);
  });

  test('does not depend on whether another organization registered the domain', async () => {
    const before = await shown(null);
    await registeredDomain(table);
    now = new Date(now.getTime() + MINUTE);
    const after = await shown(null);
    expect(runs).toBe(2);
    expect({ ...after, checkedAt: '' }).toEqual({
      ...before,
      checkedAt: '',
      score: { ...before.score, lastCheckedAt: after.checkedAt },
    });
  });

  test('contains the report mailbox for the owner, whose results nobody else gets', async () => {
    const domain = await verifiedDomain();
    const owner = await ownerOfVerified(domain, 'sends-and-receives');
    expect(owner).toMatchObject({
      mailbox: `${domain.mailbox}@reports.example`,
      mail: { isAuthenticated: false },
    });
    expect(JSON.stringify(await shown(owner))).toContain(owner.mailbox);
    expect(JSON.stringify(await shown(null))).not.toContain(domain.mailbox);
    expect(JSON.stringify(await shown(owner))).toContain(owner.mailbox);
    expect(runs).toBe(2);
  });

  test('is the same for an organization that registered the domain but did not verify it', async () => {
    const domain = await registeredDomain(table);
    await storeDmarc(reports().reports, domain, dmarcReport('2026-02-27'), now);
    expect(await verifiedOwnerOf(domain, 'parked', reports(), now)).toBeNull();
  });

  test('for a parked domain of the owner depends on mail in its reports, whatever the registered usage type', async () => {
    const domain = await verifiedDomain();
    await storeDmarc(reports().reports, domain, dmarcReport('2026-02-27'), now);
    expect(await verifiedOwnerOf(domain, 'parked', reports(), now)).toMatchObject({
      mail: { isAuthenticated: true },
    });
    expect(
      await verifiedOwnerOf({ ...domain, usageType: 'sends-only' }, 'parked', reports(), now),
    ).toMatchObject({
      mail: { isAuthenticated: true },
    });
  });
});

test('a check connects to no port of HTTPS that the domain chooses', async () => {
  await shown(null);
  expect(web.requests.map(({ url }) => new URL(url).host).toSorted()).toEqual([
    'example.net:22',
    'example.net:25',
    'mta-sts.example.org',
  ]);
  expect(web.requests.filter(({ onlyPort443 }) => onlyPort443 !== true)).toEqual([]);
});

describe('how often a domain is checked', () => {
  test('once a minute, for all usage types', async () => {
    await Promise.all([shown(null), shown(null, 'parked')]);
    const before = runs;
    now = new Date(now.getTime() + MINUTE - 1);
    const { checkedAt } = await shown(null);
    expect([runs, checkedAt]).toEqual([before, '2026-03-01T06:00:00.000Z']);
    now = new Date(now.getTime() + 1);
    expect((await shown(null)).checkedAt).toBe('2026-03-01T06:01:00.000Z');
  });

  test('at most three times a minute, however many ask at the same time', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => shown(null)));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(runs).toBe(3);
    expect(refused.length).toBe(5);
    for (const error of refused) expect(error).toMatchObject({ code: 'rate_limited' });
  });
});

describe('a saved result', () => {
  test('is read again as it was saved, until it is removed', async () => {
    const shares = domainCheckShareStore(table);
    const checked = await checkNow(null);
    const shareId = await save(checked, 'parked');
    expect(await shares.get(shareId, now)).toEqual({ ...checked.check, usageType: 'parked' });
    expect(await shares.remove(shareId)).toBe(true);
    expect(await shares.get(shareId, now)).toBeUndefined();
    expect(await shares.remove(shareId)).toBe(false);
  });

  test('has the same link when it is saved again, for each usage type', async () => {
    const first = await checkNow(null);
    const again = await checkNow(null);
    const shareId = await save(first, 'parked');
    expect(await save(again, 'parked', '192.0.2.2')).toBe(shareId);
    expect(await save(again, 'sends-only')).not.toBe(shareId);
    now = new Date(now.getTime() + MINUTE);
    expect(await save(await checkNow(null), 'parked')).not.toBe(shareId);
  });

  test('is not stored beyond the limit of the client, which can still open and save what is stored', async () => {
    const checked = await checkNow(null);
    const shareId = await save(checked, 'parked');
    await countSavedBytes(CLIENT, 2_000_000, dependencies());
    await expect(save(checked, 'sends-only')).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    expect(await save(checked, 'parked')).toBe(shareId);
    expect(await save(checked, 'sends-only', '192.0.2.2')).not.toBe(shareId);
  });

  test('of an owner is what everybody sees', async () => {
    const domain = await verifiedDomain();
    const shares = domainCheckShareStore(table);
    const checked = await checkNow(await ownerOfVerified(domain, 'parked'));
    expect(JSON.stringify(checked.check)).toContain(domain.mailbox);
    const shareId = await save(checked, 'parked');
    expect(await shares.get(shareId, now)).toMatchObject({ domain: 'example.org', usageType: 'parked' });
    expect(JSON.stringify(await shares.get(shareId, now))).not.toContain(domain.mailbox);
  });
});

const checked = (domain: string, deps = dependencies()) =>
  checkAnyDomain({ domain, usageType: 'parked' }, deps);

test.each([
  ['https://www.Example.ORG/path?x', 'www.example.org'],
  ['a@example.org', 'example.org'],
])('the domain of %s is %s', async (typed, domain) => {
  expect(await checked(typed)).toMatchObject({ value: { check: { domain } } });
});

test('no domain is checked for anybody while the operator turned the checker off', async () => {
  expect(await checked('example.org', { ...dependencies(), isOff: true })).toMatchObject({
    code: 'not_found',
  });
  expect(runs).toBe(0);
});
