/** Requests and responses of compliance: a domain or all domains against a profile, and what the organization follows. */
import * as z from 'zod/mini';
import type { JudgedRequirement, Judgement } from '../compliance/evaluate.ts';
import { MOST_OWN_PROFILES, ownProfile, ownProfiles } from '../compliance/own-profile.ts';
import type { Profile, Requirement, Source } from '../compliance/profile.ts';
import {
  causes,
  complianceStatus,
  countsOf,
  coverage,
  level,
  requirementCounts,
  requirementStatus,
} from '../compliance/shapes.ts';
import { count, described, domainName, list, text, textOrNull, timestamp, uuid } from '../protocol/schema.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import { boundedPagination } from './common.ts';
import { csv } from './csv.ts';
import { tag } from './domain-fields.ts';
import { jsonObject } from './json-object.ts';

const profileId = described(
  z.string('must be the ID of a profile').check(z.regex(/^[a-z0-9-]{1,44}$/, 'must be the ID of a profile')),
  'ID of the profile: one of this service, or an own one of the organization',
  'bod-18-01',
);

export const complianceQuery = z.object({ profile: profileId });

const pagination = boundedPagination(10_000, 'narrow the list with status or tag');

export const organizationComplianceQuery = z
  .object({
    profile: profileId,
    ...pagination.shape,
    status: described(z.optional(complianceStatus), 'Return only domains with this status', 'violated'),
    tag: described(z.optional(tag), 'Return only domains with this tag', 'production'),
  })
  .check(pagination.check);

const source = z.object({
  title: described(text, 'Title of the document', 'Binding Operational Directive 18-01 (CISA)'),
  address: described(textOrNull, 'Where its publisher has it', 'https://www.cisa.gov/'),
  date: described(textOrNull, 'The day or month of the version that was read', '2017-10-16'),
  read: described(text, 'How much of it was read for this profile, and where', 'In full'),
});

const shownProfile = z.object({
  id: profileId,
  name: described(text, 'Name of the profile', 'CISA BOD 18-01 Enhance Email and Web Security'),
  version: described(text, 'Version of its documents', '2017-10-16'),
  description: described(text, 'Whom it concerns and what it leaves out', 'For federal agencies.'),
  source: described(source, 'The main document'),
});

export const shownRequirement = z.object({
  id: described(text, 'ID of the requirement, unique in the profile', 'reject'),
  section: described(text, 'Where in the source it is', 'II.1.a.iv'),
  source: described(source, 'The document that it is from'),
  text: described(text, 'What it requires, in our words', 'The DMARC policy is reject.'),
  level,
  coverage,
  status: requirementStatus,
  findings: described(causes, 'Why it is violated, or what keeps it unknown'),
});

const fulfilled = described(
  z.nullable(z.boolean()),
  'Whether `status` is `fulfilled`; `null` if that is unknown, or nothing concerns the domain. It never covers what is `not-testable`',
  false,
);

const ofDomain = {
  checkedAt: described(z.nullable(timestamp), 'Time of the latest check run; `null` before the first'),
  status: complianceStatus,
  fulfilled,
  counts: described(requirementCounts, 'How many requirements have each status'),
};

export const compliance = z.object({
  profile: described(shownProfile, 'The profile'),
  domainId: uuid,
  domain: domainName,
  ...ofDomain,
  requirements: described(list(shownRequirement), 'The requirements, in the order of the profile'),
});

export const listedCompliance = z.object({
  domainId: uuid,
  domain: domainName,
  ...ofDomain,
  violated: described(list(text), 'IDs of the requirements that are violated', ['reject']),
});

const domains = (what: string, example: number) =>
  described(count, `Number of domains that are ${what}`, example);

export const organizationCompliance = z.object({
  profile: described(shownProfile, 'The profile'),
  counts: described(
    z.object({
      violated: domains('`violated`', 2),
      unknown: domains('`unknown`', 0),
      fulfilled: domains('`fulfilled`', 5),
      notApplicable: domains('`not-applicable`', 1),
    }),
    'Domains by status, whatever the filters. As the latest check run of each domain stored it: a profile that changed since then shows at the next one',
  ),
  domains: described(list(listedCompliance), 'The domains of the page, in the order of registration'),
});

