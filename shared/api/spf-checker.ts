/** Requests and responses of the SPF checker. */
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
  'Any name that can have an SPF record, such as example.org or _spf.example.org. For a URL or an email address, its domain is used',
);

export const spfCheckBody = z.object(
  {
    domain,
    save: described(
      z._default(z.boolean('must be true or false'), false),
      'Whether to save the result permanently under a public link',
    ),
  },
  'must be a JSON object',
);

/** The query of the page; without a domain, the page shows the empty form. */
export const spfCheckQuery = z.object({ domain: z.optional(domain) });

export const saveSpfForm = z.object({ domain });

export const spfSharePath = z.object({ shareId: z.string().check(z.regex(SHARE_ID, missing.spfResult)) });

const flattened = z.object({
  networks: described(
    z.array(z.object({ network, sources: z.array(z.object({ domain: z.string(), term: z.string() })) })),
    'The networks in `flattenedIps`, each with the terms and records that authorize it',
  ),
  merged: described(
    z.nullable(z.array(network)),
    'The smallest set of ranges that covers exactly the authorized addresses; `null` if it is too large for any record',
  ),
  kept: described(z.array(z.string()), 'Terms that cannot be replaced by addresses'),
  records: described(
    z.array(z.object({ name: z.string(), text: z.string() })),
    'TXT records that authorize the same clients with fewer DNS lookups; empty if there is no such set',
  ),
});

export const spfCheckResult = z.object({
  domain: z.string(),
  status: described(
    z.enum(['valid', 'invalid', 'no-record', 'unknown']),
    '`unknown`: some DNS lookups of the include tree failed, so the result is incomplete',
  ),
  ...spfFields,
  recordLength: described(count, 'Length of the record in bytes; 0 without a record'),
  ...problems,
  findings: z.array(finding),
  lookupLimit: described(count, 'The maximum number of DNS lookups (RFC 7208 section 4.6.4)'),
  voidLookupCount: described(
    z.object({ ip4: count, ip6: count }),
    'Number of void lookups for clients of each address family',
  ),
  flattened,
  unknown: described(z.array(z.string()), 'DNS lookups that failed, such as `example.org TXT`'),
  checkedAt: timestamp,
  shareId: described(z.nullable(z.string()), 'ID of the saved result; `null` if not saved'),
  shareUrl: described(z.nullable(z.string()), 'Public link to the saved result; `null` if not saved'),
});

/** The path of a shared result. */
export const sharePath = (shareId: string): string => `/s/spf/${shareId}`;

/** The response of the checker, with the id of the saved result if it was saved. */
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
  // The arrays of zod's output types are mutable; those of the result are readonly.
  return result as unknown as z.output<typeof spfCheckResult>;
}
