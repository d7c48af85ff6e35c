import { describe, expect, test } from '@jest/globals';
import type { BlocklistRole } from '../../../shared/mail-test/blocklist-zones.ts';
import { inspectBlocklists } from '../../../shared/mail-test/blocklists.ts';
import type { Facts } from '../../../shared/mail-test/facts.ts';
import { rules, scoreLines, spamScore, verdictOf } from '../../../shared/mail-test/rules.ts';
import type { AlignedSignature } from '../../../shared/protocol/message/evaluate.ts';
import { zone } from '../../kit/zone.ts';

/** The table of the interface specification. */
const SPECIFIED: readonly (readonly [string, number])[] = [
  ['SPF_PASS', -0.2],
  ['SPF_SOFTFAIL', 1],
  ['SPF_FAIL', 6],
  ['SPF_PERMERROR', 1.5],
  ['SPF_TEMPERROR', 1],
  ['DKIM_VALID', -0.5],
  ['DKIM_INVALID', 6],
  ['DMARC_PASS', -0.5],
  ['DMARC_FAIL_REJECT', 2],
  ['DMARC_FAIL_QUARANTINE', 1],
  ['DMARC_FAIL_NONE', 0.5],
  ['PTR_MISSING', 2],
  ['PTR_MISMATCH', 1.5],
  ['PTR_VALID', -0.1],
  ['MX_NONE', 2],
  ['MX_INVALID', 1],
  ['BLOCKLIST_COMBINED', 8],
  ['BLOCKLIST_OPENRELAY', 5],
  ['BLOCKLIST_REPUTATION', 5],
  ['BLOCKLIST_USERREPORTED', 4],
  ['MISSING_MID', 1],
  ['MISSING_DATE', 0.5],
  ['DATE_IN_FUTURE', 2],
];

test('The rules and their scores are those of the specification', () => {
  expect(Object.entries(rules).map(([id, { score }]) => [id, score])).toEqual(SPECIFIED);
});

test.each(Object.entries(rules))(
  '%s is explained, and says what to do where something is wrong',
  (_id, rule) => {
    expect(rule.explanation).toMatch(/\.$/);
    expect(rule.fix === null).toBe(rule.score < 0);
  },
);

/** A message of which nothing adds to or takes from the score. */
const nothing: Facts = {
  spf: {
    result: 'none',
    domain: 'example.org',
    ip: '192.0.2.7',
    helo: 'mail.example.org',
    mailFrom: 'a@example.org',
    matched: null,
    problem: null,
    explanation: null,
    lookups: 0,
    aligned: true,
  },
  dkim: { valid: false, signatures: [], more: 0 },
  dmarc: {
    result: 'none',
    policy: null,
    domain: 'example.org',
    recordDomain: null,
    record: null,
    modes: null,
    spfAligned: false,
    dkimAligned: false,
    reason: 'no-record',
  },
  reverseDns: { status: 'unknown', record: null, names: [], confirmed: false, helo: null },
  senderMx: { domain: 'example.org', status: 'valid', records: [], problem: null },
  blocklists: { listed: 0, results: [] },
  headers: { messageId: '<a@example.org>', date: '2026-01-01T00:00:00.000Z', dateStatus: 'valid' },
};

const spf = (result: Facts['spf']['result']) => ({ spf: { ...nothing.spf, result } });
const dmarc = (result: Facts['dmarc']['result'], policy: Facts['dmarc']['policy']) => ({
  dmarc: { ...nothing.dmarc, result, policy },
});
const reverseDns = (status: Facts['reverseDns']['status']) => ({
  reverseDns: { ...nothing.reverseDns, status },
});
const senderMx = (status: Facts['senderMx']['status']) => ({ senderMx: { ...nothing.senderMx, status } });
const headers = (how: Partial<Facts['headers']>) => ({ headers: { ...nothing.headers, ...how } });
const signatures = (...verdicts: Partial<AlignedSignature>[]) => ({
  dkim: { ...nothing.dkim, signatures: verdicts as AlignedSignature[] },
});

