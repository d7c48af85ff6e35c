import { CustomResource, Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { activationHandler, type Bundles } from './bundle.ts';
import type { Settings } from './config.ts';
import { bundleOf, makeLambda } from './function.ts';

/** How long a deployment waits for the function; CloudFormation's own patience is an hour. */
const PATIENCE = Duration.minutes(5);

const row = {
  name: 'activateRuleSet',
  handler: activationHandler,
  summary: 'Makes the receipt rule set of this deployment the active one',
  timeoutSeconds: 30,
  memoryMegabytes: 256,
};

interface Activated {
  readonly ruleSet: IReceiptRuleSet;
  /** Only with rules of these names in it the set may be deleted. */
  readonly ownRules: readonly string[];
}

/** Makes a rule set the active one, which CloudFormation cannot, once all its rules are there; gives way when deleted. */
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
      reason: 'The active rule set is one of the whole account and region; SES knows no narrower resource.',
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
    // Rules first; and on deletion the other way round, for SES deletes no rule set that is active.
    activation.node.addDependency(ruleSet, made);
  }
}
