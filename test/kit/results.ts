/** Basic check results: a fully configured domain, one without records, and one whose lookups all failed. */

import * as z from 'zod/mini';
import type { BimiResult } from '../../shared/checks/bimi/result.ts';
import type { DkimResult } from '../../shared/checks/dkim/result.ts';
import type { MxHost, MxResult } from '../../shared/checks/mx/result.ts';
import { type CheckResults, checkResults } from '../../shared/checks/results.ts';
import type { SpfResult } from '../../shared/checks/spf/result.ts';
import { type UsageType, usageTypes } from '../../shared/checks/state.ts';

export { usageTypes };

/** Results that get all points of the usage type, for example.org. */
export function perfectResults(usage: UsageType): CheckResults {
  const empty = emptyResults();
  const sends = usage === 'sends-and-receives' || usage === 'sends-only';
  const receives = usage === 'sends-and-receives' || usage === 'receives-only';
  return {
    mx: usage === 'parked' ? nullMxResult() : mxResult(),
    spf: spfResult(sends ? 'v=spf1 include:_spf.example.net -all' : 'v=spf1 -all'),
    dkim: sends ? { state: 'pass', findings: [], selectors: [dkimKey('s1')] } : empty.dkim,
    dmarc: {
      ...empty.dmarc,
      state: 'pass',
      record: 'v=DMARC1; p=reject; rua=mailto:dmarc@example.org',
      version: 'DMARC1',
      policy: 'reject',
      percentage: 100,
      aspf: 'r',
      adkim: 'r',
      rua: ['mailto:dmarc@example.org'],
      valid: true,
      policyDomain: 'example.org',
      effectivePolicy: 'reject',
    },
    mtaSts: receives
      ? {
          ...empty.mtaSts,
          state: 'pass',
          dnsRecord: 'v=STSv1; id=20250101T000000',
          dnsVersion: 'STSv1',
          dnsId: '20250101T000000',
          policyFetched: true,
          policyVersion: 'STSv1',
          policyMode: 'enforce',
          policyMx: ['mx1.example.org', 'mx2.example.org'],
          policyMaxAge: 604_800,
          valid: true,
        }
      : { ...empty.mtaSts, state: usage === 'parked' ? 'not-applicable' : 'absent' },
    tlsRpt: receives
      ? {
          ...empty.tlsRpt,
          state: 'pass',
          record: 'v=TLSRPTv1; rua=mailto:tls@example.org',
          version: 'TLSRPTv1',
          rua: ['mailto:tls@example.org'],
          valid: true,
        }
      : { ...empty.tlsRpt, state: usage === 'parked' ? 'not-applicable' : 'absent' },
    bimi: sends ? bimiResult() : empty.bimi,
    dnssec: {
      ...empty.dnssec,
      state: 'pass',
      enabled: true,
      valid: true,
      chainValid: true,
      dsRecords: [{ keyTag: 12_345, algorithm: 13, digestType: 2, digest: 'AB'.repeat(32) }],
    },
    caa: { ...empty.caa, state: 'pass', records: ['0 issue "ca.example.net"'], recordsAt: 'example.org' },
  };
}

/** Every lookup succeeded and found nothing. */
export function emptyResults(): CheckResults {
  const absent = { state: 'absent', findings: [] };
  return z.parse(checkResults, {
    mx: { ...absent, tlsSupported: false, daneSupported: false, emailReceptionCapability: 'no-mail' },
    spf: absent,
    dkim: { ...absent, selectors: [] },
    dmarc: absent,
    mtaSts: absent,
    tlsRpt: absent,
    bimi: { ...absent, selector: 'default' },
    dnssec: absent,
    caa: absent,
  });
}

/** Every lookup failed. */
export function unknownResults(): CheckResults {
  const empty = emptyResults();
  const state = 'unknown';
  return {
    mx: { ...empty.mx, state, tlsSupported: null, daneSupported: null, emailReceptionCapability: null },
    spf: { ...empty.spf, state },
    dkim: { ...empty.dkim, state },
    dmarc: { ...empty.dmarc, state },
    mtaSts: { ...empty.mtaSts, state },
    tlsRpt: { ...empty.tlsRpt, state },
    bimi: { ...empty.bimi, state },
    dnssec: { ...empty.dnssec, state },
    caa: { ...empty.caa, state },
  };
}

/** Two MX hosts with TLS and DANE, with the given changes. */
export function mxResult(changes: Partial<MxResult> = {}): MxResult {
  return {
    state: 'pass',
    findings: [],
    records: [
      { priority: 10, exchange: 'mx1.example.org' },
      { priority: 20, exchange: 'mx2.example.org' },
    ],
    hosts: [mxHost('mx1.example.org', 10), mxHost('mx2.example.org', 20)],
    tlsSupported: true,
    daneSupported: true,
    emailReceptionCapability: 'active',
    ...changes,
  };
}

export function mxHost(hostname: string, priority: number, changes: Partial<MxHost> = {}): MxHost {
  return {
    hostname,
    priority,
    ip: '192.0.2.25',
    tlsSupported: true,
    starttlsSupported: true,
    tlsVersion: 'TLSv1.3',
    certificateExpiry: '2030-01-01T00:00:00Z',
    state: 'pass',
    ...changes,
  };
}

/** The domain receives no mail (RFC 7505). */
export function nullMxResult(): MxResult {
  return mxResult({
    records: [{ priority: 0, exchange: '.' }],
    hosts: [],
    tlsSupported: null,
    daneSupported: null,
    emailReceptionCapability: 'null-mx',
  });
}

/** A valid SPF record; its last term decides the result for unlisted clients. */
export function spfResult(record: string, changes: Partial<SpfResult> = {}): SpfResult {
  const policies = ['-all', '~all', '?all', '+all'] as const;
  return {
    ...emptyResults().spf,
    state: 'pass',
    record,
    version: 'spf1',
    valid: true,
    allPolicy: policies.find((policy) => record.endsWith(` ${policy}`)) ?? null,
    totalLookupCount: record.split('include:').length - 1,
    ...changes,
  };
}

/** A strong RSA key, with the given changes. */
export function dkimKey(selector: string, changes: Partial<DkimResult> = {}): DkimResult {
  return {
    state: 'pass',
    findings: [],
    selector,
    alias: null,
    record: 'v=DKIM1; k=rsa; p=MIIB',
    version: 'DKIM1',
    keyType: 'rsa',
    keySize: 2048,
    publicKey: 'MIIB',
    valid: true,
    revoked: false,
    testing: false,
    ...changes,
  };
}

export function bimiResult(changes: Partial<BimiResult> = {}): BimiResult {
  return {
    ...emptyResults().bimi,
    state: 'pass',
    record: 'v=BIMI1; l=https://example.org/logo.svg',
    version: 'BIMI1',
    location: 'https://example.org/logo.svg',
    logoFetched: true,
    logoValid: true,
    logoContentType: 'image/svg+xml',
    valid: true,
    ...changes,
  };
}
