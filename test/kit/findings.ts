import { describeFor } from '../../shared/protocol/findings/catalogue.ts';
import { type Finding, messages } from '../../shared/protocol/findings/finding.ts';

const describeFinding = describeFor({ domain: 'example.org' });

/** The message of a finding; undefined if there is none. */
export const messageOf = (finding: Finding | undefined): string | undefined =>
  finding && describeFinding(finding).message;

/** A result with the messages of its findings by severity, as in a response. */
export function withMessages<R extends { readonly findings: readonly Finding[] }>(result: R) {
  const findings = result.findings.map(describeFinding);
  return { ...result, errors: messages(findings, 'error'), warnings: messages(findings, 'warning') };
}
