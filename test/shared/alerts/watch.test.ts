import { describe, expect, test } from '@jest/globals';
import type { AlertDraft } from '../../../shared/alerts/alert.ts';
import { type Facts, factsOf } from '../../../shared/alerts/facts.ts';
import { differenceFrom } from '../../../shared/alerts/history.ts';
import { type Step, type Watch, watchStep } from '../../../shared/alerts/watch.ts';
import { inspectDmarc } from '../../../shared/checks/dmarc.ts';
import { keepLastKnown } from '../../../shared/checks/last-known.ts';
import type { CheckResults, UsageType } from '../../../shared/checks/results.ts';
import { type Finding, raiser } from '../../../shared/protocol/findings/finding.ts';
import { mtaStsRules } from '../../../shared/protocol/findings/mta-sts.ts';
import { mxRules } from '../../../shared/protocol/findings/mx.ts';
import { spfRules } from '../../../shared/protocol/findings/spf.ts';
import { dkimKey, emptyResults, perfectResults, spfResult, unknownResults } from '../../kit/results.ts';
import { zone } from '../../kit/zone.ts';

const CONFIRM = 60_000;
const DAY = 86_400_000;

/** A domain on a clock of its own: looks at it, as the worker takes them, and what they lead to. */
function domainUnderWatch(usage: UsageType = 'sends-and-receives', threshold = 70) {
  let now = Date.parse('2026-01-05T00:00:00.000Z');
  let watch: Watch | undefined;
  let kept: { checkedAt: string; results: CheckResults } | undefined;
  const look = (results: CheckResults, usageNow = usage) => {
    const at = new Date(now);
    kept = { checkedAt: at.toISOString(), results: keepLastKnown(results, kept, at) };
    // What is stored is JSON.
    const step = watchStep(watch, factsOf(kept.results, usageNow), {
      domain: 'example.org',
      now: at,
      threshold,
      confirmAfterMilliseconds: CONFIRM,
    });
    watch = JSON.parse(JSON.stringify(step.watch));
    return step;
  };
  return {
    /** A single look after some time. */
    lookAfter(milliseconds: number, results: CheckResults, usageNow?: UsageType) {
      now += milliseconds;
      return look(results, usageNow);
    },
    /** A check by schedule, and the second looks that it asks for, all of which see the same. */
    day(results: CheckResults, usageNow?: UsageType): string[] {
      now += DAY;
      let step = look(results, usageNow);
      const told = [...step.alerts];
      for (let looks = 0; step.lookAgain; looks += 1) {
        if (looks > 5) throw new Error('looks without end');
        now += CONFIRM;
        step = look(results, usageNow);
        told.push(...step.alerts);
      }
      return told.map(brief);
    },
  };
}

const brief = ({ type, severity, metadata }: AlertDraft): string =>
  [type, severity, metadata.check ?? ''].join(' ').trim();

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
/** Results with DMARC as the check finds it where these records stand. */
const dmarcOf = async (...records: readonly string[]): Promise<CheckResults> => {
  const dns = zone({ 'example.org': { A: ['192.0.2.1'] }, '_dmarc.example.org': { TXT: records } });
  return { ...perfect, dmarc: await inspectDmarc('example.org', { dns }) };
};
const dnsAlert = ({ alerts }: Step) => alerts.find(({ type }) => type === 'dns_change');
const dangling = raiser(mxRules)('mx-dangling', { host: 'mx1.example.org' });

