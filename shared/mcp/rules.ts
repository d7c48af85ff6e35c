/** The rules behind findings, as resources and for the tool that explains one. */
import { catalogue } from '../protocol/findings/catalogue.ts';
import { sampleOf } from '../protocol/findings/sample.ts';

export const ruleUri = (id: string): string => `finding://${id}`;

export const ruleIds: readonly string[] = Object.keys(catalogue);

interface RuleText {
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'notice';
  /** Document and section, such as `RFC 7208 section 4.5`. */
  readonly cites: string;
  readonly fix: string;
}

/** A rule, with the names of arguments in place of their values; undefined if there is none with this ID. */
export function ruleText(id: string): RuleText | undefined {
  const rule = Object.hasOwn(catalogue, id) ? catalogue[id] : undefined;
  return rule && { id, severity: rule.severity, cites: rule.cites, fix: sampleOf(rule.fix) };
}
