import { describe, expect, test } from '@jest/globals';
import type { AlertDraft } from '../../../shared/alerts/alert.ts';
import { differenceFrom } from '../../../shared/alerts/changes.ts';
import { type CheckRunFacts, factsOf, versionOf } from '../../../shared/alerts/facts.ts';
import {
  type MonitorState,
  type MonitorStep,
  nextMonitorState,
} from '../../../shared/alerts/monitor-state.ts';
import { inspectDmarc } from '../../../shared/checks/dmarc/inspect.ts';
import { keepLastKnown } from '../../../shared/checks/last-known.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import type { UsageType } from '../../../shared/checks/state.ts';
import { type Finding, raiser } from '../../../shared/protocol/findings/finding.ts';
import { mtaStsRules } from '../../../shared/protocol/findings/mta-sts.ts';
import { mxRules } from '../../../shared/protocol/findings/mx.ts';
import { spfRules } from '../../../shared/protocol/findings/spf.ts';
import { recorded } from '../../kit/recorded.ts';
import {
  dkimKey,
  emptyResults,
  mxHost,
  perfectResults,
  spfResult,
  unknownResults,
} from '../../kit/results.ts';
import { zone } from '../../kit/zone.ts';

const CONFIRM = 60_000;
const context = { domain: 'example.org', threshold: 70, confirmAfterMilliseconds: CONFIRM };
const DAY = 86_400_000;

/** A domain with its own clock: check runs as the worker performs them, and their alerts. */
function monitoredDomain(usage: UsageType = 'sends-and-receives', threshold = 70) {
  let now = Date.parse('2026-01-05T00:00:00.000Z');
  let state: MonitorState | undefined;
  let kept: { checkedAt: string; results: CheckResults } | undefined;
  const runChecks = (results: CheckResults, usageNow = usage) => {
    const at = new Date(now);
    kept = { checkedAt: at.toISOString(), results: keepLastKnown(results, kept, at) };
    // The state is stored as JSON.
    const step = nextMonitorState(state, factsOf(kept.results, usageNow), { ...context, now: at, threshold });
    state = JSON.parse(JSON.stringify(step.state));
    const { pending, isBelowThreshold } = step.state;
    const titles = step.alerts.map(({ severity, title }) => `${severity} ${title}`);
    recorded([...titles, pending?.runs ?? 0, step.needsConfirmation, isBelowThreshold]);
    return step;
  };
  function runAfter(milliseconds: number, results: CheckResults, usageNow?: UsageType) {
    now += milliseconds;
    return runChecks(results, usageNow);
  }
  return {
    /** A single check run after some time. */
    runAfter,
    /** A scheduled check run and one that confirms it. Returns what the latter does. */
    change(results: CheckResults) {
      runAfter(DAY, results);
      return runAfter(CONFIRM, results);
    },
    /** A scheduled check run and the confirming runs that it requests, all with the same results. */
    day(results: CheckResults, usageNow?: UsageType): string[] {
      now += DAY;
      let step = runChecks(results, usageNow);
      const allAlerts = [...step.alerts];
      for (let runs = 0; step.needsConfirmation; runs += 1) {
        if (runs > 5) throw new Error('confirmation does not end');
        now += CONFIRM;
        step = runChecks(results, usageNow);
        allAlerts.push(...step.alerts);
      }
      return allAlerts.map(brief);
    },
  };
}

const brief = ({ type, severity, metadata }: AlertDraft): string =>
  [type, severity, 'check' in metadata ? metadata.check : ''].join(' ').trim();

