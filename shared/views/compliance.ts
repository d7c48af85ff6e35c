/** How domains stand with a compliance profile, from their stored check results. */
import type * as z from 'zod/mini';
import {
  type compliance,
  type complianceSettings,
  type OrganizationCompliance,
  showCompliance,
  showJudgement,
  showProfile,
} from '../api/compliance.ts';
import { evaluate } from '../compliance/evaluate.ts';
import { profileFor } from '../compliance/own-profile.ts';
import type { Profile } from '../compliance/profile.ts';
import { profileIds } from '../compliance/profiles.ts';
import type { ComplianceStatus } from '../compliance/shapes.ts';
import { invalid, Refused } from '../operations/outcome.ts';
import type { CheckStore } from '../store/check-runs/checks.ts';
import type { ComplianceSettings, ComplianceSettingsStore } from '../store/compliance-settings.ts';
import type { DirectoryStore } from '../store/domains/directory.ts';
import type { Domain } from '../store/domains/domain.ts';
import { complianceOfRow } from '../store/domains/select-rows.ts';

export interface ComplianceDependencies {
  readonly checks: Pick<CheckStore, 'latest'>;
  readonly compliance: Pick<ComplianceSettingsStore, 'getSoon'>;
}

export interface OrganizationComplianceDependencies {
  readonly checks: Pick<CheckStore, 'latestOfMany'>;
  readonly compliance: Pick<ComplianceSettingsStore, 'getSoon'>;
  readonly directory: Pick<DirectoryStore, 'list'>;
}

interface NamedProfile {
  readonly id: string;
  readonly table: Profile;
}

/** The IDs of all profiles that an organization can choose. */
export const profilesOf = ({ own }: Pick<ComplianceSettings, 'own'>): readonly string[] => [
  ...profileIds,
  ...own.map(({ id }) => id),
];

/** The profiles that an organization can choose, in the order in which they are shown. */
export const namedProfiles = (settings: Pick<ComplianceSettings, 'own'>): readonly NamedProfile[] =>
  profilesOf(settings).flatMap((id) => {
    const table = profileFor(id, settings.own);
    return table === undefined ? [] : [{ id, table }];
  });

function named(id: string, settings: ComplianceSettings): NamedProfile | Refused<'invalid_request'> {
  const table = profileFor(id, settings.own);
  return table === undefined
    ? invalid({ path: 'profile', message: `must be one of ${profilesOf(settings).join(', ')}` })
    : { id, table };
}

/** What a page about a domain shows. */
export interface ComplianceView {
  readonly compliance: z.output<typeof compliance>;
  /** What a visitor can choose from. */
  readonly profiles: readonly ProfileChoice[];
}

export interface ProfileChoice {
  readonly id: string;
  readonly name: string;
  /** Whether the organization follows it. */
  readonly isFollowed: boolean;
}

const choicesOf = (settings: ComplianceSettings): readonly ProfileChoice[] =>
  namedProfiles(settings).map(({ id, table }) => ({
    ...{ id, name: table.name, isFollowed: settings.follows.includes(id) },
  }));

/** The profile that a page shows without a choice: the first one that is followed, or that there is. */
const firstOf = (settings: ComplianceSettings): string =>
  settings.follows.find((id) => profileFor(id, settings.own) !== undefined) ?? profileIds[0] ?? '';

/** A domain and a profile, for a page. @param profile By default the first one that is followed. */
export async function complianceView(
  domain: Domain,
  profile: string | undefined,
  deps: ComplianceDependencies,
): Promise<ComplianceView | Refused<'invalid_request'>> {
  const settings = await deps.compliance.getSoon(domain.organization);
  const found = await complianceOf(domain, profile ?? firstOf(settings), deps);
  return found instanceof Refused ? found : { compliance: found, profiles: choicesOf(settings) };
}

/** What the page about all domains shows. */
export interface OrganizationComplianceView extends OrganizationCompliance {
  readonly profiles: readonly ProfileChoice[];
  readonly own: ComplianceSettings['own'];
  readonly matching: number;
}

/** All domains and a profile, for a page. */
export async function organizationComplianceView(
  organization: string,
  query: Omit<OrganizationQuery, 'profile'> & { readonly profile: string | undefined },
  deps: OrganizationComplianceDependencies,
  now: Date,
): Promise<OrganizationComplianceView | Refused<'invalid_request'>> {
  const settings = await deps.compliance.getSoon(organization);
  const profile = query.profile ?? firstOf(settings);
  const found = await organizationComplianceOf(organization, { ...query, profile }, deps, now);
  return found instanceof Refused ? found : { ...found, profiles: choicesOf(settings), own: settings.own };
}

/** A domain and a profile. */
export async function complianceOf(
  domain: Domain,
  profile: string,
  { checks, compliance: stored }: ComplianceDependencies,
) {
  const [settings, latest] = await Promise.all([
    stored.getSoon(domain.organization),
    checks.latest(domain.id),
  ]);
  const found = named(profile, settings);
  if (found instanceof Refused) return found;
  const judgement = evaluate(found.table, latest?.results, domain.usageType);
  return showCompliance(domain, found, judgement, latest?.checkedAt ?? null);
}

interface OrganizationQuery {
  readonly profile: string;
  readonly status?: ComplianceStatus | undefined;
  readonly tag?: string | undefined;
  readonly page: number;
  readonly limit: number;
}

/**
 * The domains of an organization and a profile. Counts and filters read the directory, and only the domains of the page are
 * evaluated, so a page costs the same wherever it is.
 */
export async function organizationComplianceOf(
  organization: string,
  { profile, status, tag, page, limit }: OrganizationQuery,
  { checks, compliance: stored, directory }: OrganizationComplianceDependencies,
  now: Date,
): Promise<(OrganizationCompliance & { readonly matching: number }) | Refused<'invalid_request'>> {
  const found = named(profile, await stored.getSoon(organization));
  if (found instanceof Refused) return found;
  const filter = { sort: 'createdAt', tag, compliance: status && { profile, status } } as const;
  const { listed, matching, all } = await directory.list(organization, filter, { page, limit }, now);
  const latest = await checks.latestOfMany(listed.map(({ domain }) => domain.id));
  const counted = Map.groupBy(all, (row) => complianceOfRow(row, profile));
  const count = (wanted: ComplianceStatus) => counted.get(wanted)?.length ?? 0;
  return {
    profile: showProfile(found.id, found.table),
    counts: {
      violated: count('violated'),
      unknown: count('unknown'),
      fulfilled: count('fulfilled'),
      notApplicable: count('not-applicable'),
    },
    domains: listed.map(({ domain }) => {
      const run = latest.get(domain.id);
      const judgement = evaluate(found.table, run?.results, domain.usageType);
      return {
        ...{ domainId: domain.id, domain: domain.domain },
        ...showJudgement(judgement, run?.checkedAt ?? null),
        violated: judgement.requirements
          .filter((one) => one.status === 'violated')
          .map(({ requirement }) => requirement.id),
      };
    }),
    matching,
  };
}

/** The settings of an organization with the profiles that it can choose. */
export const showComplianceSettings = (
  settings: Pick<ComplianceSettings, 'follows' | 'own'>,
): z.output<typeof complianceSettings> => ({
  ...{ follows: settings.follows, own: settings.own },
  available: namedProfiles(settings).map(({ id, table }) => showProfile(id, table)),
});
