/**
 * The results of the eight checks as they are stored, with the fields that the interface specification lists and three
 * extensions: `state`, `findings` and, in a last known result, `asOf`. A field without a value (no record, no policy) is
 * null. Each schema has defaults, so that parsing a result with only `state` and `findings` gives the empty result, and
 * results that earlier releases stored have the fields of this one. `shared/api/checks.ts` adds the text of findings.
 */

import * as z from 'zod/mini';
import { finding } from '../protocol/findings/finding.ts';
import {
  count,
  described,
  flagOrNull,
  list,
  several,
  text,
  textOrNull,
  timestamp,
} from '../protocol/schema.ts';
import { spfFields } from '../protocol/spf/expansion.ts';
import { checkState } from './state.ts';

const outcome = {
  state: checkState,
  findings: list(finding),
  asOf: described(
    z.exactOptional(timestamp),
    'Time of the observation, if it is older than the latest check run',
  ),
};

export const checkOutcome = z.object(outcome);

export type CheckOutcome = z.infer<typeof checkOutcome>;

const noText = z._default(textOrNull, null);
const noTexts = z._default(list(text), []);
const noCount = z._default(z.nullable(count), null);
const isFalse = z._default(z.boolean(), false);

/** Whether the domain accepts mail, seen from outside (interface specification). */
const emailReceptionCapability = described(
  z.nullable(z.enum(['active', 'null-mx', 'no-mail', 'unreachable', 'relay-denied'])),
  '`active`: at least one MX host accepts mail for the domain. `null-mx`: null MX (RFC 7505). `no-mail`: no MX ' +
    'records. `unreachable`: no MX host is reachable. `relay-denied`: the MX hosts reject mail for the domain. `null` if unknown',
);

export type EmailReceptionCapability = NonNullable<z.infer<typeof emailReceptionCapability>>;

const mxHost = z.object({
  hostname: text,
  priority: count,
  ip: textOrNull,
  tlsSupported: described(
    flagOrNull,
    'Whether STARTTLS established a TLS session; `null` if the host could not be checked',
  ),
  starttlsSupported: described(
    flagOrNull,
    'Whether the host offers STARTTLS; `null` if it could not be checked',
  ),
  tlsVersion: described(
    noText,
    'The TLS version of the session, such as `TLSv1.3`; `null` without one, or if the host could not be checked',
  ),
  certificateExpiry: z.nullable(timestamp),
  state: checkState,
});

export type MxHost = z.infer<typeof mxHost>;

export const mxResult = z.object({
  records: z._default(list(z.object({ priority: count, exchange: text })), []),
  hosts: z._default(list(mxHost), []),
  tlsSupported: described(
    z._default(flagOrNull, null),
    'Whether every MX host establishes TLS; `null` if unknown, for example because a host could not be checked',
  ),
  daneSupported: described(
    z._default(flagOrNull, null),
    'Whether every MX host has a usable TLSA record in an authenticated answer (RFC 7672); `null` if unknown',
  ),
  emailReceptionCapability: z._default(emailReceptionCapability, null),
  ...outcome,
});

export type MxResult = z.infer<typeof mxResult>;

export const spfResult = z.object({ ...spfFields, ...outcome });

export type SpfResult = z.infer<typeof spfResult>;

export const dkimResult = z.object({
  selector: text,
  record: noText,
  records: several,
  version: noText,
  keyType: described(noText, '`rsa` or `ed25519`'),
  keySize: described(noCount, 'Bits'),
  publicKey: described(
    noText,
    'Base64 as published, without whitespace; the empty string is a revoked key (RFC 6376 section 3.6.1)',
  ),
  valid: isFalse,
  revoked: isFalse,
  testing: described(
    isFalse,
    'Test mode (t=y): verifiers treat mail that is signed with this key as unsigned',
  ),
  ...outcome,
});

export type DkimResult = z.infer<typeof dkimResult>;

/** The DKIM check as a whole: one result per selector found, and findings about the search. */
const dkimCheck = z.object({ selectors: list(dkimResult), ...outcome });

export type DkimCheck = z.infer<typeof dkimCheck>;

export const dmarcResult = z.object({
  record: noText,
  records: several,
  version: noText,
  policy: noText,
  subdomainPolicy: noText,
  nonexistentSubdomainPolicy: described(noText, 'The np tag'),
  percentage: noCount,
  aspf: noText,
  adkim: noText,
  rua: noTexts,
  ruf: noTexts,
  valid: isFalse,
  policyDomain: described(noText, 'The domain whose record applies: this domain or a parent domain'),
  effectivePolicy: described(
    z._default(z.nullable(z.enum(['none', 'quarantine', 'reject'])), null),
    'The policy that receivers apply to this domain: `policy`, or the subdomain policy of the parent domain',
  ),
  testing: described(isFalse, 'Test mode (t=y): receivers apply the next weaker policy (RFC 9989)'),
  ...outcome,
});

export type DmarcResult = z.infer<typeof dmarcResult>;

export const mtaStsResult = z.object({
  dnsRecord: noText,
  records: several,
  dnsVersion: noText,
  dnsId: noText,
  policyFetched: isFalse,
  policyVersion: noText,
  policyMode: noText,
  policyMx: noTexts,
  policyMaxAge: noCount,
  valid: isFalse,
  ...outcome,
});

export type MtaStsResult = z.infer<typeof mtaStsResult>;

export const tlsRptResult = z.object({
  record: noText,
  records: several,
  version: noText,
  rua: noTexts,
  valid: isFalse,
  ...outcome,
});

export type TlsRptResult = z.infer<typeof tlsRptResult>;

export const bimiResult = z.object({
  selector: text,
  record: noText,
  records: several,
  version: noText,
  location: noText,
  authority: noText,
  logoFetched: isFalse,
  logoValid: isFalse,
  logoContentType: noText,
  valid: isFalse,
  ...outcome,
});

export type BimiResult = z.infer<typeof bimiResult>;

export const dnssecResult = z.object({
  enabled: isFalse,
  valid: isFalse,
  chainValid: isFalse,
  dsRecords: z._default(
    list(
      z.object({
        keyTag: count,
        algorithm: count,
        digestType: count,
        digest: described(text, 'Uppercase hexadecimal'),
      }),
    ),
    [],
  ),
  ...outcome,
});

export type DnssecResult = z.infer<typeof dnssecResult>;

export const checkResults = z.object({
  mx: mxResult,
  spf: spfResult,
  dkim: dkimCheck,
  dmarc: dmarcResult,
  mtaSts: mtaStsResult,
  tlsRpt: tlsRptResult,
  bimi: bimiResult,
  dnssec: dnssecResult,
});

export type CheckResults = z.infer<typeof checkResults>;
