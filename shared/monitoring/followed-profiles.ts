/** How a domain stands with the compliance profiles that its organization follows. */
import type { CheckResults } from '../checks/results.ts';
import type { UsageType } from '../checks/state.ts';
import { evaluate } from '../compliance/evaluate.ts';
import { type Standings, standingsAfter } from '../compliance/lapses.ts';
import { profileFor } from '../compliance/own-profile.ts';
import type { ComplianceSettings } from '../store/compliance-settings.ts';

/**
 * The standings after a check run; undefined if the organization follows no profile.
 * @param before Those after the run before.
 */
export function standingsOf(
  results: CheckResults,
  usage: UsageType,
  { follows, own }: Pick<ComplianceSettings, 'follows' | 'own'>,
  before: Standings = {},
): Standings | undefined {
  if (follows.length === 0) return undefined;
  const judged = follows.flatMap((id) => {
    const profile = profileFor(id, own);
    if (profile === undefined) return [];
    return evaluate(profile, results, usage).requirements.map(({ requirement, status }) => ({
      ...{ profile: id, requirement, status },
    }));
  });
  return standingsAfter(before, judged);
}
