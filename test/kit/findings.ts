import { describeFor } from '../../shared/protocol/findings/catalogue.ts';
import { type Finding, messages } from '../../shared/protocol/findings/finding.ts';

/** A result with the messages of its findings by severity, as in a response. */
export function withMessages<R extends { readonly findings: readonly Finding[] }>(result: R) {
  const findings = result.findings.map(describeFor({ domain: 'example.org' }));
  return { ...result, errors: messages(findings, 'error'), warnings: messages(findings, 'warning') };
}
