/** What is weaker than before is never called resolved, and what is not the owner's change raises no alert. */
import { describe, expect, test } from '@jest/globals';
import { differenceFrom } from '../../../shared/alerts/changes.ts';
import { type CheckRunFacts, factsOf } from '../../../shared/alerts/facts.ts';
import { type MonitorState, nextMonitorState } from '../../../shared/alerts/monitor-state.ts';
import { inspectDmarc } from '../../../shared/checks/dmarc/inspect.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { inspectSpf } from '../../../shared/checks/spf/inspect.ts';
import { raiser } from '../../../shared/protocol/findings/finding.ts';
import { mtaStsRules } from '../../../shared/protocol/findings/mta-sts.ts';
import { mxTlsRules } from '../../../shared/protocol/findings/mx-tls.ts';
import { recorded } from '../../kit/recorded.ts';
import { dkimKey, emptyResults, perfectResults, unknownResults } from '../../kit/results.ts';
import { zone } from '../../kit/zone.ts';

const MINUTE = 60_000;
const usage = 'sends-and-receives';
const perfect = perfectResults(usage);
const context = { domain: 'example.org', threshold: 0, confirmAfterMilliseconds: MINUTE };

/** The alerts about the records of a domain that changes from `before` to `after`, which a second run confirms. */
function alertsOf(before: CheckRunFacts | CheckResults, after: CheckResults) {
  const baseline = 'checks' in before ? before : factsOf(before, usage);
  const stored = (state: MonitorState): MonitorState => JSON.parse(JSON.stringify(state));
  const facts = factsOf(after, usage);
  const first = nextMonitorState({ baseline, isBelowThreshold: false }, facts, {
    ...context,
    now: new Date(0),
  });
  const second = nextMonitorState(stored(first.state), facts, { ...context, now: new Date(MINUTE) });
  const third = nextMonitorState(stored(second.state), facts, { ...context, now: new Date(2 * MINUTE) });
  expect(third.alerts).toEqual([]);
  recorded(second.alerts.map(({ severity, title, message }) => `${severity} ${title}: ${message}`));
  return second.alerts.filter((alert) => alert.type === 'dns_change');
}

const RUA = 'rua=mailto:a@example.org';
const dmarc = async (...texts: readonly string[]): Promise<CheckResults> => {
  const dns = zone({
    'example.org': { A: ['192.0.2.1'] },
    '_dmarc.example.org': { TXT: texts.map((text) => `v=DMARC1; ${text}; ${RUA}`) },
  });
  return { ...perfect, dmarc: await inspectDmarc('example.org', { dns }) };
};
const spf = async (...records: readonly string[]): Promise<CheckResults> => {
  const more = {
    'a.test': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
    'b.test': { TXT: ['v=spf1 ip4:203.0.113.0/24 -all'] },
  };
  return {
    ...perfect,
    spf: await inspectSpf('example.org', { dns: zone({ 'example.org': { TXT: records }, ...more }) }),
  };
};

describe('a weaker DMARC policy is never resolved:', () => {
  test.each([
    ['p=reject; sp=none', 'p=none; sp=none', 'critical'],
    ['p=reject', 'p=none', 'critical'],
    ['p=reject; sp=quarantine', 'p=quarantine; sp=quarantine', 'warning'],
    ['p=reject; sp=reject; np=quarantine', 'p=reject; sp=none; np=quarantine', 'critical'],
    ['p=reject; sp=quarantine', 'p=reject; sp=none', 'warning'],
    ['p=reject; np=quarantine', 'p=reject; np=none', 'warning'],
    ['p=reject; foo', 'p=reject; pct=50', 'warning'],
    ['p=reject; foo', 'p=reject; t=y', 'warning'],
    ['p=quarantine; foo', 'p=quarantine; t=y', 'warning'],
    ['p=reject; foo', 'p=quarantine; t=y', 'critical'],
    ['p=reject; adkim=strict', 'p=quarantine', 'warning'],
  ])('%s -> %s is %s', async (before, after, severity) => {
    const [alert, ...others] = alertsOf(await dmarc(before), await dmarc(after));
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      severity,
      title: 'DMARC weakened: example.org',
      metadata: { findingsRemoved: [] },
    });
    // Which tags are weaker is recorded.
    expect(alert?.message).toMatch(/^Weaker: /);
    expect(alert?.message).not.toContain('Resolved');
  });

  test.each([
    ['p=none', 'p=reject'],
    ['p=reject; sp=none', 'p=reject'],
    ['p=reject; pct=50', 'p=reject'],
    ['p=none; pct=100', 'p=none; pct=50'],
    ['p=reject; t=y', 'p=quarantine'],
  ])('%s -> %s is not weaker', async (before, after) => {
    const messages = alertsOf(await dmarc(before), await dmarc(after)).map(({ message }) => message);
    expect(messages.join()).not.toContain('Weaker');
  });

  test('of two records, receivers applied none, so one with p=none is a repair', async () => {
    for (const other of ['p=none', 'p=quarantine']) {
      const [alert] = alertsOf(await dmarc('p=reject', other), await dmarc('p=none'));
      expect(alert).toMatchObject({ severity: 'info', title: 'DMARC problems resolved: example.org' });
    }
  });

  test('a weaker record that was found is critical, although no second source says that the stronger one is gone', async () => {
    const [before, after] = [await dmarc('p=reject'), await dmarc('p=none')];
    const facts = factsOf(after, usage, (name) => name === 'dmarc');
    const known = { baseline: factsOf(before, usage), isBelowThreshold: false };
    const { state } = nextMonitorState(known, facts, { ...context, now: new Date(0) });
    const { alerts } = nextMonitorState(state, facts, { ...context, now: new Date(MINUTE) });
    expect(alerts.find(({ type }) => type === 'dns_change')).toMatchObject({ severity: 'critical' });
  });

  test('a record that broke is called failing, not weaker', async () => {
    const [alert] = alertsOf(await dmarc('p=reject'), await dmarc('p=reject', 'p=none'));
    expect(alert).toMatchObject({ severity: 'critical', title: 'DMARC check now fails: example.org' });
  });

  test('the history does not call findings resolved that vanish with the policy', async () => {
    const [before, after] = [await dmarc('p=reject; sp=none'), await dmarc('p=none')].map((one) =>
      factsOf(one, usage),
    );
    const { changes } = differenceFrom(
      { facts: before as CheckRunFacts, scoreBefore: null },
      after as CheckRunFacts,
    );
    expect(changes).toMatchObject([{ check: 'dmarc', findingsRemoved: [] }]);
  });
});

