/** Request and answer of the SPF checker. */
import * as z from 'zod/mini';
import { sentences } from '../protocol/findings/finding.ts';
import { MAX_LOOKUPS } from '../protocol/spf/limits.ts';
import { SHARE_ID, type SpfCheck } from '../store/spf-shares.ts';
import { count, described, missing, timestamp } from './common.ts';
import { finding, problems } from './findings.ts';
import { network, spfFields } from './spf.ts';

const domain = described(
  z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
    .check(z.maxLength(1000, 'is too long')),
  'Any name that may hold an SPF record, such as example.org or _spf.example.org; of a URL or a mail address, its domain',
);

export const spfCheckBody = z.object(
  {
    domain,
    save: described(
      z._default(z.boolean('must be true or false'), false),
      'Keep the result for good, under a link that anyone can open',
    ),
  },
  'must be a JSON object',
);

/** The page's form; without a domain it is the empty form that is asked for. */
export const spfCheckQuery = z.object({ domain: z.optional(domain) });

export const saveSpfForm = z.object({ domain });

export const spfSharePath = z.object({ shareId: z.string().check(z.regex(SHARE_ID, missing.spfResult)) });

const flattened = z.object({
  networks: described(
    z.array(z.object({ network, sources: z.array(z.object({ domain: z.string(), term: z.string() })) })),
    'What flattenedIps lists, and which terms of which records let it send',
  ),
  merged: described(
    z.nullable(z.array(network)),
    'The fewest ranges for exactly the clients that pass; null where they would be too many for any record',
  ),
  kept: described(z.array(z.string()), 'Terms that addresses cannot replace'),
  records: described(
    z.array(z.object({ name: z.string(), text: z.string() })),
    'TXT records that let the same clients send with fewer look-ups; empty where there is no such set',
  ),
});

export const spfCheckResult = z.object({
  domain: z.string(),
  status: described(
    z.enum(['valid', 'invalid', 'no-record', 'unknown']),
    'unknown: the DNS did not answer for a part of the tree, which says nothing about the domain',
  ),
  ...spfFields,
  recordLength: described(count, 'Octets of the record; 0 without one'),
  ...problems,
  findings: z.array(finding),
  lookupLimit: described(count, 'Look-ups after which receivers stop (RFC 7208 section 4.6.4)'),
  voidLookupCount: described(
    z.object({ ip4: count, ip6: count }),
    'Look-ups without an answer that a client of each family causes',
  ),
  flattened,
  unknown: described(z.array(z.string()), 'Look-ups that the DNS did not answer, such as example.org TXT'),
  checkedAt: timestamp,
  shareId: described(z.nullable(z.string()), 'null unless saved'),
  shareUrl: described(z.nullable(z.string()), 'null unless saved'),
});

/** Where a shared result is seen, below the service's origin. */
export const sharePath = (shareId: string): string => `/s/spf/${shareId}`;

/** The checker's answer; with the id under which it was saved, where it was. */
export function showSpfCheck(
  { checkedAt, expansion }: SpfCheck,
  share: { readonly id: string; readonly hostUrl: string } | null,
): z.output<typeof spfCheckResult> {
  const { findings, status } = expansion;
  const result = {
    ...expansion,
    valid: status === 'valid',
    errors: sentences(findings, 'error'),
    warnings: sentences(findings, 'warning'),
    lookupLimit: MAX_LOOKUPS,
    checkedAt,
    shareId: share === null ? null : share.id,
    shareUrl: share === null ? null : `${share.hostUrl}${sharePath(share.id)}`,
  };
  // Zod's arrays can be written to; the result's own cannot.
  return result as unknown as z.output<typeof spfCheckResult>;
}
