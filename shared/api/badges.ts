/** Where badges are. */
import * as z from 'zod/mini';
import { BADGE_TOKEN } from '../store/domains/badges.ts';
import { described, missing } from './common.ts';

const SUFFIX = '.svg';

/** A gateway's path parameter is a whole segment, and so the name of a file as a whole. */
export const badgeFilePath = z.object({
  file: described(
    z
      .string()
      .check(
        z.refine((file) => file.endsWith(SUFFIX) && BADGE_TOKEN.test(badgeTokenOf(file)), missing.badge),
      ),
    'The token of the badge, and .svg behind it',
  ),
});

export const badgePath = (token: string): string => `/badge/${token}${SUFFIX}`;

export function badgeTokenOf(file: string): string {
  return file.slice(0, -SUFFIX.length);
}
