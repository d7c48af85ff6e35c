import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { type Bundles, watchHandler } from './bundle.ts';
import { bundleOf, makeLambda } from './function.ts';
import type { Settings } from './settings.ts';

const row = {
  name: 'watchRuleSet',
  handler: watchHandler,
  summary: 'Fails while the receipt rule set of this deployment is not active',
  timeoutSeconds: 30,
  memoryMegabytes: 256,
};

/** The next run repeats what one run missed. */
const EVERY = Duration.minutes(1);

/** Checks that a rule set stays active: anyone in the account can activate another one, and SES then rejects our mail. */
export class MailWatch extends Construct {
  /** Its errors and invocations are what an alarm watches. */
  readonly made: LambdaFunction;

  constructor(scope: Construct, id: string, ruleSet: IReceiptRuleSet, settings: Settings, bundles: Bundles) {
    super(scope, id);
    this.made = makeLambda(this, row, { ...bundleOf(row, bundles), ...settings });
    this.made.addEnvironment('RULE_SET_NAME', ruleSet.receiptRuleSetName);
    this.made.addToRolePolicy(
      new PolicyStatement({ actions: ['ses:DescribeActiveReceiptRuleSet'], resources: ['*'] }),
    );
    Validations.of(this.made.role ?? this.made).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason:
        'The active rule set is a setting of the whole account and region; SES supports no narrower resource.',
    });
    const patience = { retryAttempts: 0, maxEventAge: EVERY };
    this.made.configureAsyncInvoke(patience);
    new Rule(this, 'Schedule', {
      description: row.summary,
      schedule: Schedule.rate(EVERY),
      targets: [new LambdaTarget(this.made, patience)],
    });
  }
}
