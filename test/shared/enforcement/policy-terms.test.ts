/** What a policy asks for: what a tag inherits, and what receivers of each specification do with it. */
import { describe, expect, test } from '@jest/globals';
import {
  appliedPolicy,
  legacyShares,
  noPolicy,
  type PolicyTerms,
  termsOfReport,
} from '../../../shared/enforcement/policy-terms.ts';
import { policy } from '../../kit/report-history.ts';

const terms = (given: Partial<PolicyTerms> = {}): PolicyTerms => ({
  ...noPolicy,
  policies: { p: 'none', sp: 'quarantine', np: 'reject' },
  ...given,
});

test.each([
  [null, null, 'reject reject reject'],
  ['quarantine', null, 'reject quarantine quarantine'],
  [null, 'none', 'reject reject none'],
  ['quarantine', 'none', 'reject quarantine none'],
] as const)('a report with p=reject, sp=%s and np=%s asks for %s', (sp, np, expected) => {
  const { policies } = termsOfReport(policy({ p: 'reject', sp, np }));
  expect(`${policies?.p} ${policies?.sp} ${policies?.np}`).toBe(expected);
});

describe('a receiver that follows RFC 9989', () => {
  test.each([
    ['p', 'none', 'none'],
    ['sp', 'quarantine', 'none'],
    ['np', 'reject', 'quarantine'],
  ] as const)('applies %s=%s, and %s while testing, whatever pct is', (tag, applied, whileTesting) => {
    expect(appliedPolicy(terms({ pct: 0 }), tag)).toBe(applied);
    expect(appliedPolicy(terms({ testing: true }), tag)).toBe(whileTesting);
  });

  test('applies nothing without a record', () => {
    expect(appliedPolicy(noPolicy, 'p')).toBe('none');
  });
});

describe('a receiver that follows RFC 7489', () => {
  test.each([
    ['none', { quarantine: 0, reject: 0 }],
    ['quarantine', { quarantine: 0.25, reject: 0 }],
    ['reject', { quarantine: 0.75, reject: 0.25 }],
  ] as const)('with pct=25 applies %s to a quarter and the next weaker policy to the rest', (sp, shares) => {
    const given = terms({ policies: { p: 'none', sp, np: 'none' }, pct: 25, testing: true });
    expect(legacyShares(given, 'sp')).toEqual(shares);
  });

  test('applies sp to subdomains that do not exist, and nothing without a record', () => {
    expect(legacyShares(terms(), 'np')).toEqual({ quarantine: 1, reject: 0 });
    expect(legacyShares(terms(), 'p')).toEqual({ quarantine: 0, reject: 0 });
    expect(legacyShares(noPolicy, 'p')).toEqual({ quarantine: 0, reject: 0 });
  });
});
