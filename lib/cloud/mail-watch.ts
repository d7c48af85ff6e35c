import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { bundleOf, makeLambda } from './function.ts';
import { type Bundles, watchDomainsHandler, watchHandler } from './handlers.ts';
import type { Settings } from './settings.ts';

const row = {
  name: 'watchRuleSet',
  handler: watchHandler,
  summary: 'Fails while the receipt rule set of this deployment is not active',
  timeoutSeconds: 30,
  memoryMegabytes: 256,
};

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
    runEvery(this, EVERY, row.summary, this.made);
  }
}

const domainsRow = {
  name: 'watchMailDomains',
  handler: watchDomainsHandler,
  summary: 'Fails while mail to a domain of this deployment does not reach SES',
  timeoutSeconds: 30,
  memoryMegabytes: 256,
};

/** Checks that SES has verified the domains, and that their MX records lead to it: others can change both. */
export class DomainWatch extends Construct {
  /** Its errors are what an alarm watches. */
  readonly made: LambdaFunction;

  constructor(
    scope: Construct,
    id: string,
    domains: readonly string[],
    settings: Settings,
    bundles: Bundles,
  ) {
    super(scope, id);
    this.made = makeLambda(this, domainsRow, { ...bundleOf(domainsRow, bundles), ...settings });
    this.made.addEnvironment('MAIL_DOMAINS', domains.join(','));
    this.made.addToRolePolicy(
      new PolicyStatement({
        actions: ['ses:GetEmailIdentity'],
        resources: domains.map((resourceName) =>
          Stack.of(this).formatArn({ service: 'ses', resource: 'identity', resourceName }),
        ),
      }),
    );
    runEvery(this, Duration.minutes(15), domainsRow.summary, this.made);
  }
}

/** Starts a function on a schedule. What one run misses, the next one repeats. */
export function runEvery(scope: Construct, every: Duration, description: string, made: LambdaFunction): void {
  const patience = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  made.configureAsyncInvoke(patience);
  new Rule(scope, 'Schedule', {
    description,
    schedule: Schedule.rate(every),
    targets: [new LambdaTarget(made, patience)],
  });
}