const perfect = perfectResults('sends-and-receives');
const without = <K extends keyof CheckResults>(...names: K[]): CheckResults => ({
  ...perfect,
  ...Object.fromEntries(names.map((name) => [name, emptyResults()[name]])),
});
const unreachable = (...names: (keyof CheckResults)[]): CheckResults => ({
  ...perfect,
  ...Object.fromEntries(names.map((name) => [name, unknownResults()[name]])),
});
const softfail = { ...perfect, spf: spfResult('v=spf1 include:_spf.example.net ~all') };
const otherInclude = { ...perfect, spf: spfResult('v=spf1 include:_spf.example.com -all') };
const flawed = (finding: Finding): CheckResults => ({
  ...perfect,
  mx: { ...perfect.mx, state: 'warning', findings: [finding] },
});
const beside = <R extends object>(result: R, record: string | null, other: string): R => ({
  ...result,
  state: 'fail',
  records: [record, other],
});
/** Results with DMARC as the check finds it with these records. */
const dmarcOf = async (...records: readonly string[]): Promise<CheckResults> => {
  const dns = zone({ 'example.org': { A: ['192.0.2.1'] }, '_dmarc.example.org': { TXT: records } });
  return { ...perfect, dmarc: await inspectDmarc('example.org', { dns }) };
};
const dnsAlert = ({ alerts }: MonitorStep) => alerts.find((alert) => alert.type === 'dns_change');
const dangling = raiser(mxRules)('mx-dangling', { host: 'mx1.example.org', owner: 'example.org' });

describe('the alerts of a domain over time', () => {
  test('a weakening, a further weakening and a repair raise one alert each', () => {
    const domain = monitoredDomain();
    expect(domain.day(perfect)).toEqual([]);
    expect(domain.day(perfect)).toEqual([]);
    expect(domain.day(without('dmarc'))).toEqual(['dns_change critical dmarc', 'score_change critical']);
    expect(domain.day(without('dmarc'))).toEqual([]);
    expect(domain.day(without('dmarc', 'spf'))).toEqual([
      'dns_change critical spf',
      'score_change warning',
      'score_threshold warning',
    ]);
    expect(domain.day(without('dmarc', 'spf'))).toEqual([]);
    expect(domain.day(perfect)).toEqual([
      'dns_change info spf',
      'dns_change info dmarc',
      'score_change info',
      'score_threshold info',
    ]);
    expect(domain.day(perfect)).toEqual([]);
  });

  test('an outage raises no alert, however long it lasts; real changes are reported afterwards', () => {
    const domain = monitoredDomain();
    domain.day(perfect);
    for (let day = 0; day < 10; day += 1) expect(domain.day(unknownResults())).toEqual([]);
    expect(domain.day(perfect)).toEqual([]);
    for (let day = 0; day < 10; day += 1) expect(domain.day(unreachable('dmarc', 'mx'))).toEqual([]);
    expect(domain.day(otherInclude)).toEqual(['dns_change warning spf']);
  });

  test('a change during an outage of another service raises an alert', () => {
    const domain = monitoredDomain();
    domain.day(perfect);
    expect(domain.day({ ...unreachable('mx'), dmarc: emptyResults().dmarc })).toEqual([
      'dns_change critical dmarc',
      'score_change critical',
    ]);
  });

  test('flapping between two check runs raises no alert', () => {
    const domain = monitoredDomain();
    domain.runAfter(0, perfect);
    for (let day = 0; day < 5; day += 1) {
      expect(domain.runAfter(DAY, without('spf'))).toMatchObject({ alerts: [], needsConfirmation: true });
      expect(domain.runAfter(CONFIRM, perfect)).toMatchObject({ alerts: [], needsConfirmation: false });
    }
  });

  test('a result that differs on every check run gets three confirming runs, then waits for the next scheduled check', () => {
    const domain = monitoredDomain();
    const variants = ['a', 'b', 'c', 'd'].map((name) => ({
      ...perfect,
      spf: spfResult(`v=spf1 include:${name}.example.net -all`),
    }));
    const [a, b, c, d] = variants as [CheckResults, CheckResults, CheckResults, CheckResults];
    domain.runAfter(0, perfect);
    expect(domain.runAfter(DAY, a).needsConfirmation).toBe(true);
    // Two check runs agree that the record of the first day is gone, but not on its replacement.
    expect(domain.runAfter(CONFIRM, b).alerts.map(brief)).toEqual(['dns_change warning spf']);
    expect(domain.runAfter(CONFIRM, c)).toMatchObject({ alerts: [], needsConfirmation: true });
    expect(domain.runAfter(CONFIRM, d)).toMatchObject({ alerts: [], needsConfirmation: false });
    expect(domain.day(d).at(0)).toBe('dns_change warning spf');
  });

  test('flapping over days, with each state lasting longer than the confirmation, alerts each time with its severity', () => {
    const domain = monitoredDomain();
    domain.day(perfect);
    expect(domain.day(without('mtaSts'))[0]).toBe('dns_change critical mtaSts');
    expect(domain.day(perfect)[0]).toBe('dns_change info mtaSts');
    expect(domain.day(without('mtaSts'))[0]).toBe('dns_change critical mtaSts');
  });
});

