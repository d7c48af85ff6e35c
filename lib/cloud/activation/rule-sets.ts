/** The receipt rule sets of SES, which exist only in its older API. */
import {
  DescribeActiveReceiptRuleSetCommand,
  DescribeReceiptRuleSetCommand,
  RuleSetDoesNotExistException,
  SESClient,
  SetActiveReceiptRuleSetCommand,
} from '@aws-sdk/client-ses';
import type { RuleSets } from './activation.ts';

/** The rule sets of the account and region of `ses`. Each call throws what SES answers instead, such as AccessDenied. */
export function sesRuleSets(ses = new SESClient()): RuleSets {
  return {
    active: async () => (await ses.send(new DescribeActiveReceiptRuleSetCommand())).Metadata?.Name,
    activate: async (name) => {
      await ses.send(new SetActiveReceiptRuleSetCommand(name === undefined ? {} : { RuleSetName: name }));
    },
    rules: async (name) => {
      const command = new DescribeReceiptRuleSetCommand({ RuleSetName: name });
      const found = await ses.send(command).catch((error: unknown) => {
        if (error instanceof RuleSetDoesNotExistException) return undefined;
        throw error;
      });
      return found?.Rules?.map((rule) => rule.Name ?? '') ?? [];
    },
  };
}
