import { describe, expect, test } from '@jest/globals';
import { renderReport } from '../../../lib/terminal/report.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { checkNames, type UsageType } from '../../../shared/checks/state.ts';
import { type Finding, raiser, type Severity } from '../../../shared/protocol/findings/finding.ts';
import { mxRules } from '../../../shared/protocol/findings/mx.ts';
import { computeScore } from '../../../shared/score/score.ts';
import {
  dkimKey,
  emptyResults,
  mxHost,
  mxResult,
  nullMxResult,
  perfectResults,
  spfResult,
  unknownResults,
} from '../../kit/results.ts';

const both = 'sends-and-receives';
const perfect = perfectResults(both);
const empty = emptyResults();
const unknown = unknownResults();

function report(results: CheckResults, usage: UsageType = both, look = {}): string {
  const inspection = {
    domain: 'example.org',
    results,
    score: computeScore(results, usage),
    usage,
    milliseconds: 1234,
  };
  return renderReport(inspection, { colour: false, width: 80, ...look });
}

/** A finding of a rule that has no text of its own. */
const finding = (severity: Severity, id: string): Finding => ({ id, severity, subject: id, arguments: {} });

const sha1 = finding('error', 'dnssec-algorithm-sha1');

/**
 * Port 25 is blocked, SPF is close to its limit, a key is revoked, DMARC is at none, BIMI is absent, DNSSEC is unknown.
 */
const mixed: CheckResults = {
  ...perfect,
  mx: mxResult({ state: 'unknown', tlsSupported: null, emailReceptionCapability: null }),
  spf: spfResult('v=spf1 include:_spf.example.net include:spf.mail.example.com ip4:192.0.2.0/24 ~all', {
    state: 'warning',
    totalLookupCount: 9,
    findings: [finding('warning', 'spf-of-tomorrow')],
  }),
  dkim: {
    ...perfect.dkim,
    selectors: [
      dkimKey('s1'),
      dkimKey('s2', { keyType: 'ed25519', keySize: 256 }),
      dkimKey('old', {
        valid: false,
        revoked: true,
        findings: [finding('notice', 'dkim-of-tomorrow')],
      }),
    ],
  },
  dmarc: {
    ...perfect.dmarc,
    state: 'fail',
    record: 'v=DMARC1; p=none',
    effectivePolicy: 'none',
    rua: [],
    findings: [finding('error', 'dmarc-of-tomorrow')],
  },
  bimi: empty.bimi,
  dnssec: unknown.dnssec,
};