describe('A rule applies', () => {
  test.each<[string, Partial<Facts>, readonly string[]]>([
    ['never to what says nothing', {}, []],
    ['to SPF that passes', spf('pass'), ['SPF_PASS']],
    ['to SPF that softly fails', spf('softfail'), ['SPF_SOFTFAIL']],
    ['to SPF that fails', spf('fail'), ['SPF_FAIL']],
    ['to an SPF record that is broken', spf('permerror'), ['SPF_PERMERROR']],
    ['to SPF that could not be evaluated', spf('temperror'), ['SPF_TEMPERROR']],
    ['not to neutral SPF', spf('neutral'), []],
    [
      'to each valid signature',
      signatures({ verdict: 'pass' }, { verdict: 'pass' }),
      ['DKIM_VALID', 'DKIM_VALID'],
    ],
    [
      'once to a valid signature and its copies',
      signatures({ verdict: 'pass', duplicate: false }, { verdict: 'pass', duplicate: true }),
      ['DKIM_VALID'],
    ],
    [
      'once to invalid signatures',
      signatures({ verdict: 'fail' }, { verdict: 'neutral' }, { verdict: 'policy' }),
      ['DKIM_INVALID'],
    ],
    [
      'to a valid signature beside an invalid one',
      signatures({ verdict: 'pass' }, { verdict: 'fail' }),
      ['DKIM_VALID', 'DKIM_INVALID'],
    ],
    ['not to a signature whose key could not be asked for', signatures({ verdict: 'temperror' }), []],
    ['not to a signature that was not looked at', signatures({ verdict: 'not-checked' }), []],
    ['not to a failure of a key under test', signatures({ verdict: 'fail', testing: true }), []],
    ['to DMARC that passes', dmarc('pass', 'reject'), ['DMARC_PASS']],
    ['to a failure that asks for rejection', dmarc('fail', 'reject'), ['DMARC_FAIL_REJECT']],
    ['to a failure that asks for quarantine', dmarc('fail', 'quarantine'), ['DMARC_FAIL_QUARANTINE']],
    ['to a failure that asks for nothing', dmarc('fail', 'none'), ['DMARC_FAIL_NONE']],
    ['to a failure of two From fields without a policy', dmarc('fail', null), ['DMARC_FAIL_NONE']],
    ['not to DMARC that could not be evaluated', dmarc('temperror', 'reject'), []],
    ['not to DMARC that is broken', dmarc('permerror', null), []],
    ['to a missing reverse name', reverseDns('missing'), ['PTR_MISSING']],
    ['to a reverse name that does not fit', reverseDns('mismatch'), ['PTR_MISMATCH']],
    ['to a reverse name that fits', reverseDns('valid'), ['PTR_VALID']],
    ['to a sender domain without MX', senderMx('none'), ['MX_NONE']],
    ['to a sender domain with a broken MX', senderMx('invalid'), ['MX_INVALID']],
    ['not to a sender domain of which nobody knows', senderMx('unknown'), []],
    ['to a missing Message-ID', headers({ messageId: null }), ['MISSING_MID']],
    ['to a missing Date', headers({ dateStatus: 'missing' }), ['MISSING_DATE']],
    ['to a Date in the future', headers({ dateStatus: 'future' }), ['DATE_IN_FUTURE']],
    ['not to a Date that cannot be read', headers({ dateStatus: 'unreadable' }), []],
  ])('%s', (_what, facts, expected) => {
    expect(scoreLines({ ...nothing, ...facts }).map(({ rule }) => rule)).toEqual(expected);
  });

  test.each<[BlocklistRole, string]>([
    ['combined', 'BLOCKLIST_COMBINED'],
    ['openrelay', 'BLOCKLIST_OPENRELAY'],
    ['reputation', 'BLOCKLIST_REPUTATION'],
    ['userreported', 'BLOCKLIST_USERREPORTED'],
  ])('to a listing on the %s list, and not to a refusal', async (role, rule) => {
    const on = (code: string) =>
      inspectBlocklists(
        '192.0.2.7',
        new Map([[role, 'l.example']]),
        zone({ '7.2.0.192.l.example': { A: [code] } }),
      );
    const applied = async (code: string) =>
      scoreLines({ ...nothing, blocklists: await on(code) }).map((line) => line.rule);
    expect(await applied('127.0.0.3')).toEqual([rule]);
    expect(await applied('127.255.255.254')).toEqual([]);
  });
});

describe('The score', () => {
  test('is the exact sum of its lines', () => {
    expect(spamScore([])).toBe(0);
    expect(spamScore([{ score: -0.2 }, { score: -0.1 }])).toBe(-0.3);
    expect(spamScore(Array.from({ length: 3 }, () => ({ score: 0.1 })))).toBe(0.3);
  });

  test.each([
    [-1.3, 'ham'],
    [0, 'ham'],
    [2.9, 'ham'],
    [3, 'probable-spam'],
    [5.9, 'probable-spam'],
    [6, 'spam'],
    [9.9, 'spam'],
    [10, 'high-spam'],
    [31.5, 'high-spam'],
  ])('%p is %s: a boundary belongs to the higher range', (score, verdict) => {
    expect(verdictOf(score)).toBe(verdict);
  });
});
