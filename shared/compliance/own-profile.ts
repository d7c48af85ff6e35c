/** A profile that an organization brings as JSON: requirements of its own, of rules and facts that exist. */
import * as z from 'zod/mini';
import { catalogue } from '../protocol/findings/catalogue.ts';
import { oneLine } from '../protocol/one-line.ts';
import { described, oneOf, textOrNull, withKeywords } from '../protocol/schema.ts';
import { isFact } from './facts.ts';
import type { Profile, RuleId, Scope } from './profile.ts';
import { isProfileId, profiles } from './profiles.ts';
import { level } from './shapes.ts';

/** As many as a person keeps up to date, and little to store and evaluate. */
export const MOST_OWN_PROFILES = 5;
const MOST_REQUIREMENTS = 50;
const MOST_RULES = 20;
/** Of all own profiles of an organization as JSON, in characters: one item of the table, which every check run reads. */
export const MAX_OWN_PROFILES = 60_000;

const ID = /^own-[a-z0-9-]{1,40}$/;

export const ownProfileId = described(
  z
    .string('must be a string')
    .check(z.regex(ID, 'must be own- and at most 40 lowercase letters, digits and hyphens')),
  'ID of the profile, which begins with `own-`',
  'own-baseline',
);

const NO_RULE = 'is not the ID of a rule or fact';

const isRule = (id: string): id is RuleId => isFact(id) || Object.hasOwn(catalogue, id);

/** Which rules there are is asked by `firstUnknownRule`: profiles keep those of other releases. */
export const ruleId = described(
  z.string('must be a string').check(z.maxLength(80, NO_RULE)),
  'ID of the rule of a finding, or of a fact; docs/compliance.md lists the facts',
  'dmarc-below-reject',
);

const scopes = ['all', 'senders', 'non-senders', 'parked', 'receivers'] as const satisfies readonly Scope[];

export const requirementScope = described(
  oneOf(scopes),
  'Which domains it is about. `senders`, `non-senders`, `parked`: by the usage type. `receivers`: those with MX hosts',
);

const ownRequirement = z.object(
  {
    id: described(oneLine(60), 'ID of the requirement, unique in the profile', 'dmarc-reject'),
    section: described(z._default(oneLine(100), '-'), 'Where in your document it is', '4.2'),
    text: described(oneLine(400), 'What it requires', 'The DMARC policy is reject.'),
    level,
    scope: z._default(requirementScope, 'all'),
    rules: described(
      z
        .array(ruleId, 'must be an array')
        .check(z.maxLength(MOST_RULES, `must have at most ${MOST_RULES} rules`)),
      'What violates it: IDs of rules and facts. A rule that reports a failed lookup leaves it unknown. Without any, or with one that only another release knows, it is `not-testable`',
      ['dmarc-missing', 'dmarc-below-reject'],
    ),
  },
  'must be an object',
);

const WEB = /^https?:\/\/[^\s/]/;
const NO_WEB_ADDRESS = 'must be a URL that begins with https:// or http://';

/** Pages link to it, so other schemes, such as javascript:, are refused. */
const webAddress = withKeywords(
  z.string(NO_WEB_ADDRESS).check(
    z.maxLength(400, 'must not be longer than 400 characters'),
    z.refine((given) => WEB.test(given) && URL.canParse(given), NO_WEB_ADDRESS),
  ),
  { format: 'uri', pattern: '^https?://[^\\s/]' },
);

const hasUniqueIds = z.refine<readonly { readonly id: string }[]>(
  (all) => new Set(all.map(({ id }) => id)).size === all.length,
  'must have a different id each',
);

export const ownProfile = z.object(
  {
    id: ownProfileId,
    name: described(oneLine(100), 'Its name', 'Our baseline'),
    version: described(oneLine(60), 'Version of your document', '2026-01'),
    address: described(
      z._default(z.nullable(webAddress), null),
      'Where your document is; `null` if that is nowhere',
      'https://intranet.example.com/mail-policy',
    ),
    requirements: described(
      z
        .array(ownRequirement, 'must be an array')
        .check(
          z.minLength(1, 'must have a requirement'),
          z.maxLength(MOST_REQUIREMENTS, `must have at most ${MOST_REQUIREMENTS} requirements`),
          hasUniqueIds,
        ),
      'Its requirements',
    ),
  },
  'must be an object',
);

export type OwnProfile = Readonly<z.output<typeof ownProfile>>;

export const ownProfiles = z.array(ownProfile, 'must be an array').check(
  z.maxLength(MOST_OWN_PROFILES, `must have at most ${MOST_OWN_PROFILES} profiles`),
  hasUniqueIds,
  z.refine(
    (all) => JSON.stringify(all).length <= MAX_OWN_PROFILES,
    `must not have more than ${MAX_OWN_PROFILES} characters of JSON together`,
  ),
);

/** As stored, also by another release. */
export const storedOwnProfiles = z.array(z.extend(ownProfile, { address: textOrNull }));

/**
 * What is wrong with the first rule that this release does not know; undefined if there is none.
 * @param before The profiles that are stored: their rules of another release stay.
 */
export function firstUnknownRule(given: readonly OwnProfile[], before: readonly OwnProfile[]) {
  const kept = new Set(before.flatMap(({ requirements }) => requirements.flatMap(({ rules }) => rules)));
  const [first] = given.flatMap(({ requirements }, profile) =>
    requirements.flatMap(({ rules }, requirement) =>
      rules.flatMap((id, rule) =>
        isRule(id) || kept.has(id) ? [] : [`${profile}.requirements.${requirement}.rules.${rule}`],
      ),
    ),
  );
  return first === undefined ? undefined : { path: `own.${first}`, message: NO_RULE };
}

/** The table of an own profile, as those of this service are. What has a rule of another release is not testable. */
export function tableOf({ name, version, address, requirements }: OwnProfile): Profile<'own'> {
  return {
    ...{ name, version, description: 'Your own profile.' },
    sources: { own: { title: name, address, date: null, read: 'Given by the organization' } },
    requirements: requirements.map(({ id, section, text, level: wanted, scope, rules }) => {
      const [first, ...others] = rules.every(isRule) ? rules : [];
      return {
        ...{ id, section, source: 'own', text, level: wanted },
        ...(first === undefined
          ? { coverage: 'not covered' }
          : { coverage: 'text', scope, rules: [first, ...others] }),
      };
    }),
  };
}

/** The profile with an ID: of this service, or an own one of the organization. */
export function profileFor(id: string, own: readonly OwnProfile[]): Profile | undefined {
  if (isProfileId(id)) return profiles[id];
  const found = own.find((one) => one.id === id);
  return found === undefined ? undefined : tableOf(found);
}
