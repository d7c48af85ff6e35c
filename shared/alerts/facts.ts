/** The facts of a check run that change detection compares; they contain no wording. */

import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { contextOf, findingsOf, forEachCheck, publishedRecords } from '../checks/checks.ts';
import type { DkimCheck } from '../checks/dkim/result.ts';
import { NAME_SERVER } from '../checks/records.ts';
import type { CheckOutcome } from '../checks/result-fields.ts';
import type { CheckResults } from '../checks/results.ts';
import { type CheckName, checkNames, checkState, type UsageType, usageTypes } from '../checks/state.ts';
import { catalogue, isFailedLookup } from '../protocol/findings/catalogue.ts';
import { type Finding, finding, type Rules } from '../protocol/findings/finding.ts';
import { list, text, texts } from '../protocol/schema.ts';
import { grade, points } from '../score/grade.ts';
import { computeScore } from '../score/score.ts';
import { observedIn } from './observed.ts';

/** The result of one check. */
const checkFacts = z.object({
  state: checkState,
  /** The published records as text; those of DKIM start with the selector and a colon. */
  records: texts,
  /** The errors and warnings of the check, except failed lookups. */
  faults: list(finding),
  /**
   * Whether all lookups of the check succeeded. What is missing from an incomplete result may still exist.
   */
  complete: z.boolean(),
  /**
   * What the check depends on beside its records: the policy that MTA-STS serves, or the name servers of the zone. Missing if
   * unknown, and for checks without such a thing.
   */
  context: z.optional(texts),
  /**
   * The DKIM keys behind an alias, as `selector: target`: who publishes there can rotate them without the owner. Missing for
   * the other checks.
   */
  aliases: z.optional(texts),
  /** Records are missing, and no second source could be asked about them. */
  unconfirmed: z.optional(z.boolean()),
});

export type CheckFacts = z.infer<typeof checkFacts>;

/** A check that never ran, or whose lookups always failed. */
export const nothingKnown: CheckFacts = { state: 'unknown', records: [], faults: [], complete: false };

export const checkRunFacts = z.object({
  /** Null if no check could be scored. */
  score: z.nullable(points),
  grade: z.nullable(grade),
  /** The share of the weights that could be scored, 0 to 1. */
  confidence: z.number(),
  usageType: z.enum(usageTypes),
  /** Identifies the rules, so that new rules and severities of a release are not taken for changes of a domain. */
  rules: text,
  checks: z.record(z.enum(checkNames), checkFacts),
  /** What `observed.ts` compares: values by the type of the alert, and by what they are about. */
  observed: z.optional(z.record(text, z.record(text, texts))),
});

export type CheckRunFacts = z.infer<typeof checkRunFacts>;

/** The same for the same rules with the same severities, which decide what is a fault. */
export function versionOf(rules: Rules): string {
  const stated = Object.entries(rules).map(
    ([id, { severity, raisesAlert }]) => `${id} ${severity}${raisesAlert === true ? ' alert' : ''}`,
  );
  return createHash('sha256').update(stated.toSorted().join('\n')).digest('hex').slice(0, 16);
}

const rules = versionOf(catalogue);

/**
 * The facts of check results, scored for the usage type.
 * @param isUnconfirmed Whether no second source could be asked about missing records of a check.
 */
export function factsOf(
  results: CheckResults,
  usageType: UsageType,
  isUnconfirmed: (name: CheckName) => boolean = () => false,
): CheckRunFacts {
  const scored = computeScore(results, usageType);
  const of = (name: CheckName) => ({
    ...checkFactsOf(name, results),
    ...(isUnconfirmed(name) ? { unconfirmed: true } : {}),
  });
  return {
    score: scored.score,
    grade: scored.grade,
    confidence: scored.confidence,
    usageType,
    rules,
    observed: observedIn(results),
    checks: forEachCheck(of),
  };
}

function checkFactsOf(name: CheckName, results: CheckResults): CheckFacts {
  const outcome: CheckOutcome = results[name];
  const findings = findingsOf(name, results);
  const context = contextOf(name, results);
  return {
    state: outcome.state,
    records: publishedRecords(name, results).toSorted(),
    faults: faultsOf(findings),
    ...(context !== undefined && { context }),
    ...(name === 'dkim' && aliasesOf(results.dkim)),
    complete: outcome.state !== 'unknown' && !findings.some(isFailedLookup),
  };
}

/** The keys behind aliases. */
function aliasesOf({ selectors }: DkimCheck): Pick<CheckFacts, 'aliases'> {
  const behind = selectors.filter(({ alias, valid }) => valid && alias !== null);
  return { aliases: behind.map(({ selector, alias }) => `${selector}: ${alias}`) };
}

/** Whether a changed record is a name server of the zone. */
export const isNameServer = (record: string): boolean => record.startsWith(NAME_SERVER);

/** Errors and warnings, and notices about what becomes an error by itself. */
function faultsOf(findings: readonly Finding[]): readonly Finding[] {
  const isFault = ({ id, severity }: Finding) => severity !== 'notice' || catalogue[id]?.raisesAlert === true;
  return findings.filter((found) => isFault(found) && !isFailedLookup(found));
}
