/** The CloudFormation custom resource that activates the receipt rule set of the mail stack. */
import type { CloudFormationCustomResourceEvent as Event } from 'aws-lambda';
import * as z from 'zod/mini';
import { activate, deactivate, keepActive, type RuleSets } from './activation.ts';
import { customResource } from './custom-resource.ts';
import { sesRuleSets } from './rule-sets.ts';

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

export const handler = customResource('active-receipt-rule-set', (event) => apply(event, sesRuleSets()));