describe('a confirming check run', () => {
  test('does not count right after the first run: both could have seen the same moment', () => {
    const domain = monitoredDomain();
    domain.runAfter(0, perfect);
    expect(domain.runAfter(DAY, softfail)).toMatchObject({ alerts: [], needsConfirmation: true });
    expect(domain.runAfter(1_000, softfail)).toMatchObject({ alerts: [], needsConfirmation: false });
    expect(domain.runAfter(CONFIRM - 1_000, softfail).alerts.map(brief)).toContain('dns_change warning spf');
  });

  test('that was lost is replaced by the next scheduled check', () => {
    const domain = monitoredDomain();
    domain.runAfter(0, perfect);
    domain.runAfter(DAY, softfail);
    expect(domain.runAfter(DAY, softfail).alerts.map(brief)).toContain('dns_change warning spf');
  });

  test('confirms what both runs saw, and requests a third run for further differences', () => {
    const domain = monitoredDomain();
    domain.runAfter(0, perfect);
    domain.runAfter(DAY, otherInclude);
    const second = domain.runAfter(CONFIRM, { ...otherInclude, mx: flawed(dangling).mx });
    expect(second.alerts.map(brief)).toEqual(['dns_change warning spf']);
    expect(second.needsConfirmation).toBe(true);
    const third = domain.runAfter(CONFIRM, { ...otherInclude, mx: flawed(dangling).mx });
    expect(third.alerts.map(brief)).toEqual(['dns_change critical mx']);
    expect(third.needsConfirmation).toBe(false);
  });
});