describe('wider SPF is never resolved:', () => {
  test.each([
    ['v=spf1 a:gone.test include:a.test -all', 'v=spf1 include:a.test include:b.test -all', 'SPF changed'],
    ['v=spf1 a:gone.test ip4:192.0.2.0/28 -all', 'v=spf1 ip4:192.0.2.0/24 -all', 'SPF changed'],
    [
      'v=spf1 a:gone.test -ip4:192.0.2.7 ip4:192.0.2.0/24 -all',
      'v=spf1 ip4:192.0.2.0/24 -all',
      'SPF changed',
    ],
    ['v=spf1 a:gone.test include:a.test -all', 'v=spf1 include:a.test redirect=b.test', 'SPF changed'],
    ['v=spf1 a:gone.test include:a.test -all', 'v=spf1 include:a.test ~all', 'SPF weakened'],
    ['v=spf1 foo -all', 'v=spf1 include:a.test +all', 'SPF weakened'],
    ['v=spf1 include:a.test -all', 'v=spf1 include:a.test +all', 'SPF weakened'],
    ['v=spf1 a:gone.test redirect=a.test', 'v=spf1 +all', 'SPF weakened'],
    ['no SPF', 'v=spf1 +all', 'SPF weakened'],
    ['v=spf1 a:gone.test include:a.test -all', 'v=spf1 include:a.test', 'SPF weakened'],
  ])('%s -> %s', async (before, after, title) => {
    const [alert, ...others] = alertsOf(await spf(before), await spf(after));
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      severity: 'warning',
      title: `${title}: example.org`,
      metadata: { findingsRemoved: [] },
    });
  });

  test.each([
    ['v=spf1 a:gone.test include:a.test ~all', 'v=spf1 include:a.test -all'],
    ['v=spf1 a:gone.test ip4:192.0.2.0/24 -all', 'v=spf1 ip4:192.0.2.7 -all'],
    ['v=spf1 ip4:192.0.2.7 ip4:192.0.2.7 -all', 'v=spf1 +ip4:192.0.2.7 -all'],
  ])('%s -> %s is a repair', async (before, after) => {
    const [alert] = alertsOf(await spf(before), await spf(after));
    expect(alert).toMatchObject({ severity: 'info', title: 'SPF problems resolved: example.org' });
  });

  test('a merge of several records is a repair', async () => {
    const [alert] = alertsOf(
      await spf('v=spf1 include:a.test -all', 'v=spf1 include:b.test -all'),
      await spf('v=spf1 include:a.test include:b.test -all'),
    );
    expect(alert).toMatchObject({ severity: 'info' });
  });
});

