/** Requests and responses of the SPF checker. */
import * as z from 'zod/mini';
import { describe, describedFinding, messages } from '../protocol/findings/finding.ts';
import { spfRules } from '../protocol/findings/spf.ts';
import { count, described, list, textOrNull, texts, timestamp } from '../protocol/schema.ts';
import { expansion, spfFields } from '../protocol/spf/expand.ts';
import { MAX_LOOKUPS } from '../protocol/spf/limits.ts';
import { SHARE_ID, type SpfCheck } from '../store/spf-shares.ts';
import { missing } from './common.ts';

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

export const spfCheckResult = z.object({
  ...expansion.shape,
  findings: list(describedFinding),
  valid: spfFields.valid,
  errors: texts,
  warnings: texts,
  lookupLimit: described(count, 'The maximum number of DNS lookups (RFC 7208 section 4.6.4)'),
  checkedAt: timestamp,
  shareId: described(textOrNull, 'ID of the saved result; `null` if not saved'),
  shareUrl: described(textOrNull, 'Public link to the saved result; `null` if not saved'),
});

/** The path of a shared result. */
export const sharePath = (shareId: string): string => `/s/spf/${shareId}`;

/** The response of the checker, with the id of the saved result if it was saved. */
export function showSpfCheck(
  { checkedAt, expansion }: SpfCheck,
  share: { readonly id: string; readonly hostUrl: string } | null,
): z.output<typeof spfCheckResult> {
  const findings = expansion.findings.map((found) => describe(found, spfRules, expansion));
  return {
    ...expansion,
    findings,
    valid: expansion.status === 'valid',
    errors: messages(findings, 'error'),
    warnings: messages(findings, 'warning'),
    lookupLimit: MAX_LOOKUPS,
    checkedAt,
    shareId: share === null ? null : share.id,
    shareUrl: share === null ? null : `${share.hostUrl}${sharePath(share.id)}`,
  };
}