describe('a DNS change', () => {
  test('names each record added beside another one, for every check', () => {
    const domain = monitoredDomain();
    domain.runAfter(0, perfect);
    const [key] = perfect.dkim.selectors;
    const several: CheckResults = {
      ...perfect,
      spf: beside(perfect.spf, perfect.spf.record, 'v=spf1 ~all'),
      dkim: { ...perfect.dkim, selectors: [beside(dkimKey('s1'), key?.record ?? null, 'k=rsa; p=')] },
      dmarc: { ...beside(perfect.dmarc, perfect.dmarc.record, 'v=DMARC1; p=none'), policyDomain: null },
      mtaSts: beside(perfect.mtaSts, perfect.mtaSts.dnsRecord, 'v=STSv1; id=2'),
      tlsRpt: beside(perfect.tlsRpt, perfect.tlsRpt.record, 'v=TLSRPTv1; rua=mailto:b@example.org'),
      bimi: beside(perfect.bimi, perfect.bimi.record, 'v=BIMI1; l=;'),
    };
    const { alerts } = domain.change(several);
    const dnsAlerts = alerts.filter(({ type }) => type === 'dns_change').map(({ metadata }) => metadata);
    expect(dnsAlerts).toMatchObject([
      { check: 'spf', recordsAdded: ['v=spf1 ~all'], recordsRemoved: [] },
      { check: 'dkim', recordsAdded: ['s1: k=rsa; p='], recordsRemoved: [] },
      { check: 'dmarc', recordsAdded: ['v=DMARC1; p=none'], recordsRemoved: [] },
      { check: 'mtaSts', recordsAdded: ['v=STSv1; id=2'], recordsRemoved: [] },
      { check: 'tlsRpt', recordsAdded: ['v=TLSRPTv1; rua=mailto:b@example.org'], recordsRemoved: [] },
      { check: 'bimi', recordsAdded: ['v=BIMI1; l=;'], recordsRemoved: [] },
    ]);
  });

  test('shows sentences to people and finding ids to programs', () => {
    const domain = monitoredDomain();
    domain.runAfter(0, perfect);
    const hosts = ['a', 'b', 'c', 'd', 'e'].map((host) => `${host}.example.org`);
    const findings = hosts.map((host) => raiser(mxRules)('mx-no-address', { host }));
    const broken: CheckResults = { ...perfect, mx: { ...perfect.mx, state: 'fail', findings } };
    const alert = dnsAlert(domain.change(broken));
    expect(alert?.message).toBe(
      'New problems: The MX host a.example.org has no A or AAAA record, so senders cannot deliver to it. ' +
        'The MX host b.example.org has no A or AAAA record, so senders cannot deliver to it. ' +
        'The MX host c.example.org has no A or AAAA record, so senders cannot deliver to it. And 2 more.',
    );
    expect(alert?.metadata.findingsAdded).toEqual(
      hosts.map((host) => ({ id: 'mx-no-address', subject: host, severity: 'error', arguments: { host } })),
    );
    const solved = dnsAlert(domain.change(perfect));
    expect(solved?.metadata.findingsRemoved).toEqual(alert?.metadata.findingsAdded);
  });

  test('that no second source confirms is a warning, and says so', () => {
    const before: MonitorState = {
      baseline: factsOf(perfectResults('sends-and-receives'), 'sends-and-receives'),
      isBelowThreshold: false,
    };
    const gone = { ...perfectResults('sends-and-receives'), spf: emptyResults().spf };
    const facts = factsOf(gone, 'sends-and-receives', (name) => name === 'spf');
    const first = nextMonitorState(before, facts, { ...context, now: new Date(0) });
    const { alerts } = nextMonitorState(first.state, facts, { ...context, now: new Date(CONFIRM) });
    const alert = alerts.find(({ type }) => type === 'dns_change');
    expect(alert?.severity).toBe('warning');
    expect(alert?.message).toContain('Only one resolver reports this');
  });

  test('that broke a check does not report hidden findings as solved', async () => {
    const policy = 'v=DMARC1; p=none';
    const [weak, broken] = await Promise.all([dmarcOf(policy), dmarcOf(policy, 'v=DMARC1; p=reject')]);
    const domain = monitoredDomain();
    domain.runAfter(0, weak);
    const broke = dnsAlert(domain.change(broken));
    expect(broke).toMatchObject({ severity: 'critical', title: 'DMARC check now fails: example.org' });
    expect(broke?.message).toMatch(/^Added: v=DMARC1; p=reject\. New problems: .* has 2 DMARC records/);
    expect(broke?.message).not.toContain('solved');
    expect(broke?.metadata.findingsRemoved).toEqual([]);
    const [before, after] = [weak, broken].map((results) => factsOf(results, 'sends-and-receives'));
    const { changes } = differenceFrom(
      { facts: before as CheckRunFacts, scoreBefore: null },
      after as CheckRunFacts,
    );
    expect(changes).toMatchObject([{ check: 'dmarc', findingsAdded: [{}], findingsRemoved: [] }]);

    const fixed = dnsAlert(domain.change(weak));
    expect(fixed).toMatchObject({
      severity: 'info',
      title: 'DMARC improved, with problems left: example.org',
    });
    expect(fixed?.message).toMatch(
      / Problems found: .* no rua tag.* Resolved problems: .* has 2 DMARC records/,
    );
  });

  test('that removed a broken record does not report its findings as solved', () => {
    const { spf: absent } = emptyResults();
    const findings = [raiser(spfRules)('spf-too-many-lookups', { count: 11 })];
    const domain = monitoredDomain();
    domain.day({ ...perfect, spf: { ...perfect.spf, state: 'fail', valid: false, findings } });
    const alert = dnsAlert(domain.change({ ...perfect, spf: absent }));
    expect(alert).toMatchObject({ severity: 'warning', title: 'SPF changed: example.org' });
    expect(alert?.message).not.toContain('solved');
  });

  test('that leaves a check broken still reports what was solved', () => {
    const errors = ['a', 'b'].map((host) =>
      raiser(mxRules)('mx-no-address', { host: `${host}.example.org` }),
    );
    const broken = (findings: readonly Finding[]): CheckResults => ({
      ...perfect,
      mx: { ...perfect.mx, state: 'fail', findings },
    });
    const domain = monitoredDomain();
    domain.runAfter(0, broken(errors));
    const alert = dnsAlert(domain.change(broken(errors.slice(1))));
    expect(alert).toMatchObject({
      severity: 'info',
      message:
        'Resolved problems: The MX host a.example.org has no A or AAAA record, so senders cannot deliver to it.',
    });
  });

  test('that leaves no record is described by its states', () => {
    const { mtaSts } = perfect;
    const findings = [raiser(mtaStsRules)('mta-sts-multiple-records', { count: 2 })];
    const domain = monitoredDomain();
    domain.runAfter(0, { ...perfect, mtaSts: { ...mtaSts, state: 'fail', findings } });
    const notices = { ...perfect, mtaSts: { ...mtaSts, state: 'not-applicable' as const } };
    const alert = dnsAlert(domain.change(notices));
    expect(alert?.message).toBe('The state of the check changed from fail to not-applicable.');
  });

  test('is detected by the identity of a finding, not by its other arguments', () => {
    const domain = monitoredDomain();
    domain.day(flawed(dangling));
    expect(
      domain.day(flawed({ ...dangling, arguments: { ...dangling.arguments, owner: 'other.example' } })),
    ).toEqual([]);
    const other = raiser(mxRules)('mx-dangling', { host: 'mx2.example.org', owner: 'example.org' });
    expect(domain.day(flawed(other))).toEqual(['dns_change critical mx']);
    expect(domain.day(perfect)).toEqual(['dns_change info mx']);
  });

  test('is not detected for rules added by a new release', () => {
    const results = flawed(dangling);
    const facts = factsOf(results, 'sends-and-receives');
    const [earlier, now] = [factsOf(perfect, 'sends-and-receives'), new Date('2026-01-06')];
    const baseline = { ...earlier, rules: 'others', score: 80, grade: 'B' as const };
    const step = nextMonitorState({ baseline, isBelowThreshold: false }, facts, { ...context, now });
    expect(step).toMatchObject({
      alerts: [],
      needsConfirmation: false,
      state: { baseline: { rules: facts.rules } },
    });
    const repaired = nextMonitorState(step.state, earlier, { ...context, now });
    expect(repaired.state.pending?.runs).toBe(1);
  });

  test('is not detected for a new severity or alert of a rule: it makes another version of the rules', () => {
    const { 'spf-ptr': known, ...others } = spfRules;
    expect(versionOf({ ...others, 'spf-ptr': known })).toBe(versionOf(spfRules));
    for (const change of [{ severity: 'error' }, { raisesAlert: true }] as const)
      expect(versionOf({ ...others, 'spf-ptr': { ...known, ...change } })).not.toBe(versionOf(spfRules));
  });

  test('is not detected for notices or for failed lookups', () => {
    const domain = monitoredDomain();
    domain.day(perfect);
    const failedLookup = raiser(mtaStsRules)('mta-sts-mx-unavailable', { reason: 'timeout' });
    expect(domain.day(flawed(raiser(mxRules)('mx-missing')))).toEqual([]);
    expect(domain.day(flawed(failedLookup))).toEqual([]);
  });

  test('is detected for records even if their hosts can never be reached', () => {
    const domain = monitoredDomain();
    const failedLookup = (exchange: string): CheckResults => ({
      ...perfect,
      mx: {
        ...perfect.mx,
        state: 'unknown',
        records: [{ priority: 10, exchange }],
        findings: [raiser(mxRules)('mx-none-asked')],
      },
    });
    domain.day(failedLookup('mx1.example.org'));
    expect(domain.day(failedLookup('mx1.example.net'))).toEqual(['dns_change warning mx']);
  });
});

