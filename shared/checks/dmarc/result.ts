import * as z from 'zod/mini';
import { described, flagOrNull, several } from '../../protocol/schema.ts';
import { isFalse, noCount, noText, noTexts, outcome, record, valid, version } from '../result-fields.ts';

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
