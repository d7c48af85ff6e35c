/** The custom resource of CloudFormation that activates the receipt rule set of the mail stack. */
import {
  DescribeActiveReceiptRuleSetCommand,
  SESClient,
  SetActiveReceiptRuleSetCommand,
} from '@aws-sdk/client-ses';
import type { CloudFormationCustomResourceEvent as Event } from 'aws-lambda';
import * as z from 'zod/mini';
import { activate, deactivate, type RuleSets } from './activation.ts';
import { customResource } from './custom-resource.ts';

const properties = z.object({
  ruleSetName: z.string(),
  // CloudFormation makes text of whatever the template holds.
  takeOver: z.enum(['true', 'false']),
});

/** What the custom resource does, on whatever rule sets. */
export async function apply(event: Event, sets: RuleSets): Promise<void> {
  const { ruleSetName, takeOver } = properties.parse(event.ResourceProperties);
  if (event.RequestType === 'Delete') return deactivate(ruleSetName, sets);
  const former = event.RequestType === 'Update' ? event.OldResourceProperties.ruleSetName : undefined;
  return activate({ ruleSetName, formerName: former, takeOver: takeOver === 'true' }, sets);
}

/** Of SES there is one API for this, the older one. */
export function sesRuleSets(ses = new SESClient()): RuleSets {
  return {
    active: async () => (await ses.send(new DescribeActiveReceiptRuleSetCommand())).Metadata?.Name,
    activate: async (name) => {
      await ses.send(new SetActiveReceiptRuleSetCommand(name === undefined ? {} : { RuleSetName: name }));
    },
  };
}

export const handler = customResource('active-receipt-rule-set', (event) => apply(event, sesRuleSets()));
