/** The breakdown of a score: the facts behind it, in the fields that the interface specification lists. */

import type { CheckResults } from '../checks/results.ts';
import type { CheckState } from '../checks/state.ts';
import { reportHost } from '../protocol/dmarc/report-uri.ts';
import { declinesBimi } from './credit/bimi.ts';
import { countedKeys } from './credit/dkim.ts';
import type { Breakdown } from './shapes.ts';

/** The breakdown of a domain on which no checks have run. */
export const unknownBreakdown: Breakdown = {
  mx: { configured: null, tlsSupported: null, daneSupported: null },
  spf: { valid: null, policy: null },
  dkim: { configured: null, validSelectors: 0, totalSelectors: 0 },
  dmarc: { valid: null, policy: null, reportingConfigured: null },
  mtaSts: { valid: null, mode: null },
  tlsRpt: { valid: null, reportingConfigured: null },
  bimi: { configured: null, logoValid: null },
  dnssec: { enabled: null, valid: null },
};

export function breakdownOf(results: CheckResults): Breakdown {
  const { mx, spf, dkim, dmarc, mtaSts, tlsRpt, bimi, dnssec } = results;
  const keys = countedKeys(results);
  return {
    mx: {
      configured: mx.records.length > 0 || (mx.state === 'unknown' ? null : false),
      tlsSupported: mx.tlsSupported,
      daneSupported: mx.daneSupported,
    },
    spf: { valid: known(spf, spf.valid), policy: spf.allPolicy },
    dkim: {
      configured: keys.length > 0 || (dkim.state === 'unknown' ? null : false),
      validSelectors: keys.filter((key) => key.valid).length,
      totalSelectors: keys.length,
    },
    dmarc: {
      valid: known(dmarc, dmarc.valid),
      policy: dmarc.effectivePolicy,
      reportingConfigured: known(
        dmarc,
        dmarc.rua.some((uri) => reportHost(uri) !== null),
      ),
    },
    mtaSts: {
      valid: known(mtaSts, mtaSts.valid),
      mode: mtaSts.state === 'absent' ? null : mtaSts.policyMode,
    },
    tlsRpt: {
      valid: known(tlsRpt, tlsRpt.valid),
      reportingConfigured: known(tlsRpt, tlsRpt.valid && tlsRpt.rua.length > 0),
    },
    bimi: {
      configured: (bimi.record !== null && !declinesBimi(bimi)) || known(bimi, false),
      logoValid: known(bimi, bimi.logoValid),
    },
    dnssec: { enabled: known(dnssec, dnssec.enabled), valid: known(dnssec, dnssec.valid) },
  };
}

function known(check: { readonly state: CheckState }, fact: boolean): boolean | null {
  return check.state === 'unknown' ? null : fact;
}
