import { CustomResource, Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { bundleOf, makeLambda } from './function.ts';
import { activationHandler, type Bundles } from './handlers.ts';
import type { Settings } from './settings.ts';

/** How long a deployment waits for the function; CloudFormation's default is one hour. */
const PATIENCE = Duration.minutes(5);

const row = {
  name: 'activateRuleSet',
  handler: activationHandler,
  summary: 'Activates the receipt rule set of this deployment',
  timeoutSeconds: 30,
  memoryMegabytes: 256,
};

interface Activated {
  readonly ruleSet: IReceiptRuleSet;
  /** The rule set can be deleted only if it contains no other rules than these. */
  readonly ownRules: readonly string[];
}

/** Activates a rule set after all its rules exist, which CloudFormation cannot do itself, and deactivates it on deletion. */
export class MailActivation extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { ruleSet, ownRules }: Activated,
    settings: Settings,
    bundles: Bundles,
  ) {
    super(scope, id);
    const made = makeLambda(this, row, { ...bundleOf(row, bundles), ...settings });
    made.addToRolePolicy(
      new PolicyStatement({
        actions: [
          'ses:DescribeActiveReceiptRuleSet',
          'ses:DescribeReceiptRuleSet',
          'ses:SetActiveReceiptRuleSet',
        ],
        resources: ['*'],
      }),
    );
    Validations.of(made.role ?? made).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason:
        'The active rule set is a setting of the whole account and region; SES supports no narrower resource.',
    });
    const activation = new CustomResource(this, 'Active', {
      serviceToken: made.functionArn,
      resourceType: 'Custom::ActiveReceiptRuleSet',
      serviceTimeout: PATIENCE,
      properties: {
        ruleSetName: ruleSet.receiptRuleSetName,
        takeOver: settings.takeOverActiveRuleSet,
        ownRules,
      },
    });
    // After the rules; on deletion before them, because SES does not delete an active rule set.
    activation.node.addDependency(ruleSet, made);
  }
}
