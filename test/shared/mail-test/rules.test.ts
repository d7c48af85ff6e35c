import { describe, expect, test } from '@jest/globals';
import type { BlocklistRole } from '../../../shared/mail-test/blocklist-zones.ts';
import { inspectBlocklists } from '../../../shared/mail-test/blocklists.ts';
import type { Facts } from '../../../shared/mail-test/facts.ts';
import { rules, scoreLines, spamScore, verdictOf } from '../../../shared/mail-test/rules.ts';
import type { AlignedSignature } from '../../../shared/protocol/message/evaluate.ts';
import { zone } from '../../kit/zone.ts';

/** The table of the specification. */
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

test('the rules and their scores match the specification', () => {
  expect(Object.entries(rules).map(([id, { score }]) => [id, score])).toEqual(SPECIFIED);
});

test.each(Object.entries(rules))('%s has an explanation, and a remedy if it reports a fault', (_id, rule) => {
  expect(rule.explanation).toMatch(/\.$/);
  expect(rule.fix === null).toBe(rule.score < 0);
});

/** Facts to which no rule applies. */
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

describe('a rule applies', () => {
  test.each<[string, Partial<Facts>, readonly string[]]>([
    ['never without facts', {}, []],
    ['to SPF pass', spf('pass'), ['SPF_PASS']],
    ['to SPF softfail', spf('softfail'), ['SPF_SOFTFAIL']],
    ['to SPF fail', spf('fail'), ['SPF_FAIL']],
    ['to SPF permerror', spf('permerror'), ['SPF_PERMERROR']],
    ['to SPF temperror', spf('temperror'), ['SPF_TEMPERROR']],
    ['not to SPF neutral', spf('neutral'), []],
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
      'once to several invalid signatures',
      signatures({ verdict: 'fail' }, { verdict: 'neutral' }, { verdict: 'policy' }),
      ['DKIM_INVALID'],
    ],
    [
      'only to the valid one of two signatures (RFC 6376 section 6.1)',
      signatures({ verdict: 'pass' }, { verdict: 'fail' }),
      ['DKIM_VALID'],
    ],
    ['not to a signature whose key lookup failed', signatures({ verdict: 'temperror' }), []],
    ['not to a signature that was not checked', signatures({ verdict: 'not-checked' }), []],
    [
      'not to a failing signature with a key in test mode',
      signatures({ verdict: 'fail', testing: true }),
      [],
    ],
    ['to DMARC pass', dmarc('pass', 'reject'), ['DMARC_PASS']],
    ['to a DMARC failure with p=reject', dmarc('fail', 'reject'), ['DMARC_FAIL_REJECT']],
    ['to a DMARC failure with p=quarantine', dmarc('fail', 'quarantine'), ['DMARC_FAIL_QUARANTINE']],
    ['to a DMARC failure with p=none', dmarc('fail', 'none'), ['DMARC_FAIL_NONE']],
    ['to a message with two From fields and no policy', dmarc('fail', null), ['DMARC_FAIL_NONE']],
    ['not to a DMARC evaluation that failed temporarily', dmarc('temperror', 'reject'), []],
    ['not to a broken DMARC record', dmarc('permerror', null), []],
    ['to a missing reverse name', reverseDns('missing'), ['PTR_MISSING']],
    ['to a reverse name that does not match', reverseDns('mismatch'), ['PTR_MISMATCH']],
    ['to a reverse name that matches', reverseDns('valid'), ['PTR_VALID']],
    ['to a sender domain without MX', senderMx('none'), ['MX_NONE']],
    ['to a sender domain with a broken MX', senderMx('invalid'), ['MX_INVALID']],
    ['not to a sender domain with a failed lookup', senderMx('unknown'), []],
    ['to a missing Message-ID', headers({ messageId: null }), ['MISSING_MID']],
    ['to a missing Date', headers({ dateStatus: 'missing' }), ['MISSING_DATE']],
    ['to a Date in the future', headers({ dateStatus: 'future' }), ['DATE_IN_FUTURE']],
    ['not to an unparsable Date', headers({ dateStatus: 'unreadable' }), []],
  ])('%s', (_what, facts, expected) => {
    expect(scoreLines({ ...nothing, ...facts }).map(({ rule }) => rule)).toEqual(expected);
  });

  test.each<[BlocklistRole, string]>([
    ['combined', 'BLOCKLIST_COMBINED'],
    ['openrelay', 'BLOCKLIST_OPENRELAY'],
    ['reputation', 'BLOCKLIST_REPUTATION'],
    ['userreported', 'BLOCKLIST_USERREPORTED'],
  ])('to a listing on the %s list, and not to a refused query', async (role, rule) => {
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

describe('the score', () => {
  test('is the exact sum of its rules', () => {
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
