/** The order of fixes: by what can happen meanwhile. */
import { expect, test } from '@jest/globals';
import { riskOf } from '../../../shared/fixes/risk.ts';
import { catalogue } from '../../../shared/protocol/findings/catalogue.ts';

test('missing STARTTLS, then p=none, then weak keys come before MTA-STS, and BIMI last', () => {
  const ids = [
    'bimi-missing',
    'mta-sts-missing',
    'dkim-key-short',
    'dmarc-monitoring-only',
    'mx-no-starttls',
  ];
  expect(ids.toSorted((a, b) => riskOf([a]) - riskOf([b]))).toEqual(ids.toReversed());
});

test('the worst of what a change resolves decides', () => {
  expect(riskOf(['tls-rpt-missing', 'spf-pass-all'])).toBe(riskOf(['spf-pass-all']));
  expect(riskOf([])).toBeGreaterThan(riskOf(['bimi-missing']));
});

test('every finding has a place', () => {
  const without = Object.keys(catalogue).filter((id) => riskOf([id]) === riskOf([]));
  expect(without).toEqual([]);
});