export type OrganizationCompliance = z.output<typeof organizationCompliance>;

const follows = z
  .array(profileId, 'must be an array')
  .check(z.maxLength(20, 'must not have more than 20 profiles'));

export const complianceSettingsBody = jsonObject({
  follows: described(
    z.optional(follows),
    'IDs of the profiles to follow: when a domain that fulfilled one of their requirements violates it, an attention item opens. Default: unchanged',
    ['bod-18-01'],
  ),
  own: described(
    z.optional(ownProfiles),
    `Your own profiles, at most ${MOST_OWN_PROFILES}; they replace those before. Default: unchanged`,
  ),
});

export const complianceSettings = z.object({
  follows: described(list(text), 'IDs of the profiles that the organization follows; by default none', [
    'bod-18-01',
  ]),
  own: described(list(ownProfile), 'The own profiles of the organization'),
  available: described(list(shownProfile), 'All profiles, with the own ones'),
});

/** The profile as responses show it. */
export function showProfile(id: string, profile: Profile): z.output<typeof shownProfile> {
  const { name, version, description } = profile;
  return { id, name, version, description, source: mainSource(profile) };
}

function mainSource({ sources }: Profile): Source {
  const [first] = Object.values(sources);
  if (first === undefined) throw new Error('a profile has a source');
  return first;
}

const sourceOf = ({ sources }: Profile, { source: key }: Requirement): Source => {
  const found = sources[key];
  if (found === undefined) throw new Error(`the profile has no source ${key}`);
  return found;
};

const FULFILLED = { fulfilled: true, violated: false, unknown: null, 'not-applicable': null } as const;

/** What is said of a domain as a whole. */
export const showJudgement = ({ status, requirements }: Judgement, checkedAt: string | null) => ({
  ...{ checkedAt, status, fulfilled: FULFILLED[status] },
  counts: countsOf(requirements),
});

export const showCompliance = (
  { id, domain }: Pick<DomainReference, 'id' | 'domain'>,
  profile: { readonly id: string; readonly table: Profile },
  judgement: Judgement,
  checkedAt: string | null,
): z.output<typeof compliance> => ({
  profile: showProfile(profile.id, profile.table),
  ...{ domainId: id, domain },
  ...showJudgement(judgement, checkedAt),
  requirements: judgement.requirements.map((one) => showRequirement(profile.table, one)),
});

const showRequirement = (
  profile: Profile,
  { requirement, status, findings }: JudgedRequirement,
): z.output<typeof shownRequirement> => {
  const { id, section, text: says, level: wanted, coverage: covered } = requirement;
  return {
    ...{ id, section, source: sourceOf(profile, requirement), text: says },
    ...{ level: wanted, coverage: covered, status, findings },
  };
};

/** The requirements of a domain as CSV. */
export const complianceCsv = ({ domain, checkedAt, profile, requirements }: z.output<typeof compliance>) =>
  csv(
    [
      ...['domain', 'checkedAt', 'profile', 'version', 'requirement', 'section', 'source', 'sourceDate'],
      ...['level', 'coverage', 'status', 'text', 'findings'],
    ],
    requirements.map((one) => [
      ...[domain, checkedAt, profile.id, profile.version, one.id, one.section],
      ...[one.source.address, one.source.date, one.level, one.coverage, one.status, one.text],
      one.findings.map(({ message }) => message).join(' '),
    ]),
  );

/** Domains with their statuses as CSV. */
export const organizationComplianceCsv = (
  { id }: Pick<z.output<typeof shownProfile>, 'id'>,
  rows: readonly z.output<typeof listedCompliance>[],
) =>
  csv(
    [
      ...['domain', 'domainId', 'profile', 'checkedAt', 'status', 'fulfilled', 'violated', 'unknown'],
      ...['notApplicable', 'notTestable', 'violatedRequirements'],
    ],
    rows.map(({ domain, domainId, checkedAt, status, counts, violated }) => [
      ...[domain, domainId, id, checkedAt, status, counts.fulfilled, counts.violated, counts.unknown],
      ...[counts.notApplicable, counts.notTestable, violated.join(' ')],
    ]),
  );
