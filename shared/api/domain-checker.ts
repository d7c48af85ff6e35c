/** The response of the domain checker, and the path of a shared result. */
import * as z from 'zod/mini';
import { usageType } from '../checks/state.ts';
import { described, text, textOrNull, timestamp, url } from '../protocol/schema.ts';
import { SHARE_ID } from '../store/shares.ts';
import { score, shownResults } from './checks.ts';
import { missing } from './common.ts';
import { fixes } from './fixes.ts';

const SAMPLE_SHARE = '0a1b2c3d4e5f6g7h8j9k0m1n';

export const domainCheckResult = z.object({
  domain: described(text, 'The checked domain', 'example.org'),
  usageType,
  checkedAt: described(timestamp, 'Time of the check run, at most a minute ago'),
  results: described(shownResults, 'The results of all checks'),
  score: described(score, 'The score for the usage type'),
  fixes: described(
    fixes,
    'The recommended changes. Only for the owner of a verified domain do they contain its report mailbox',
  ),
  shareId: described(textOrNull, 'ID of the saved result; `null` if not saved', SAMPLE_SHARE),
  shareUrl: described(
    z.nullable(url),
    'Public link to the saved result; `null` if not saved',
    `https://monitor.example.net/s/check/${SAMPLE_SHARE}`,
  ),
});

export type DomainCheckResult = z.output<typeof domainCheckResult>;

export const domainCheckSharePath = z.object({
  shareId: described(
    z.string().check(z.regex(SHARE_ID, missing.domainCheck)),
    'ID of the saved result',
    SAMPLE_SHARE,
  ),
});

/** The signed evidence as a file, in place of the page. */
export const shareQuery = z.object({ as: z.optional(z.literal('evidence')) });

/** The path of a shared result. */
export const domainCheckPath = (shareId: string): string => `/s/check/${shareId}`;