describe('noticed, although no record of the check changed:', () => {
  const served = (policy: Partial<CheckResults['mtaSts']>): CheckResults => ({
    ...perfect,
    mtaSts: {
      ...perfect.mtaSts,
      policyFetched: true,
      policyMode: 'enforce',
      policyMx: ['mx1.example.org'],
      policyMaxAge: 604_800,
      ...policy,
    },
  });

  test.each<[string, Partial<CheckResults['mtaSts']>, string]>([
    ['mode', { policyMode: 'testing' }, 'MTA-STS weakened'],
    ['mx', { policyMx: ['mx1.example.org', '*.evil.test'] }, 'MTA-STS changed'],
    ['max_age', { policyMaxAge: 60 }, 'MTA-STS changed'],
  ])('%s of the MTA-STS policy', (_, policy, title) => {
    const [alert, ...others] = alertsOf(served({}), served(policy));
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ severity: 'warning', title: `${title}: example.org` });
    expect(alert?.message).toContain('Removed: policy mode=enforce mx=mx1.example.org max_age=604800.');
  });

  test('a policy that leaves enforce mode is no repair, whatever findings vanish', () => {
    const uncovered = raiser(mtaStsRules)('mta-sts-mx-not-covered', { host: 'mx1.example.org' });
    const before = served({ policyMx: ['other.test'], state: 'fail', findings: [uncovered] });
    const [alert] = alertsOf(before, served({ policyMx: ['other.test'], policyMode: 'none' }));
    expect(alert).toMatchObject({
      severity: 'warning',
      title: 'MTA-STS weakened: example.org',
      metadata: { findingsRemoved: [] },
    });
  });

  test('a policy that is gone with its record is removed, not weaker', () => {
    const [alert] = alertsOf(served({}), { ...perfect, mtaSts: emptyResults().mtaSts });
    expect(alert).toMatchObject({ severity: 'critical', title: 'MTA-STS record removed: example.org' });
    expect(alert?.message).toMatch(/^Removed: /);
  });

  test('a policy that enters enforce mode is not weaker', () => {
    const [alert] = alertsOf(served({ policyMode: 'testing' }), served({}));
    expect(alert?.message).toMatch(/^Removed: policy mode=testing/);
  });

  test('a policy that could not be fetched is no change', () => {
    expect(alertsOf(served({}), { ...perfect, mtaSts: unknownResults().mtaSts })).toEqual([]);
  });

  const hostedBy = (...nameServers: readonly string[]): CheckResults => ({
    ...perfect,
    dnssec: { ...perfect.dnssec, nameServers },
  });

  test('name servers', () => {
    const [alert, ...others] = alertsOf(
      hostedBy('ns1.old.test', 'ns2.old.test'),
      hostedBy('ns1.new.test', 'ns2.old.test'),
    );
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      ...{ severity: 'warning', title: 'Name servers changed: example.org' },
      message: 'Removed: NS ns1.old.test. Added: NS ns1.new.test.',
    });
    expect(alertsOf(hostedBy('ns1.old.test'), perfect)).toEqual([]);
  });

  test('a certificate near its end', () => {
    const { mxFinding, policyFinding } = {
      mxFinding: raiser(mxTlsRules)('mx-certificate-expiring', {
        host: 'mx1.example.org',
        ip: '192.0.2.1',
        ...{ date: '2026-03-01', left: 20, of: 90 },
      }),
      policyFinding: raiser(mtaStsRules)('mta-sts-policy-certificate-expiring', {
        host: 'mta-sts.example.org',
        ...{ date: '2026-03-01', left: 20, of: 90 },
      }),
    };
    const ending = {
      ...perfect,
      mx: { ...perfect.mx, findings: [mxFinding] },
      mtaSts: { ...perfect.mtaSts, findings: [policyFinding] },
    };
    expect(alertsOf(perfect, ending).map(({ severity, title }) => [severity, title])).toEqual([
      ['warning', 'New MX problems: example.org'],
      ['warning', 'New MTA-STS problems: example.org'],
    ]);
    expect(alertsOf(ending, perfect).map(({ severity }) => severity)).toEqual(['info', 'info']);
  });
});

describe('a DKIM key behind an alias', () => {
  const key = (record: string, alias: string | null, changes = {}): CheckResults => ({
    ...perfect,
    dkim: {
      ...perfect.dkim,
      selectors: [dkimKey('s1', { record, alias, ...changes })],
    },
  });
  const [old, rotated] = ['v=DKIM1; k=rsa; p=MIIB', 'v=DKIM1; k=rsa; p=MIIC'];

  test('that its provider rotates raises no alert, and the new key is known', () => {
    expect(alertsOf(key(old, 's1.provider.test'), key(rotated, 's1.provider.test'))).toEqual([]);
    const gone = { ...perfect, dkim: emptyResults().dkim };
    const facts = factsOf(key(rotated, 's1.provider.test'), usage);
    const known = { baseline: factsOf(key(old, 's1.provider.test'), usage), isBelowThreshold: false };
    const { state } = nextMonitorState(known, facts, { ...context, now: new Date(0) });
    expect(alertsOf(state.baseline, gone)[0]?.message).toContain('p=MIIC');
  });

  test.each<[string, CheckResults, CheckResults]>([
    ['without an alias', key(old, null), key(rotated, null)],
    ['behind another alias', key(old, 's1.provider.test'), key(rotated, 's1.other.test')],
    ['in place of an alias', key(old, 's1.provider.test'), key(rotated, null)],
    [
      'that is revoked',
      key(old, 's1.provider.test'),
      key('v=DKIM1; p=', 's1.provider.test', { valid: false, revoked: true }),
    ],
  ])('another key %s does', (_, before, after) => {
    expect(alertsOf(before, after).map(({ metadata }) => metadata)).toMatchObject([{ check: 'dkim' }]);
  });
});
