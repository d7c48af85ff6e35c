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
  findings: described(list(finding), 'What is wrong'),
  asOf: described(
    z.exactOptional(timestamp),
    'Time of the observation, if it is older than the latest check run',
  ),
};

export const checkOutcome = z.object(outcome);

export type CheckOutcome = z.infer<typeof checkOutcome>;

const noText = z._default(textOrNull, null);
const record = (protocol: string, example: string) =>
  described(noText, `The ${protocol} record; the first of several; \`null\` without one`, example);
const version = (example: string) => described(noText, 'The version in the record', example);
const valid = described(
  z._default(z.boolean(), false),
  'Whether the records and all they refer to are valid',
  true,
);
const noTexts = z._default(list(text), []);
const noCount = z._default(z.nullable(count), null);
const isFalse = z._default(z.boolean(), false);

/** Whether the domain accepts mail, seen from outside (interface specification). */
export const emailReceptionCapability = described(
  z.enum(['active', 'null-mx', 'no-mail', 'unreachable', 'relay-denied']),
  '`active`: at least one MX host accepts mail for the domain. `null-mx`: null MX (RFC 7505). `no-mail`: no MX ' +
    'records. `unreachable`: no MX host is reachable. `relay-denied`: the MX hosts reject mail for the domain',
);

export type EmailReceptionCapability = z.infer<typeof emailReceptionCapability>;

const priority = described(count, 'Preference of the MX record; hosts with the lowest are tried first', 10);

export const mxRecord = z.object({
  priority,
  exchange: described(text, 'The name of the MX host', 'mx.example.org'),
});

export const mxHost = z.object({
  hostname: described(text, 'The name of the MX host', 'mx.example.org'),
  priority,
  ip: described(textOrNull, 'The address that was connected to; `null` without one', '198.51.100.25'),
  tlsSupported: described(
    flagOrNull,
    'Whether STARTTLS established a TLS session; `null` if the host could not be checked',
    true,
  ),
  starttlsSupported: described(
    flagOrNull,
    'Whether the host offers STARTTLS; `null` if it could not be checked',
    true,
  ),
  certificateExpiry: described(
    z.nullable(timestamp),
    'When the certificate of the host expires; `null` without TLS',
    '2026-12-31T23:59:59.000Z',
  ),
  certificateIssuer: described(
    z.exactOptional(textOrNull),
    'Organization of the CA that issued the certificate, or its common name; `null` without TLS, or if the name has neither',
    'Example CA',
  ),
  tlsVersion: described(
    noText,
    'The TLS version of the session, such as `TLSv1.3`; `null` without one, or if the host could not be checked',
    'TLSv1.3',
  ),
  state: checkState,
});

export type MxHost = z.infer<typeof mxHost>;

export const mxResult = z.object({
  records: described(z._default(list(mxRecord), []), 'The MX records'),
  hosts: described(z._default(list(mxHost), []), 'The MX hosts'),
  tlsSupported: described(
    z._default(flagOrNull, null),
    'Whether every MX host establishes TLS; `null` if unknown, for example because a host could not be checked',
    true,
  ),
  daneSupported: described(
    z._default(flagOrNull, null),
    'Whether every MX host has a usable TLSA record in an authenticated answer (RFC 7672); `null` if unknown',
    false,
  ),
  emailReceptionCapability: described(
    z._default(z.nullable(emailReceptionCapability), null),
    'Whether the domain accepts mail, seen from outside; `null` if unknown',
  ),
  ...outcome,
});

export type MxResult = z.infer<typeof mxResult>;

export const spfResult = z.object({ ...spfFields, ...outcome });

export type SpfResult = z.infer<typeof spfResult>;

export const dkimResult = z.object({
  selector: described(text, 'The selector', 's1'),
  record: record('DKIM key', 'v=DKIM1; k=rsa; p=MIIBIjANBgkq...'),
  records: several,
  version: version('DKIM1'),
  keyType: described(noText, '`rsa` or `ed25519`', 'rsa'),
  keySize: described(noCount, 'Size of the key in bits', 2048),
  publicKey: described(
    noText,
    'Base64 as published, without whitespace; the empty string is a revoked key (RFC 6376 section 3.6.1)',
    'MIIBIjANBgkq...',
  ),
  valid,
  revoked: described(isFalse, 'Whether the key is revoked', false),
  alias: described(
    z.exactOptional(textOrNull),
    'The target of the CNAME record at the name of the key; `null` without one, missing in results of earlier releases',
    'selector1-example-org._domainkey.example.onmicrosoft.com',
  ),
  testing: described(
    isFalse,
    'Test mode (t=y): verifiers treat mail that is signed with this key as unsigned',
    false,
  ),
  ...outcome,
});

export type DkimResult = z.infer<typeof dkimResult>;

/** The DKIM check as a whole: one result per selector found, and findings about the search. */
const dkimCheck = z.object({ selectors: list(dkimResult), ...outcome });

