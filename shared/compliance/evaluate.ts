/** Which requirements of a profile a domain fulfills, from its stored check results. Pure: nothing is looked up. */

import { findingsOf } from '../checks/checks.ts';
import type { CheckResults } from '../checks/results.ts';
import { type CheckName, checkNames, type UsageType } from '../checks/state.ts';
import { catalogue } from '../protocol/findings/catalogue.ts';
import { type Finding, messageOf } from '../protocol/findings/finding.ts';
import { factOf, isFact } from './facts.ts';
import { concerns, type Profile, type Requirement, type RuleId, type Scope } from './profile.ts';
import type { ComplianceStatus, RequirementCause, RequirementStatus } from './shapes.ts';

export interface JudgedRequirement {
  readonly requirement: Requirement;
  readonly status: RequirementStatus;
  /** Why it is violated, or unknown. */
  readonly findings: readonly RequirementCause[];
}

export interface Judgement {
  readonly status: ComplianceStatus;
  readonly requirements: readonly JudgedRequirement[];
}

/** @param results Of the latest check run; undefined before the first. */
export function evaluate(
  { requirements }: Pick<Profile, 'requirements'>,
  results: CheckResults | undefined,
  usage: UsageType,
): Judgement {
  const judged = requirements.map((requirement) => ({
    requirement,
    ...(results === undefined ? beforeCheck(requirement, usage) : judge(requirement, results, usage)),
  }));
  return { status: statusOf(judged), requirements: judged };
}

type Verdict = Pick<JudgedRequirement, 'status' | 'findings'>;

const without = (status: RequirementStatus): Verdict => ({ status, findings: [] });

function beforeCheck({ scope }: Requirement, usage: UsageType): Verdict {
  if (scope === undefined) return without('not-testable');
  return without(concerns(scope, usage) === false ? 'not-applicable' : 'unknown');
}

function judge({ scope, rules }: Requirement, results: CheckResults, usage: UsageType): Verdict {
  if (rules === undefined) return without('not-testable');
  const applies = isAbout(scope, results, usage);
  if (applies !== true) return without(applies === false ? 'not-applicable' : 'unknown');
  const causes = rules.map((rule) => causesOf(rule, results));
  const broken = causes.flatMap(({ violations }) => violations);
  if (broken.length > 0) return { status: 'violated', findings: broken };
  const doubts = unique(causes.flatMap((one) => one.doubts));
  const isUnknown = doubts.length > 0 || causes.some((one) => one.isUnknown);
  return isUnknown ? { status: 'unknown', findings: doubts } : without('fulfilled');
}

/** Undefined if that is unknown. */
function isAbout(scope: Scope, { mx }: CheckResults, usage: UsageType): boolean | undefined {
  const known = concerns(scope, usage);
  if (known !== undefined) return known;
  if (mx.state === 'unknown' && mx.records.length === 0) return undefined;
  return mx.records.some(({ exchange }) => exchange !== '.');
}

interface Causes {
  readonly violations: readonly RequirementCause[];
  readonly doubts: readonly RequirementCause[];
  readonly isUnknown: boolean;
}

/** What a rule contributes: what was found of it, and what keeps it from being known. */
function causesOf(rule: RuleId, results: CheckResults): Causes {
  const checks = checksOf(rule);
  const all = checks.flatMap((name) => findingsOf(name, results));
  const failed = all.filter(({ id }) => catalogue[id]?.failedLookup === 'check');
  const unknown = checks.some((name) => results[name].state === 'unknown');
  const doubts = failed.map(causeOf);
  if (isFact(rule)) {
    const { holds, says } = factOf(rule);
    if (unknown) return { violations: [], doubts, isUnknown: true };
    const isSo = holds(results);
    return {
      violations: isSo === true ? [{ id: rule, message: says }] : [],
      doubts: isSo === null ? doubts : [],
      isUnknown: isSo === null,
    };
  }
  const found = all.filter(({ id }) => id === rule).map(causeOf);
  // A rule that reports a failed lookup says nothing about the domain.
  if (catalogue[rule]?.failedLookup !== undefined)
    return { violations: [], doubts: [...found, ...doubts], isUnknown: unknown };
  return { violations: found, doubts, isUnknown: unknown };
}

const causeOf = (found: Finding): RequirementCause => ({
  id: found.id,
  ...(found.subject !== undefined && { subject: found.subject }),
  message: messageOf(found, catalogue),
});

const unique = (causes: readonly RequirementCause[]): RequirementCause[] => [
  ...new Map(causes.map((cause) => [`${cause.id} ${cause.subject ?? ''}`, cause])).values(),
];

/** How the IDs of the rules of a check begin. */
const prefixes: Readonly<Record<CheckName, readonly string[]>> = {
  mx: ['mx-', 'unowned-mx-'],
  spf: ['spf-', 'unowned-spf-'],
  dkim: ['dkim-', 'unowned-dkim-'],
  dmarc: ['dmarc-'],
  mtaSts: ['mta-sts-'],
  tlsRpt: ['tls-rpt-'],
  bimi: ['bimi-'],
  dnssec: ['dnssec-', 'zone-server', 'zone-serials-', 'unowned-name-server'],
  caa: ['caa-'],
};

/** The checks that know whether a rule is violated; rules about aliases are of every check. */
export function checksOf(rule: RuleId): readonly CheckName[] {
  if (isFact(rule)) return [factOf(rule).check];
  const found = checkNames.filter((name) => prefixes[name].some((prefix) => rule.startsWith(prefix)));
  return found.length === 0 ? checkNames : found;
}

/**
 * What holds for the profile: of its mandatory requirements that checks can decide and that concern the domain, or if there are
 * none, of all of these.
 */
function statusOf(judged: readonly JudgedRequirement[]): ComplianceStatus {
  const decided = judged.filter(({ status }) => status !== 'not-testable' && status !== 'not-applicable');
  const mandatory = decided.filter(({ requirement }) => requirement.level === 'must');
  const counted = mandatory.length > 0 ? mandatory : decided;
  if (counted.length === 0) return 'not-applicable';
  if (counted.some(({ status }) => status === 'violated')) return 'violated';
  return counted.some(({ status }) => status === 'unknown') ? 'unknown' : 'fulfilled';
}
