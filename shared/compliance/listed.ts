/** The statuses of a domain for all profiles, as short text for the directory of an organization's domains. */
import type { CheckResults } from '../checks/results.ts';
import { type UsageType, usageTypes } from '../checks/state.ts';
import { evaluate } from './evaluate.ts';
import { type OwnProfile, tableOf } from './own-profile.ts';
import type { Profile } from './profile.ts';
import { isProfileId, profileIds, profiles } from './profiles.ts';
import { type ComplianceStatus, complianceStatuses } from './shapes.ts';

const letters: Readonly<Record<ComplianceStatus, string>> = {
  violated: 'v',
  unknown: 'u',
  fulfilled: 'f',
  'not-applicable': 'n',
};

/** A letter for each usage type, because that can change without a check run. */
const lettersOf = (profile: Profile, results: CheckResults): string =>
  usageTypes.map((usage) => letters[evaluate(profile, results, usage).status]).join('');

/** `vvfn…`, in the order of the profiles, and after it `,own-baseline=vvff` for each own one. */
export function listedStatuses(results: CheckResults, own: readonly OwnProfile[]): string {
  const built = profileIds.map((id) => lettersOf(profiles[id], results)).join('');
  return [built, ...own.map((one) => `${one.id}=${lettersOf(tableOf(one), results)}`)].join();
}

/** The status in such a text; unknown for a profile that is newer. */
export function listedStatus(text: string, profile: string, usage: UsageType): ComplianceStatus {
  const [built = '', ...own] = text.split(',');
  const at = usageTypes.indexOf(usage);
  const letter = isProfileId(profile)
    ? built[profileIds.indexOf(profile) * usageTypes.length + at]
    : own.find((one) => one.startsWith(`${profile}=`))?.[profile.length + 1 + at];
  return complianceStatuses.find((status) => letters[status] === letter) ?? 'unknown';
}