describe('the report of', () => {
  test('a domain with mixed results', () => {
    expect(report(mixed)).toBe(`example.org  sends-and-receives, checked in 1.2 s

  D Poor, 64 of 100  ████████████████░░░░░░░░░
  85% of the score could be evaluated

  ? MX       unknown  mx1.example.org, mx2.example.org   TLS unknown, DANE yes
  ! SPF      warning  v=spf1 include:_spf.exampl…/24 ~all   9 lookups (limit 10)
  ✓ DKIM     pass     s1 rsa 2048, s2 ed25519, old revoked   2 of 2 valid
  ✗ DMARC    fail     v=DMARC1; p=none
  ✓ MTA-STS  pass     mx1.example.org, mx2.example.org   enforce, 7 days
  ✓ TLS-RPT  pass     v=TLSRPTv1; rua=mailto:tls@example.org
  - BIMI     absent   no record
  ? DNSSEC   unknown  lookup failed
  ✓ CAA      pass     0 issue "ca.example.net"

  ? = lookup failed; not scored.

Errors (1)
  DMARC    This version of the service does not know the rule dmarc-of-tomorrow.
           ()
           Fix: Run the check again.

Warnings (1)
  SPF      This version of the service does not know the rule spf-of-tomorrow.
           ()
           Fix: Run the check again.

Advice (1)
  DKIM     This version of the service does not know the rule dkim-of-tomorrow.
           ()
           Fix: Run the check again.

What to do next
  DMARC    +24.7 points: Add a rua tag with a report address to the DMARC
           record. Read your DMARC reports for at least a month first. If they
           show that all your legitimate mail passes, you can raise the policy
           to p=quarantine.
  SPF      +5.9 points: Keep ~all. It earns all points once the DMARC policy is
           quarantine or reject.
  BIMI     +5.9 points: Publish a BIMI record at default._bimi with the URL of
           an SVG Tiny PS logo.
`);
  });

  test('a perfect parked domain, without the checks that it does not need', () => {
    const results = perfectResults('parked');
    const dkim = { ...results.dkim, findings: [finding('notice', 'dkim-of-tomorrow')] };
    expect(report({ ...results, dkim }, 'parked')).toBe(`example.org  parked, checked in 1.2 s

  A Excellent, 100 of 100  █████████████████████████

  ✓ MX       pass     null MX: accepts no mail
  ✓ SPF      pass     v=spf1 -all   0 lookups (limit 10)
  · DKIM     n/a      not applicable to this domain
  ✓ DMARC    pass     v=DMARC1; p=reject; rua=mailto:dmarc@example.org
  · MTA-STS  n/a      not applicable to this domain
  · TLS-RPT  n/a      not applicable to this domain
  · BIMI     n/a      not applicable to this domain
  ✓ DNSSEC   pass     DS 12345 algorithm 13   chain valid
  ✓ CAA      pass     0 issue "ca.example.net"
`);
  });

  test('a domain whose lookups fail has no score and no gaps', () => {
    const text = report(unknown);
    expect(text).toContain('  Not checked\n  None of the checks got an answer');
    expect(text.match(/\? [A-Z-]+ +unknown {2}lookup failed/g)).toHaveLength(checkNames.length);
    expect(text).not.toMatch(/absent|no record|What to do next/);
  });

  test('a domain without records has only gaps', () => {
    const text = report(empty);
    expect(text.match(/- [A-Z-]+ +absent {3}(no|not) /g)).toHaveLength(checkNames.length);
    expect(text).not.toMatch(/unknown|lookup failed/);
  });
});

describe('what to do next', () => {
  test('does not contradict the checks: a null MX of a domain that receives mail does not pass', () => {
    const text = report({ ...perfect, mx: nullMxResult() });
    expect(text).toContain('✗ MX       fail     null MX: accepts no mail');
    expect(text).toContain('+15.0 points (MX, DANE): Publish MX records');
  });

  test('is shown once for all components of a domain that does not exist', () => {
    const findings = [raiser(mxRules)('mx-no-such-domain', { domain: 'example.org' })];
    const text = report({ ...empty, mx: { ...empty.mx, state: 'fail', findings } });
    expect(text.match(/Check the\s+spelling of the domain/g)).toHaveLength(2);
    expect(text).toMatch(/What to do next\n {2}Several {2}\+100\.0 points \(DMARC, SPF, MX, [^)]+\): Check/);
  });
});

