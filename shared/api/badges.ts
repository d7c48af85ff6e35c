/** URLs of badges. */
import * as z from 'zod/mini';
import { described, withKeywords } from '../protocol/schema.ts';
import { BADGE_TOKEN } from '../store/domains/badges.ts';
import { missing } from './common.ts';

const SUFFIX = '.svg';

/** A path parameter of API Gateway is always a whole path segment, so it includes the file extension. */
export const badgeFilePath = z.object({
  file: withKeywords(
    described(
      z
        .string()
        .check(
          z.refine((file) => file.endsWith(SUFFIX) && BADGE_TOKEN.test(badgeTokenOf(file)), missing.badge),
        ),
      'The token of the badge, followed by `.svg`',
      `5f2c8e0b7a914d36b1e4f7a2c3d60985${SUFFIX}`,
    ),
    { pattern: BADGE_TOKEN.source.replace('$', '\\.svg$') },
  ),
});

export const badgePath = (token: string): string => `/badge/${token}${SUFFIX}`;

export function badgeTokenOf(file: string): string {
  return file.slice(0, -SUFFIX.length);
}