describe('a domain that is walked through', () => {
  test('weakening, more weakening and repair is told of each once', () => {
    const domain = domainUnderWatch();
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

  test('an outage is told nothing, however long, and afterwards only what really changed', () => {
    const domain = domainUnderWatch();
    domain.day(perfect);
    for (let day = 0; day < 10; day += 1) expect(domain.day(unknownResults())).toEqual([]);
    expect(domain.day(perfect)).toEqual([]);
    for (let day = 0; day < 10; day += 1) expect(domain.day(unreachable('dmarc', 'mx'))).toEqual([]);
    expect(domain.day(otherInclude)).toEqual(['dns_change warning spf']);
  });

  test('a change during an outage of something else is told', () => {
    const domain = domainUnderWatch();
    domain.day(perfect);
    expect(domain.day({ ...unreachable('mx'), dmarc: emptyResults().dmarc })).toEqual([
      'dns_change critical dmarc',
      'score_change critical',
    ]);
  });

  test('flapping between two looks is told nothing', () => {
    const domain = domainUnderWatch();
    domain.lookAfter(0, perfect);
    for (let day = 0; day < 5; day += 1) {
      expect(domain.lookAfter(DAY, without('spf'))).toMatchObject({ alerts: [], lookAgain: true });
      expect(domain.lookAfter(CONFIRM, perfect)).toMatchObject({ alerts: [], lookAgain: false });
    }
  });

  test('something else at every look is left alone after three, until the next check by schedule', () => {
    const domain = domainUnderWatch();
    const variants = ['a', 'b', 'c', 'd'].map((name) => ({
      ...perfect,
      spf: spfResult(`v=spf1 include:${name}.example.net -all`),
    }));
    const [a, b, c, d] = variants as [CheckResults, CheckResults, CheckResults, CheckResults];
    domain.lookAfter(0, perfect);
    expect(domain.lookAfter(DAY, a).lookAgain).toBe(true);
    // That the record of the first day is gone, two looks agree on; by what it was replaced, they do not.
    expect(domain.lookAfter(CONFIRM, b).alerts.map(brief)).toEqual(['dns_change warning spf']);
    expect(domain.lookAfter(CONFIRM, c)).toMatchObject({ alerts: [], lookAgain: true });
    expect(domain.lookAfter(CONFIRM, d)).toMatchObject({ alerts: [], lookAgain: false });
    expect(domain.day(d).at(0)).toBe('dns_change warning spf');
  });

  test('flapping for days, each state for longer than a look, is told each time, by its severity', () => {
    const domain = domainUnderWatch();
    domain.day(perfect);
    expect(domain.day(without('mtaSts'))[0]).toBe('dns_change critical mtaSts');
    expect(domain.day(perfect)[0]).toBe('dns_change info mtaSts');
    expect(domain.day(without('mtaSts'))[0]).toBe('dns_change critical mtaSts');
  });
});

describe('a second look', () => {
  test('does not count right after the first: both could have seen the same moment', () => {
    const domain = domainUnderWatch();
    domain.lookAfter(0, perfect);
    expect(domain.lookAfter(DAY, softfail)).toMatchObject({ alerts: [], lookAgain: true });
    expect(domain.lookAfter(1_000, softfail)).toMatchObject({ alerts: [], lookAgain: false });
    expect(domain.lookAfter(CONFIRM - 1_000, softfail).alerts.map(brief)).toContain('dns_change warning spf');
  });

  test('that was lost is made up for by the next check', () => {
    const domain = domainUnderWatch();
    domain.lookAfter(0, perfect);
    domain.lookAfter(DAY, softfail);
    expect(domain.lookAfter(DAY, softfail).alerts.map(brief)).toContain('dns_change warning spf');
  });

  test('tells what both saw, and asks for a third where there is more', () => {
    const domain = domainUnderWatch();
    domain.lookAfter(0, perfect);
    domain.lookAfter(DAY, otherInclude);
    const second = domain.lookAfter(CONFIRM, { ...otherInclude, mx: flawed(dangling).mx });
    expect(second.alerts.map(brief)).toEqual(['dns_change warning spf']);
    expect(second.lookAgain).toBe(true);
    const third = domain.lookAfter(CONFIRM, { ...otherInclude, mx: flawed(dangling).mx });
    expect(third.alerts.map(brief)).toEqual(['dns_change warning mx']);
    expect(third.lookAgain).toBe(false);
  });
});

describe('a change of the DNS', () => {
  test('names records and findings that came and went', () => {
    const domain = domainUnderWatch();
    domain.lookAfter(0, perfect);
    domain.lookAfter(DAY, otherInclude);
    const [alert] = domain.lookAfter(CONFIRM, otherInclude).alerts;
    expect(alert).toMatchObject({
      title: 'SPF of example.org changed',
      message:
        'No longer published: v=spf1 include:_spf.example.net -all. Now published: v=spf1 include:_spf.example.com -all.',
      metadata: {
        check: 'spf',
        recordsAdded: ['v=spf1 include:_spf.example.com -all'],
        recordsRemoved: ['v=spf1 include:_spf.example.net -all'],
        findingsAdded: [],
        omitted: 0,
      },
    });
  });

  test('names each record that comes to stand beside another, of every check', () => {
    const domain = domainUnderWatch();
    domain.lookAfter(0, perfect);
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
    domain.lookAfter(DAY, several);
    const { alerts } = domain.lookAfter(CONFIRM, several);
    const told = alerts.filter(({ type }) => type === 'dns_change').map(({ metadata }) => metadata);
    expect(told).toMatchObject([
      { check: 'spf', recordsAdded: ['v=spf1 ~all'], recordsRemoved: [] },
      { check: 'dkim', recordsAdded: ['s1: k=rsa; p='], recordsRemoved: [] },
      { check: 'dmarc', recordsAdded: ['v=DMARC1; p=none'], recordsRemoved: [] },
      { check: 'mtaSts', recordsAdded: ['v=STSv1; id=2'], recordsRemoved: [] },
      { check: 'tlsRpt', recordsAdded: ['v=TLSRPTv1; rua=mailto:b@example.org'], recordsRemoved: [] },
      { check: 'bimi', recordsAdded: ['v=BIMI1; l=;'], recordsRemoved: [] },
    ]);
  });

  test('is told people in sentences, and programs by the ids of findings', () => {
    const domain = domainUnderWatch();
    domain.lookAfter(0, perfect);
    const hosts = ['a', 'b', 'c', 'd', 'e'].map((host) => `${host}.example.org`);
    const findings = hosts.map((host) => raiser(mxRules)('mx-no-address', { host }));
    const broken: CheckResults = { ...perfect, mx: { ...perfect.mx, state: 'fail', findings } };
    domain.lookAfter(DAY, broken);
    const [alert] = domain.lookAfter(CONFIRM, broken).alerts;
    expect(alert?.message).toBe(
      'New problems: The MX host a.example.org has no address. The MX host b.example.org has no address. ' +
        'The MX host c.example.org has no address. And 2 more.',
    );
    expect(alert?.metadata.findingsAdded).toEqual(
      hosts.map((host) => ({ id: 'mx-no-address', subject: host, severity: 'error' })),
    );
    domain.lookAfter(DAY, perfect);
    const [solved] = domain.lookAfter(CONFIRM, perfect).alerts;
    expect(solved?.message).toMatch(/^Problems solved: The MX host a\.example\.org has no address\. /);
    expect(solved?.metadata.findingsRemoved).toEqual(alert?.metadata.findingsAdded);
  });

  test('that broke a check does not say that what it no longer sees was solved', async () => {
    const policy = 'v=DMARC1; p=none';
    const [weak, broken] = await Promise.all([dmarcOf(policy), dmarcOf(policy, 'v=DMARC1; p=reject')]);
    const domain = domainUnderWatch();
    domain.lookAfter(0, weak);
    domain.lookAfter(DAY, broken);
    const broke = dnsAlert(domain.lookAfter(CONFIRM, broken));
    expect(broke).toMatchObject({ severity: 'critical', title: 'DMARC of example.org broke' });
    expect(broke?.message).toMatch(
      /^Now published: v=DMARC1; p=reject\. New problems: .* holds 2 DMARC records/,
    );
    expect(broke?.message).not.toContain('solved');
    expect(broke?.metadata.findingsRemoved).toEqual([]);
    const [before, after] = [weak, broken].map((results) => factsOf(results, 'sends-and-receives'));
    const { changes } = differenceFrom({ facts: before as Facts, scoreBefore: null }, after as Facts);
    expect(changes).toMatchObject([{ check: 'dmarc', findingsAdded: [{}, {}], findingsRemoved: [] }]);

    domain.lookAfter(DAY, weak);
    const mended = dnsAlert(domain.lookAfter(CONFIRM, weak));
    expect(mended).toMatchObject({ severity: 'info', title: 'DMARC of example.org was repaired' });
    expect(mended?.message).toMatch(/ Problems found: .* none.* Problems solved: .* holds 2 DMARC records/);
  });

  test('that took a broken record away solved nothing', () => {
    const { spf: absent } = emptyResults();
    const findings = [raiser(spfRules)('spf-too-many-lookups', { count: 11 })];
    const domain = domainUnderWatch();
    domain.day({ ...perfect, spf: { ...perfect.spf, state: 'fail', valid: false, findings } });
    domain.lookAfter(DAY, { ...perfect, spf: absent });
    const alert = dnsAlert(domain.lookAfter(CONFIRM, { ...perfect, spf: absent }));
    expect(alert).toMatchObject({ severity: 'warning', title: 'SPF of example.org changed' });
    expect(alert?.message).not.toContain('solved');
  });

  test('that leaves a check broken tells what was solved all the same', () => {
    const errors = ['a', 'b'].map((host) =>
      raiser(mxRules)('mx-no-address', { host: `${host}.example.org` }),
    );
    const broken = (findings: readonly Finding[]): CheckResults => ({
      ...perfect,
      mx: { ...perfect.mx, state: 'fail', findings },
    });
    const domain = domainUnderWatch();
    domain.lookAfter(0, broken(errors));
    domain.lookAfter(DAY, broken(errors.slice(1)));
    const alert = dnsAlert(domain.lookAfter(CONFIRM, broken(errors.slice(1))));
    expect(alert).toMatchObject({
      severity: 'info',
      message: 'Problems solved: The MX host a.example.org has no address.',
    });
  });

  test('that leaves nothing to look at is told by its states', () => {
    const { mtaSts } = perfect;
    const findings = [raiser(mtaStsRules)('mta-sts-multiple-records', { count: 2 })];
    const domain = domainUnderWatch();
    domain.lookAfter(0, { ...perfect, mtaSts: { ...mtaSts, state: 'fail', findings } });
    const pointless = { ...perfect, mtaSts: { ...mtaSts, state: 'not-applicable' as const } };
    domain.lookAfter(DAY, pointless);
    const alert = dnsAlert(domain.lookAfter(CONFIRM, pointless));
    expect(alert?.message).toBe('The state was fail and is now not-applicable.');
  });

  test('against what was stored before faults had sentences is told by their ids', () => {
    const facts = factsOf(perfect, 'sends-and-receives');
    const faults = [{ id: 'mx-no-address', subject: 'a.example.org', severity: 'error' as const }];
    const told = { ...facts, checks: { ...facts.checks, mx: { ...facts.checks.mx, faults } } };
    const circumstances = { domain: 'example.org', threshold: 70, confirmAfterMilliseconds: CONFIRM };
    const first = watchStep({ told, isBelow: false }, facts, { ...circumstances, now: new Date(0) });
    const second = watchStep(first.watch, facts, { ...circumstances, now: new Date(CONFIRM) });
    expect(second.alerts).toMatchObject([{ message: 'Problems solved: mx-no-address.' }]);
  });

  test('is one by the identity of a finding, not by its wording', () => {
    const domain = domainUnderWatch();
    domain.day(flawed(dangling));
    expect(domain.day(flawed({ ...dangling, message: 'In other words.', fix: 'Otherwise.' }))).toEqual([]);
    const other = raiser(mxRules)('mx-dangling', { host: 'mx2.example.org' });
    expect(domain.day(flawed(other))).toEqual(['dns_change warning mx']);
    expect(domain.day(perfect)).toEqual(['dns_change info mx']);
  });

  test('is none by rules that a new release brought along', () => {
    const results = flawed(dangling);
    const facts = factsOf(results, 'sends-and-receives');
    const [earlier, now] = [factsOf(perfect, 'sends-and-receives'), new Date('2026-01-06')];
    const told = { ...earlier, rules: 'of an earlier release', score: 80, grade: 'B' as const };
    const circumstances = { domain: 'example.org', now, threshold: 70, confirmAfterMilliseconds: CONFIRM };
    const step = watchStep({ told, isBelow: false }, facts, circumstances);
    expect(step).toMatchObject({ alerts: [], lookAgain: false, watch: { told: { rules: facts.rules } } });
    const repaired = watchStep(step.watch, earlier, circumstances);
    expect(repaired.watch.seen?.looks).toBe(1);
  });

  test('is none by advice, or by what could not be asked', () => {
    const domain = domainUnderWatch();
    domain.day(perfect);
    const unasked = raiser(mtaStsRules)('mta-sts-mx-unavailable', { reason: 'timeout' });
    expect(domain.day(flawed(raiser(mxRules)('mx-missing')))).toEqual([]);
    expect(domain.day(flawed(unasked))).toEqual([]);
  });

  test('is told of records even where the hosts behind them can never be asked', () => {
    const domain = domainUnderWatch();
    const unasked = (exchange: string): CheckResults => ({
      ...perfect,
      mx: {
        ...perfect.mx,
        state: 'unknown',
        records: [{ priority: 10, exchange }],
        findings: [raiser(mxRules)('mx-none-asked')],
      },
    });
    domain.day(unasked('mx1.example.org'));
    expect(domain.day(unasked('mx1.example.net'))).toEqual(['dns_change warning mx']);
  });
});

describe('the score', () => {
  test('is told after small steps that add up', () => {
    const domain = domainUnderWatch();
    domain.day(perfect);
    expect(domain.day(without('bimi'))).toEqual(['dns_change critical bimi']);
    expect(domain.day(without('bimi', 'dnssec'))).toEqual([
      'dns_change critical dnssec',
      'score_change warning',
    ]);
  });

  test('is not told where only the usage, or what is known, changed', () => {
    const domain = domainUnderWatch();
    domain.day(without('mtaSts', 'tlsRpt'));
    expect(domain.day(without('mtaSts', 'tlsRpt'), 'sends-only')).toEqual([]);
  });

  test('crosses the threshold once each way, which the first look never does', () => {
    const domain = domainUnderWatch('sends-and-receives', 95);
    expect(domain.day(without('dnssec'))).toEqual([]);
    expect(domain.day(perfect)).toContain('score_threshold info');
    expect(domain.day(without('dnssec'))).toContain('score_threshold warning');
    expect(domain.day(without('dnssec'))).toEqual([]);
  });

  test('that rests on fewer answers than the one that was told is not held against it', () => {
    const domain = domainUnderWatch();
    domain.day(softfail);
    for (let day = 0; day < 6; day += 1) {
      expect(domain.day({ ...softfail, dmarc: unknownResults().dmarc })).toEqual([]);
    }
  });
});
