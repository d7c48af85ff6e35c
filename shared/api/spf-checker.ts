/** Responses of the SPF checker, and the path of a shared result. */

import * as z from 'zod/mini';
import { describe, describedFinding, messages } from '../protocol/findings/finding.ts';
import { spfRules } from '../protocol/findings/spf.ts';
import { count, described, list, textOrNull, texts, timestamp, url } from '../protocol/schema.ts';
import { expansion, spfFields } from '../protocol/spf/expansion.ts';
import { MAX_LOOKUPS } from '../protocol/spf/limits.ts';
import { SHARE_ID } from '../store/shares.ts';
import type { SpfCheck } from '../store/spf-shares.ts';
import { missing } from './common.ts';

export const spfSharePath = z.object({
  shareId: described(z.string().check(z.regex(SHARE_ID, missing.spfResult)), 'ID of the saved result'),
});

const SAMPLE_SHARE = '0a1b2c3d4e5f6g7h8j9k0m1n';

export const spfCheckResult = z.object({
  ...expansion.shape,
  findings: described(list(describedFinding), 'What is wrong, with references and fixes'),
  valid: spfFields.valid,
  errors: described(texts, 'Messages of the findings with severity `error`', []),
  warnings: described(texts, 'Messages of the findings with severity `warning`', []),
  lookupLimit: described(count, 'The maximum number of DNS lookups (RFC 7208 section 4.6.4)', 10),
  checkedAt: described(timestamp, 'Time of the check'),
  shareId: described(textOrNull, 'ID of the saved result; `null` if not saved', SAMPLE_SHARE),
  shareUrl: described(
    z.nullable(url),
    'Public link to the saved result; `null` if not saved',
    `https://monitor.example.net/s/spf/${SAMPLE_SHARE}`,
  ),
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
