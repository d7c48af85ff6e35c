/** What alerts are about: the facts of a run of checks that two runs can be compared by, without any wording. */
import { createHash } from 'node:crypto';
import { isUnasked } from '../checks/last-known.ts';
import { publishedRecords } from '../checks/records.ts';
import type { CheckName, CheckOutcome, CheckResults, CheckState, UsageType } from '../checks/results.ts';
import { catalogue } from '../protocol/findings/catalogue.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { Finding, Severity } from '../protocol/findings/finding.ts';
import { computeScore, type Grade } from '../score/score.ts';

/** A fault by its identity: the rule and what it is about. */
export interface Fault {
  readonly id: string;
  readonly subject?: string;
  readonly severity: Severity;
}

/** A fault as it was seen; what was stored before faults had sentences has none. */
export interface SeenFault extends Fault {
  /** What people are told; never compared, for wording changes. */
  readonly sentence?: string;
}

/** What one check saw. */
export interface CheckFacts {
  readonly state: CheckState;
  /** The records published, as text; those of DKIM begin with their selector and a colon. */
  readonly records: readonly string[];
  /** Findings that are errors or warnings. */
  readonly faults: readonly SeenFault[];
  /**
   * Whether everything that the check asks for was answered; what is missing from an incomplete one may only not have
   * been seen.
   */
  readonly complete: boolean;
}

export interface Facts {
  /** 0 to 100; null where nothing could be judged. */
  readonly score: number | null;
  readonly grade: Grade | null;
  /** The share of the score that rests on answers, 0 to 1. */
  readonly confidence: number;
  readonly usageType: UsageType;
  /** By which rules the faults were found: a release that knows more of them changes nothing about a domain. */
  readonly rules: string;
  readonly checks: Readonly<Record<CheckName, CheckFacts>>;
}

/** Characters of a sentence: some quote lists. */
const MAX_SENTENCE = 200;

const rules = createHash('sha256')
  .update(Object.keys(catalogue).toSorted().join(' '))
  .digest('hex')
  .slice(0, 16);

/** The facts of results, as the domain is used now. */
export function factsOf(results: CheckResults, usageType: UsageType): Facts {
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
    complete: outcome.state !== 'unknown' && !findings.some(isUnasked),
  };
}

function faultsOf(findings: readonly Finding[]): readonly SeenFault[] {
  return findings
    .filter((finding) => finding.severity !== 'notice' && !isUnasked(finding))
    .map(({ id, subject, severity, message }) => ({
      id,
      ...(subject === undefined ? {} : { subject }),
      severity,
      sentence: excerpt(message, MAX_SENTENCE),
    }));
}
