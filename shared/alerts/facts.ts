/** The facts of a check run that change detection compares; they contain no wording. */
import { createHash } from 'node:crypto';
import { publishedRecords } from '../checks/records.ts';
import type { CheckName, CheckOutcome, CheckResults, CheckState, UsageType } from '../checks/results.ts';
import { catalogue, isFailedLookup } from '../protocol/findings/catalogue.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { Finding, Severity } from '../protocol/findings/finding.ts';
import { computeScore, type Grade } from '../score/score.ts';

/** An error or a warning of a check, except failed lookups. The rule and the subject identify it. */
export interface Problem {
  readonly id: string;
  readonly subject?: string;
  readonly severity: Severity;
}

/** A problem with its sentence; those stored by earlier versions have none. */
export interface DescribedProblem extends Problem {
  /** The text for people; never compared, because wording changes. */
  readonly sentence?: string;
}

/** The result of one check. */
export interface CheckFacts {
  readonly state: CheckState;
  /** The published records as text; those of DKIM start with the selector and a colon. */
  readonly records: readonly string[];
  /** The problems of the check. */
  readonly faults: readonly DescribedProblem[];
  /**
   * Whether all lookups of the check succeeded. What is missing from an incomplete result may still exist.
   */
  readonly complete: boolean;
}

export interface CheckRunFacts {
  /** 0 to 100; null if no check could be scored. */
  readonly score: number | null;
  readonly grade: Grade | null;
  /** The share of the weights that could be scored, 0 to 1. */
  readonly confidence: number;
  readonly usageType: UsageType;
  /** Identifies the set of rules, so that new rules of a release are not taken for changes of a domain. */
  readonly rules: string;
  readonly checks: Readonly<Record<CheckName, CheckFacts>>;
}

/** The maximum number of characters of a sentence; some quote long lists. */
const MAX_SENTENCE = 200;

const rules = createHash('sha256')
  .update(Object.keys(catalogue).toSorted().join(' '))
  .digest('hex')
  .slice(0, 16);

/** The facts of check results, scored for the usage type. */
export function factsOf(results: CheckResults, usageType: UsageType): CheckRunFacts {
  const { score, grade, confidence } = computeScore(results, usageType);
  const names = Object.keys(results) as CheckName[];
  const checks = names.map((name) => [name, checkFacts(name, results)]);
  return { score, grade, confidence, usageType, rules, checks: Object.fromEntries(checks) };
}

function checkFacts(name: CheckName, results: CheckResults): CheckFacts {
  const outcome: CheckOutcome = results[name];
  const parts = name === 'dkim' ? results.dkim.selectors : [];
  const findings = [outcome, ...parts].flatMap((part) => part.findings);
  return {
    state: outcome.state,
    records: publishedRecords(name, results).toSorted(),
    faults: faultsOf(findings),
    complete: outcome.state !== 'unknown' && !findings.some(isFailedLookup),
  };
}

function faultsOf(findings: readonly Finding[]): readonly DescribedProblem[] {
  return findings
    .filter((finding) => finding.severity !== 'notice' && !isFailedLookup(finding))
    .map(({ id, subject, severity, message }) => ({
      id,
      ...(subject === undefined ? {} : { subject }),
      severity,
      sentence: excerpt(message, MAX_SENTENCE),
    }));
}