describe('the issuer of an MX certificate', () => {
  const hosts = (...issuers: (string | null | undefined)[]): CheckResults => ({
    ...perfect,
    mx: {
      ...perfect.mx,
      hosts: issuers.map((issuer, at) =>
        mxHost(`mx${at + 1}.example.org`, 10, issuer === undefined ? {} : { certificateIssuer: issuer }),
      ),
    },
  });

  test('raises one alert when another CA issued it, and none about the first one', () => {
    const domain = monitoredDomain();
    domain.day(hosts(undefined, 'Example CA'));
    expect(domain.day(hosts('Example CA', 'Example CA'))).toEqual([]);
    expect(domain.runAfter(DAY, hosts('Other CA', 'Example CA'))).toMatchObject({
      alerts: [],
      needsConfirmation: true,
    });
    expect(domain.runAfter(CONFIRM, hosts('Other CA', 'Example CA')).alerts).toEqual([
      expect.objectContaining({
        type: 'certificate_issuer_change',
        severity: 'info',
        title: 'Certificate issuer of mx1.example.org changed: example.org',
        metadata: { host: 'mx1.example.org', previousIssuers: ['Example CA'], newIssuers: ['Other CA'] },
      }),
    ]);
    expect(domain.day(hosts('Other CA', 'Example CA'))).toEqual([]);
  });

  test('needs a second run that agrees', () => {
    const domain = monitoredDomain();
    domain.day(hosts('Example CA'));
    domain.runAfter(DAY, hosts('Other CA'));
    expect(domain.runAfter(CONFIRM, hosts('Example CA')).alerts).toEqual([]);
    domain.runAfter(DAY, hosts('Other CA'));
    expect(domain.runAfter(CONFIRM, hosts('Third CA')).alerts).toEqual([]);
  });

  test('is not changed by a failed lookup, or by one address of a host that does not answer', () => {
    const domain = monitoredDomain();
    const twice = (...issuers: (string | null)[]): CheckResults => ({
      ...perfect,
      mx: {
        ...perfect.mx,
        hosts: issuers.map((certificateIssuer) => mxHost('mx1.example.org', 10, { certificateIssuer })),
      },
    });
    domain.day(twice('Example CA', 'Old CA'));
    expect(domain.day(twice(null, null))).toEqual([]);
    expect(domain.day(twice(null, 'Old CA'))).toEqual([]);
    expect(domain.day(unreachable('mx'))).toEqual([]);
    for (let day = 0; day < 4; day += 1) domain.day(unreachable('mx'));
    expect(domain.day(twice('Other CA', 'Other CA'))).toEqual(['certificate_issuer_change info']);
  });

  test('is known apart for hosts that are named like a property of every object', () => {
    const domain = monitoredDomain();
    const named = (certificateIssuer: string): CheckResults => ({
      ...perfect,
      mx: { ...perfect.mx, hosts: [mxHost('constructor', 10, { certificateIssuer })] },
    });
    domain.day(named('Example CA'));
    expect(domain.day(named('Other CA'))).toEqual(['certificate_issuer_change info']);
  });

  test('is first seen by a release that did not store it before', () => {
    const { observed: _observed, ...baseline } = factsOf(hosts('Example CA'), 'sends-and-receives');
    const facts = factsOf(hosts('Other CA'), 'sends-and-receives');
    const now = new Date();
    const step = nextMonitorState({ baseline, isBelowThreshold: false }, facts, { ...context, now });
    expect(step).toMatchObject({
      alerts: [],
      needsConfirmation: false,
      state: { baseline: { observed: facts.observed } },
    });
  });
});

