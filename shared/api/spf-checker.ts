/** Responses of the SPF checker, and the path of a shared result. */

import * as z from 'zod/mini';
import { describe, describedFinding, messages } from '../protocol/findings/finding.ts';
import { spfRules } from '../protocol/findings/spf.ts';
import { count, described, list, textOrNull, texts, timestamp } from '../protocol/schema.ts';
import { expansion, spfFields } from '../protocol/spf/expansion.ts';
import { MAX_LOOKUPS } from '../protocol/spf/limits.ts';
import { SHARE_ID, type SpfCheck } from '../store/spf-shares.ts';
import { missing } from './common.ts';

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
