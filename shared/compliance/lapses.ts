/**
 * Which requirements of the profiles that an organization follows were fulfilled and are violated now. What was violated from the
 * beginning is no news, and a failed lookup ends nothing. As with alerts, two check runs have to agree.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { JudgedRequirement } from './evaluate.ts';
import type { Requirement } from './profile.ts';
import type { RequirementStatus } from './shapes.ts';

/** How a followed requirement stands: it was fulfilled; one check run found it violated; a second one agreed. */
const standing = z.enum(['met', 'doubted', 'lapsed']);

/** By profile, requirement and its rules, such as `bod-18-01/reject#x3Jv0a1b`; without those that were never fulfilled. */
export const standings = z.record(z.string(), standing);

export type Standings = Readonly<z.infer<typeof standings>>;

interface Followed extends Pick<JudgedRequirement, 'requirement' | 'status'> {
  readonly profile: string;
}

/** The standings after a check run. */
export function standingsAfter(before: Standings, followed: readonly Followed[]): Standings {
  return Object.fromEntries(
    followed.flatMap(({ profile, requirement, status }) => {
      const key = `${profile}/${requirement.id}#${rulesOf(requirement)}`;
      const after = next(before[key], status);
      return after === undefined ? [] : [[key, after]];
    }),
  );
}

/** What decides a requirement, in short: with other rules it is another one, so that what these add is no news. */
const rulesOf = ({ scope, rules }: Requirement): string =>
  createHash('sha256')
    .update(JSON.stringify([scope, rules?.toSorted()]))
    .digest('base64url')
    .slice(0, 8);

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
  Object.keys(all)
    .filter((key) => all[key] === 'lapsed')
    .map((key) => key.replace(/#[^#]*$/, ''));
