import { expect, test } from '@jest/globals';
import { nextFix } from '../../../shared/fixes/next-fix.ts';
import type { Finding } from '../../../shared/protocol/findings/finding.ts';
import { emptyResults, perfectResults } from '../../kit/results.ts';

const found = (id: string, severity: Finding['severity'] = 'warning'): Finding => ({
  ...{ id, severity, arguments: {} },
});

test('the next fix is the most dangerous finding that costs points, or an error', () => {
  const results = perfectResults('sends-and-receives');
  expect(nextFix(results, 'sends-and-receives')).toBeNull();
  const { dmarc, spf, caa, dnssec } = results;
  // DNSSEC has all of its points, so its warning is no fix; CAA has no points, and its error is one.
  const harmless = { ...results, dnssec: { ...dnssec, findings: [found('dnssec-signature-expires-soon')] } };
  expect(nextFix(harmless, 'sends-and-receives')).toBeNull();
  const broken = { ...harmless, caa: { ...caa, findings: [found('caa-syntax', 'error')] } };
  expect(nextFix(broken, 'sends-and-receives')).toMatchObject({ finding: { id: 'caa-syntax' }, gain: 0 });
  const worse = {
    ...broken,
    spf: { ...spf, valid: false, findings: [found('spf-syntax', 'error')] },
    dmarc: {
      ...{ ...dmarc, policy: 'none', effectivePolicy: 'none' as const },
      findings: [found('dmarc-lookup-unavailable'), found('dmarc-monitoring-only')],
    },
  };
  const next = nextFix(worse, 'sends-and-receives');
  expect(next?.finding.id).toBe('dmarc-monitoring-only');
  expect(next?.gain).toBeGreaterThan(0);
});

test('nothing is known to fix before the first answer', () => {
  expect(nextFix(emptyResults(), 'parked')).toBeNull();
});