export type DkimCheck = z.infer<typeof dkimCheck>;

export const dmarcPolicy = described(
  z.enum(['none', 'quarantine', 'reject']),
  'What the owner of the domain asks receivers to do with mail that fails DMARC',
);

export const dmarcResult = z.object({
  record: record('DMARC', 'v=DMARC1; p=reject; rua=mailto:dmarc@example.org'),
  records: several,
  version: version('DMARC1'),
  policy: described(noText, 'The policy of the domain (p)', 'reject'),
  subdomainPolicy: described(noText, 'The policy of subdomains (sp)', null),
  nonexistentSubdomainPolicy: described(noText, 'The policy of subdomains that do not exist (np)', null),
  percentage: described(noCount, 'The pct tag (RFC 7489), which RFC 9989 ignores', 100),
  aspf: described(noText, 'SPF alignment mode: `r` (relaxed) or `s` (strict)', 'r'),
  adkim: described(noText, 'DKIM alignment mode: `r` (relaxed) or `s` (strict)', 'r'),
  rua: described(noTexts, 'Where aggregate reports are sent', ['mailto:dmarc@example.org']),
  ruf: described(noTexts, 'Where failure reports are sent', []),
  ruaUsable: described(
    z._default(flagOrNull, null),
    'Whether reporters can send aggregate reports to at least one address in `rua`: it is a mailbox in the same organization, or in one that authorized the reports (RFC 9990 section 4); `null` if unknown',
    true,
  ),
  valid,
  policyDomain: described(
    noText,
    'The domain whose record applies: this domain or a parent domain',
    'example.org',
  ),
  effectivePolicy: described(
    z._default(z.nullable(dmarcPolicy), null),
    'The policy that receivers apply to this domain: `policy`, or the subdomain policy of the parent domain',
    'reject',
  ),
  testing: described(isFalse, 'Test mode (t=y): receivers apply the next weaker policy (RFC 9989)', false),
  ...outcome,
});

export type DmarcResult = z.infer<typeof dmarcResult>;

export const mtaStsResult = z.object({
  dnsRecord: record('MTA-STS', 'v=STSv1; id=20260101'),
  records: several,
  dnsVersion: version('STSv1'),
  dnsId: described(noText, 'The ID in the record, which changes with the policy', '20260101'),
  policyFetched: described(isFalse, 'Whether the policy was fetched', true),
  policyVersion: described(noText, 'The version in the policy', 'STSv1'),
  policyMode: described(noText, 'The mode of the policy: `enforce`, `testing`, or `none`', 'enforce'),
  policyMx: described(noTexts, 'The MX host patterns of the policy', ['mx.example.org']),
  policyMaxAge: described(noCount, 'How long senders keep the policy, in seconds', 604_800),
  valid,
  ...outcome,
});

export type MtaStsResult = z.infer<typeof mtaStsResult>;

export const tlsRptResult = z.object({
  record: record('TLS-RPT', 'v=TLSRPTv1; rua=mailto:tls@example.org'),
  records: several,
  version: version('TLSRPTv1'),
  rua: described(noTexts, 'Where TLS reports are sent', ['mailto:tls@example.org']),
  valid,
  ...outcome,
});

export type TlsRptResult = z.infer<typeof tlsRptResult>;

export const bimiResult = z.object({
  selector: described(text, 'The selector', 'default'),
  record: record('BIMI', 'v=BIMI1; l=https://example.org/logo.svg'),
  records: several,
  version: version('BIMI1'),
  location: described(noText, 'The URL of the logo (l=)', 'https://example.org/logo.svg'),
  authority: described(noText, 'The URL of the mark certificate (a=)', null),
  logoFetched: described(isFalse, 'Whether the logo was fetched', true),
  logoValid: described(isFalse, 'Whether the logo is an SVG image as BIMI requires', true),
  logoContentType: described(noText, 'The media type of the logo', 'image/svg+xml'),
  valid,
  ...outcome,
});

export type BimiResult = z.infer<typeof bimiResult>;

export const dsRecord = z.object({
  keyTag: described(count, 'The key tag of the referenced DNSKEY record', 20326),
  algorithm: described(count, 'The algorithm of the referenced key, by its number at IANA', 13),
  digestType: described(count, 'The algorithm of the digest, by its number at IANA', 2),
  digest: described(text, 'The digest of the key in uppercase hexadecimal', '1F8A...9C04'),
});

export const dnssecResult = z.object({
  enabled: described(isFalse, 'Whether the parent zone has a DS record for the zone', true),
  valid,
  chainValid: described(isFalse, 'Whether the chain of trust from the root zone is valid', true),
  dsRecords: described(z._default(list(dsRecord), []), 'The DS records in the parent zone'),
  nameServers: described(
    z.exactOptional(list(text)),
    'The name servers of the zone; missing if their lookup failed, and in results of earlier releases',
    ['ns1.example.net', 'ns2.example.net'],
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
