/**
 * Which requirements of the profiles that an organization follows were fulfilled and are violated now. What was violated from the
 * beginning is no news, and a failed lookup ends nothing. As with alerts, two check runs have to agree.
 */
import * as z from 'zod/mini';
import type { RequirementStatus } from './shapes.ts';

/** How a followed requirement stands: it was fulfilled; one check run found it violated; a second one agreed. */
const standing = z.enum(['met', 'doubted', 'lapsed']);

/** By profile and requirement, such as `bod-18-01/reject`; without those that were never fulfilled. */
export const standings = z.record(z.string(), standing);

export type Standings = Readonly<z.infer<typeof standings>>;

interface Followed {
  readonly profile: string;
  readonly requirement: string;
  readonly status: RequirementStatus;
}

/** The standings after a check run. */
export function standingsAfter(before: Standings, followed: readonly Followed[]): Standings {
  return Object.fromEntries(
    followed.flatMap(({ profile, requirement, status }) => {
      const key = `${profile}/${requirement}`;
      const after = next(before[key], status);
      return after === undefined ? [] : [[key, after]];
    }),
  );
}

function next(
  before: Standings[string] | undefined,
  status: RequirementStatus,
): Standings[string] | undefined {
  switch (status) {
    case 'fulfilled':
      return 'met';
    case 'violated':
      return before === undefined ? undefined : before === 'met' ? 'doubted' : 'lapsed';
    case 'unknown':
      return before;
    case 'not-applicable':
    case 'not-testable':
      return undefined;
  }
}

/** The requirements that lapsed, as `profile/requirement`. */
export const lapsedIn = (all: Standings): readonly string[] =>
  Object.keys(all).filter((key) => all[key] === 'lapsed');
