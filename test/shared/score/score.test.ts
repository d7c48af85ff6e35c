import { describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import type { UsageType } from '../../../shared/checks/state.ts';
import { computeScore, gradeOf, notChecked } from '../../../shared/score/score.ts';
import {
  dkimKey,
  emptyResults,
  mxHost,
  mxResult,
  nullMxResult,
  perfectResults,
  spfResult,
  unknownResults,
  usageTypes,
} from '../../kit/results.ts';

const both = 'sends-and-receives';
const perfect = perfectResults(both);
const empty = emptyResults();
const unknown = unknownResults();

/** The records are known, and port 25 cannot be dialled from here: TLS is unknown. */
const portBlocked = mxResult({ state: 'unknown', tlsSupported: null, emailReceptionCapability: null });

function partOf(results: CheckResults, usage: UsageType, component: string) {
  return computeScore(results, usage).components.find((one) => one.component === component);
}

describe('the range of scores', () => {
  test.each(usageTypes)('a fully configured %s domain scores 100, A, with nothing to gain', (usage) => {
    const score = computeScore(perfectResults(usage), usage);
    expect(score).toMatchObject({
      score: 100,
      grade: 'A',
      label: 'Excellent',
      usageType: usage,
      confidence: 1,
    });
    for (const one of score.components)
      expect(one).toMatchObject({ gain: 0, points: one.maximum, todo: null });
    expect(score.message).toBeUndefined();
  });

  test('one bad key among 500 costs too little to round down from 100, and yet 100 is not shown', () => {
    const keys = Array.from({ length: 500 }, (_, index) => dkimKey(`s${index}`, { valid: index > 0 }));
    expect(computeScore({ ...perfect, dkim: { ...perfect.dkim, selectors: keys } }, both).score).toBe(99);
  });

  test.each<[UsageType, number]>([
    ['sends-and-receives', 0],
    ['receives-only', 0],
    ['sends-only', 0],
    ['parked', 8], // no MX at all: half of 10 of 60 points
  ])('a %s domain without any records scores %i', (usage, score) => {
    expect(computeScore(empty, usage)).toMatchObject({ score, grade: 'F', label: 'Critical', confidence: 1 });
  });
});

describe('the components that count for each usage type', () => {
  const dmarc = (changes: Partial<CheckResults['dmarc']>) => ({ dmarc: { ...perfect.dmarc, ...changes } });
  const mx = (changes: Parameters<typeof mxResult>[0]) => ({ mx: mxResult(changes) });
  const noTls = mx({ tlsSupported: false, hosts: [] });
  const oneKey = (changes: Parameters<typeof dkimKey>[1]) => ({
    dkim: { ...perfect.dkim, selectors: [dkimKey('s1', changes)] },
  });
  test.each<[string, UsageType, Partial<CheckResults>, number]>([
    ['without TLS at the MX hosts MX loses half', both, noTls, 95],
    ['~all loses nothing beside p=reject', 'sends-only', { spf: spfResult('v=spf1 mx ~all') }, 100],
    ['~all loses all of SPF without mail', 'receives-only', { spf: spfResult('v=spf1 ~all') }, 85],
    ['reports are not required of a domain that sends no mail', 'parked', dmarc({ rua: [] }), 100],
    ['quarantine is less than reject', 'receives-only', dmarc({ effectivePolicy: 'quarantine' }), 80],
    ['quarantine is less than reject', 'parked', dmarc({ effectivePolicy: 'quarantine' }), 58],
    ['a weak key keeps half', both, oneKey({ keySize: 1024 }), 95],
    ['a weak key gets nothing if strong ones are required', 'sends-only', oneKey({ keySize: 1024 }), 80],
    ['without BIMI 10 points are lost', 'sends-only', { bimi: empty.bimi }, 90],
    ['TLS is not required for bounces', 'sends-only', noTls, 100],
    ['a host is required for bounces', 'sends-only', { mx: nullMxResult() }, 90],
    ['MX hosts on a parked domain lose 10 of 60 points', 'parked', mx({}), 83],
    ['a null MX loses points if the domain claims to receive mail', both, { mx: nullMxResult() }, 85],
    ['DKIM does not apply', 'receives-only', { dkim: empty.dkim, bimi: empty.bimi }, 100],
    ['MTA-STS does not apply', 'sends-only', { mtaSts: empty.mtaSts, tlsRpt: empty.tlsRpt }, 100],
    ['DKIM does not apply', 'parked', { dkim: empty.dkim, bimi: empty.bimi }, 100],
  ])('%s (%s)', (_title, usage, changes, score) => {
    expect(computeScore({ ...perfectResults(usage), ...changes }, usage).score).toBe(score);
  });
});

describe('a failed lookup', () => {
  test('is excluded, and the rest counts as 100', () => {
    const score = computeScore(
      { ...perfect, dnssec: unknown.dnssec, mtaSts: { ...perfect.mtaSts, policyMode: 'testing' } },
      both,
    );
    expect(score).toMatchObject({ score: 94, confidence: 0.9 }); // 85 of 90
    expect(score.components.find(({ component }) => component === 'dnssec')).toMatchObject({
      points: 0,
      maximum: 0,
      gain: 0,
      state: 'unknown',
      todo: null,
    });
  });

  test.each(usageTypes)(
    'of everything leaves a %s domain without a score, and the message says why',
    (usage) => {
      const score = computeScore(unknown, usage);
      expect(score).toMatchObject({ score: null, grade: null, label: 'Not checked', confidence: 0 });
      expect(score.message).toMatch(/None of the checks got an answer/);
    },
  );

  test.each(usageTypes)('of everything equals a %s domain on which no checks have run', (usage) => {
    const { message, components, ...known } = computeScore(unknown, usage);
    expect(notChecked(usage)).toEqual({
      ...known,
      components: components.map((one) => ({ ...one, reason: 'No checks have run yet.' })),
    });
    expect(message).toBeDefined();
  });

  test.each<[UsageType, number]>([
    ['sends-and-receives', 0.9],
    ['receives-only', 0.83],
    ['sends-only', 1],
  ])('of port 25 and TLSA leaves a perfect %s domain at 100, with confidence %d', (usage, confidence) => {
    const mx = { ...portBlocked, daneSupported: null };
    expect(computeScore({ ...perfectResults(usage), mx }, usage)).toMatchObject({ score: 100, confidence });
  });

  test('of port 25 leaves the MX records to count alone', () => {
    expect(partOf({ ...empty, mx: portBlocked }, both, 'mx')).toMatchObject({
      points: 5,
      maximum: 5,
      gain: 0,
      state: 'unknown',
      reason: 'The MX records are valid. Not all MX hosts could be checked for TLS support.',
    });
  });

  test('is not assumed for an older result that the caller kept', () => {
    const dnssec = { ...perfect.dnssec, asOf: '2025-01-01T00:00:00Z' };
    expect(computeScore({ ...perfect, dnssec }, both)).toMatchObject({ score: 100, confidence: 1 });
  });
});

describe('components', () => {
  test('are sorted by gain, then by weight', () => {
    const results = { ...perfect, spf: spfResult('v=spf1 ~all'), bimi: empty.bimi, dmarc: empty.dmarc };
    expect(computeScore(results, both).components.map(({ component, gain }) => [component, gain])).toEqual([
      ['dmarc', 25],
      ['spf', 5],
      ['bimi', 5],
      ['mx', 0],
      ['dkim', 0],
      ['mtaSts', 0],
      ['tlsRpt', 0],
      ['dnssec', 0],
      ['dane', 0],
    ]);
  });

  test('have earned points on the scale of the table and gains on the scale of the score', () => {
    expect(partOf({ ...perfectResults('parked'), mx: empty.mx }, 'parked', 'mx')).toEqual({
      component: 'mx',
      points: 5,
      maximum: 10,
      gain: 8.3,
      state: 'absent',
      reason: 'There are no MX records, so senders try the address of the domain (RFC 5321 section 5.1).',
      todo: 'Publish a null MX, "MX 0 ." (RFC 7505).',
    });
  });

  test('name every shortcoming and every remedy', () => {
    const dmarc = { ...perfect.dmarc, effectivePolicy: 'quarantine', rua: [] } as const;
    expect(partOf({ ...perfect, dmarc }, both, 'dmarc')).toMatchObject({
      points: 12,
      reason:
        'There is no rua tag, so no aggregate reports are sent. The DMARC policy asks receivers to quarantine forged mail, not to reject it.',
      todo: 'Add a rua tag with a report address to the DMARC record. Read your DMARC reports for at least a month first. If they show that all your legitimate mail passes, you can raise the policy to p=reject, unless users of the domain write to mailing lists (RFC 9989 section 7.4).',
    });
  });

  test('name a shortcoming with several reasons once', () => {
    expect(partOf(empty, both, 'dmarc')).toMatchObject({
      reason: 'There is no DMARC record.',
      todo: 'Publish a DMARC record with p=none and a report address at _dmarc (RFC 9989).',
    });
  });

  test.each<[boolean | null, string]>([
    [true, 'pass'],
    [false, 'absent'],
    [null, 'unknown'],
  ])('include DANE with its own state: support %s is %s', (daneSupported, state) => {
    expect(partOf({ ...perfect, mx: mxResult({ daneSupported }) }, both, 'dane')?.state).toBe(state);
  });

  test.each<[string, UsageType, Partial<CheckResults>, 'mx' | 'spf' | 'dmarc', string]>([
    ['a null MX of a domain that receives mail', both, { mx: nullMxResult() }, 'mx', 'fail'],
    ['a null MX of a parked domain', 'parked', { mx: nullMxResult() }, 'mx', 'pass'],
    ['MX hosts of a parked domain', 'parked', { mx: mxResult() }, 'mx', 'fail'],
    ['~all of a parked domain', 'parked', { spf: spfResult('v=spf1 ~all') }, 'spf', 'fail'],
    ['~all of a domain that sends mail', both, { spf: spfResult('v=spf1 ~all') }, 'spf', 'pass'],
  ])(
    'fail if what the check found does not fit the usage type: %s',
    (_, usage, changes, component, state) => {
      expect(partOf({ ...perfectResults(usage), ...changes }, usage, component)?.state).toBe(state);
    },
  );
});

describe('grades', () => {
  test.each<[number, string, string]>([
    [100, 'A', 'Excellent'],
    [90, 'A', 'Excellent'],
    [89, 'B', 'Good'],
    [80, 'B', 'Good'],
    [79, 'C', 'Fair'],
    [70, 'C', 'Fair'],
    [69, 'D', 'Poor'],
    [60, 'D', 'Poor'],
    [59, 'F', 'Critical'],
    [0, 'F', 'Critical'],
  ])('have boundaries: %i is %s, %s', (score, grade, label) => {
    expect(gradeOf(score)).toEqual({ grade, label });
  });

  test('use a score with halves rounded up', () => {
    const tls = [true, true, true, false, false, false, false, false, false, false];
    const hosts = tls.map((tlsSupported, index) => mxHost(`mx${index}.example.org`, 10, { tlsSupported }));
    const mx = mxResult({ tlsSupported: false, hosts });
    expect(computeScore({ ...perfect, mx }, both).score).toBe(97); // 5 + 1.5 of 10: 96.5
  });
});

describe('the breakdown', () => {
  test('has the fields of the specification', () => {
    expect(computeScore(perfect, both).breakdown).toEqual({
      mx: { configured: true, tlsSupported: true, daneSupported: true },
      spf: { valid: true, policy: '-all' },
      dkim: { configured: true, validSelectors: 1, totalSelectors: 1 },
      dmarc: { valid: true, policy: 'reject', reportingConfigured: true },
      mtaSts: { valid: true, mode: 'enforce' },
      tlsRpt: { valid: true, reportingConfigured: true },
      bimi: { configured: true, logoValid: true },
      dnssec: { enabled: true, valid: true },
    });
  });

  test.each([
    ['is false for what does not exist', empty, false],
    ['is null for failed lookups', unknown, null],
  ])('%s', (_title, results, none) => {
    const { breakdown } = computeScore(results, both);
    const { mx, spf, dkim, dmarc, mtaSts, ...others } = breakdown;
    expect(new Set([mx, ...Object.values(others)].flatMap((one) => Object.values(one)))).toEqual(
      new Set([none]),
    );
    expect(dkim).toEqual({ configured: none, validSelectors: 0, totalSelectors: 0 });
    expect([spf, dmarc.policy, mtaSts.mode]).toEqual([{ valid: none, policy: null }, null, null]);
    expect([dmarc.valid, dmarc.reportingConfigured, mtaSts.valid]).toEqual([none, none, none]);
  });

  test('excludes revoked keys and keys whose lookup failed', () => {
    const selectors = [
      dkimKey('good'),
      dkimKey('bad', { valid: false }),
      dkimKey('old', { valid: false, revoked: true }),
      dkimKey('lost', { valid: false, state: 'unknown' }),
    ];
    const { breakdown } = computeScore({ ...perfect, dkim: { ...perfect.dkim, selectors } }, both);
    expect(breakdown.dkim).toEqual({ configured: true, validSelectors: 1, totalSelectors: 2 });
  });

  test('shows reports as requested only if they can be sent', () => {
    const dmarc = { ...perfect.dmarc, rua: ['https://example.org/x', 'mailto:'] };
    const { breakdown } = computeScore({ ...perfect, dmarc }, both);
    expect(breakdown.dmarc.reportingConfigured).toBe(false);
  });

  test('does not show a record that declines BIMI as BIMI', () => {
    const bimi = { ...empty.bimi, record: 'v=BIMI1; l=; a=' };
    expect(computeScore({ ...perfect, bimi }, both).breakdown.bimi.configured).toBe(false);
  });
});