describe('a line of the report shows', () => {
  const mx = (changes: Parameters<typeof mxResult>[0]) => ({ mx: mxResult(changes) });
  const of = <Name extends keyof CheckResults>(name: Name, changes: Partial<CheckResults[Name]>) => ({
    [name]: { ...perfect[name], ...changes },
  });
  const key = (changes: Parameters<typeof dkimKey>[1]) => of('dkim', { selectors: [dkimKey('s1', changes)] });
  const versions = ['TLSv1.3', 'TLSv1.2'].map((tlsVersion) => mxHost('mx', 10, { tlsVersion }));
  const inherited = { policyDomain: 'example.com', effectivePolicy: 'quarantine' } as const;
  const notFetched = { state: 'unknown', logoFetched: false, logoValid: false } as const;
  const LOGO = 'https://example.org/logo.svg';
  const broken = { state: 'fail', chainValid: false } as const;

  test.each<[string, Partial<CheckResults>, string]>([
    ['no TLS and no DANE', mx({ tlsSupported: false, daneSupported: false }), 'TLS no, DANE no'],
    ['unreachable hosts', mx({ emailReceptionCapability: 'unreachable' }), 'unreachable, TLS yes'],
    ['hosts that refuse mail', mx({ emailReceptionCapability: 'relay-denied' }), 'rejects mail, TLS yes'],
    ['the TLS versions of the hosts', mx({ hosts: versions }), 'TLS yes (1.2, 1.3), DANE yes'],
    ['a null MX', { mx: nullMxResult() }, 'null MX: accepts no mail'],
    ['an invalid key', key({ valid: false }), 's1 invalid   0 of 1 valid'],
    ['a key in test', key({ testing: true }), 's1 rsa 2048 test mode   1 of 1 valid'],
    ['an unknown key', key({ state: 'unknown', valid: false }), 's1 unknown   0 of 0 valid'],
    ['an inherited policy', of('dmarc', inherited), 'quarantine from example.com'],
    ['no policy', of('mtaSts', { policyFetched: false }), 'v=STSv1; id=20250101T000000   no policy'],
    ['no logo, which is not invalid', of('bimi', notFetched), `unknown  ${LOGO}   lookup failed`],
    ['an invalid logo', of('bimi', { logoValid: false }), `${LOGO}   no valid logo, no certificate`],
    ['a broken chain', of('dnssec', broken), 'broken'],
    ['only SHA-1', of('dnssec', { ...broken, findings: [sha1] }), 'only SHA-1, counts as unsigned'],
    [
      'a missing chain',
      of('dnssec', { ...broken, state: 'warning' }),
      'no chain of trust from the parent zone',
    ],
    ['the time of an older result', of('tlsRpt', { asOf: '2025-01-01' }), 'as of 2025-01-01'],
  ])('%s', (_title, changes, words) => {
    expect(report({ ...perfect, ...changes }, both, { width: 110 })).toContain(words);
  });
});

describe('the report as a text', () => {
  const hostile = 'a\x1b]0;owned\x07\x9b2J\r\n\u202eb';
  const attacked: CheckResults = {
    ...perfect,
    mx: mxResult({ records: [{ priority: 1, exchange: hostile }] }),
    spf: spfResult(`v=spf1 exp=${hostile}`, { findings: [finding('error', hostile)] }),
    dkim: { ...perfect.dkim, selectors: [dkimKey(hostile)] },
    dmarc: { ...perfect.dmarc, record: hostile, policyDomain: hostile },
    mtaSts: { ...perfect.mtaSts, policyMode: hostile, policyMx: [hostile] },
    tlsRpt: { ...perfect.tlsRpt, record: hostile, asOf: hostile },
    bimi: { ...perfect.bimi, location: hostile },
    dnssec: { ...perfect.dnssec, findings: [finding('notice', hostile)] },
  };

  test('contains no control characters of records, with or without colors', () => {
    const plain = report(attacked, both, { width: 120 });
    expect(plain.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(plain.split('a\\x1b]0;owned\\x07').length).toBeGreaterThan(8);
    const coloured = report(attacked, both, { width: 120, colour: true });
    const ours = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    expect(coloured.replaceAll(ours, '')).toBe(plain);
  });

  test.each([40, 60, 80, 120])('fits into %i columns', (width) => {
    for (const results of [mixed, attacked, empty, unknown]) {
      for (const line of report(results, both, { width }).split('\n').slice(1)) {
        expect([...line].length).toBeLessThanOrEqual(width);
      }
    }
  });

  test('contains a finding once, even if the DKIM check and its selector both have it', () => {
    const found = finding('warning', 'dkim-of-tomorrow');
    const dkim = { ...perfect.dkim, findings: [found], selectors: [dkimKey('s1', { findings: [found] })] };
    expect(report({ ...perfect, dkim })).toContain('Warnings (1)\n  DKIM     This version');
  });

  test('limits the number and the length of findings', () => {
    const findings = Array.from({ length: 500 }, (_, index) =>
      finding('error', `${index} ${'x'.repeat(60_000)}`),
    );
    const text = report({ ...perfect, spf: { ...perfect.spf, findings } });
    expect(text).toContain('Errors (500)');
    expect(text).toContain('and 480 more');
    expect(text.length).toBeLessThan(20_000);
  });
});