describe('the score', () => {
  test('raises an alert after small steps that add up', () => {
    const domain = monitoredDomain();
    domain.day(perfect);
    expect(domain.day(without('bimi'))).toEqual(['dns_change warning bimi']);
    expect(domain.day(without('bimi', 'dnssec'))).toEqual([
      'dns_change critical dnssec',
      'score_change warning',
    ]);
  });

  test('raises no alert if only the usage type or the known components changed', () => {
    const domain = monitoredDomain();
    domain.day(without('mtaSts', 'tlsRpt'));
    expect(domain.day(without('mtaSts', 'tlsRpt'), 'sends-only')).toEqual([]);
  });

  test('crosses the threshold once in each direction, never on the first check run', () => {
    const domain = monitoredDomain('sends-and-receives', 95);
    expect(domain.day(without('dnssec'))).toEqual([]);
    expect(domain.day(perfect)).toContain('score_threshold info');
    expect(domain.day(without('dnssec'))).toContain('score_threshold warning');
    expect(domain.day(without('dnssec'))).toEqual([]);
  });

  test('is not compared with a baseline score that rests on more results', () => {
    const domain = monitoredDomain();
    domain.day(softfail);
    for (let day = 0; day < 6; day += 1) {
      expect(domain.day({ ...softfail, dmarc: unknownResults().dmarc })).toEqual([]);
    }
  });
});
