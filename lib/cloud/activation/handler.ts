/** The CloudFormation custom resource that activates the receipt rule set of the mail stack. */
import {
  DescribeActiveReceiptRuleSetCommand,
  DescribeReceiptRuleSetCommand,
  RuleSetDoesNotExistException,
  SESClient,
  SetActiveReceiptRuleSetCommand,
} from '@aws-sdk/client-ses';
import type { CloudFormationCustomResourceEvent as Event } from 'aws-lambda';
import * as z from 'zod/mini';
import { activate, deactivate, keepActive, type RuleSets } from './activation.ts';
import { customResource } from './custom-resource.ts';

const properties = z.object({
  ruleSetName: z.string(),
  // CloudFormation converts all property values to strings.
  takeOver: z.enum(['true', 'false']),
  ownRules: z.array(z.string()),
});

/** Handles an event of the custom resource. @returns a message for the operator, if any. */
export async function apply(event: Event, sets: RuleSets): Promise<string | undefined> {
  const { ruleSetName, takeOver, ownRules } = properties.parse(event.ResourceProperties);
  switch (event.RequestType) {
    case 'Create':
      await activate(ruleSetName, takeOver === 'true', sets);
      return undefined;
    case 'Update':
      return keepActive(ruleSetName, event.OldResourceProperties.ruleSetName, sets);
    case 'Delete':
      await deactivate(ruleSetName, ownRules, sets);
      return undefined;
  }
}

/** Receipt rules exist only in the older SES API. */
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

export const handler = customResource('active-receipt-rule-set', (event) => apply(event, sesRuleSets()));
