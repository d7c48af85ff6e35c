/** Tools about any domain, which need no organization. */
import * as z from 'zod/mini';
import { domainCheckForm } from '../api/domain-check-requests.ts';
import type { OwnedCheck } from '../operations/domain-checker/check-any-domain.ts';
import type { Outcome } from '../operations/outcome.ts';
import { describeFor } from '../protocol/findings/catalogue.ts';
import { findingArguments } from '../protocol/findings/finding.ts';
import { described } from '../protocol/schema.ts';
import { assess, showCheck } from '../views/assessed-check.ts';
import { ruleText } from './rules.ts';
import { granted, type Tool, type ToolCaller, ToolRefusal, tool } from './tool.ts';

export interface CheckToolDependencies {
  /** Checks a domain, for its owner if the caller is the owner. */
  readonly check: (
    input: z.output<typeof domainCheckForm>,
    caller: ToolCaller,
  ) => Promise<Outcome<OwnedCheck>>;
  readonly hostUrl: string;
}

const findingToExplain = z.object({
  id: described(z.string().check(z.maxLength(100)), 'The ID of the finding', 'dmarc-monitoring-only'),
  domain: described(z.optional(z.string().check(z.maxLength(253))), 'The domain that has it', 'example.org'),
  arguments: described(z.optional(findingArguments), 'The arguments of the finding, as a check has them'),
});

export const checkTools: readonly Tool<CheckToolDependencies>[] = [
  tool({
    name: 'check_domain',
    title: 'Check a domain',
    description:
      'Checks the email security of any domain now: the results of all checks with their findings, the score, and recommended changes of DNS records. Takes up to 20 seconds.',
    input: domainCheckForm,
    async run(caller, input, { check, hostUrl }: CheckToolDependencies) {
      const { value: checked } = granted(await check(input, caller));
      return showCheck(await assess(checked), { owner: checked.owner, shareId: null, hostUrl });
    },
  }),
  tool({
    name: 'explain_finding',
    title: 'Explain a finding',
    description:
      'Explains a finding of a check by its ID: severity, the document and section that it is based on, and how to fix it. With the arguments of the finding, also its message and the records to publish.',
    input: findingToExplain,
    async run(_caller, { id, domain = '<domain>', arguments: values }) {
      const rule = ruleText(id);
      if (rule === undefined) throw new ToolRefusal(`there is no rule with the ID ${id}`);
      if (values === undefined) return rule;
      try {
        const finding = { id, severity: rule.severity, arguments: values };
        const { message, fix } = describeFor({ domain })(finding);
        return { ...rule, message, fix };
      } catch {
        throw new ToolRefusal('the arguments are not those of this finding');
      }
    },
  }),
];
