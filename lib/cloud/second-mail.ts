/**
 * SES in a second region, which senders use while the first one does not answer: their mail waits in a bucket there. SNS
 * announces it to the queue of the first region, for 23 days if it has to (AWS, "Amazon SNS message delivery retries"), and the
 * function that takes the announcement moves the mail to the bucket of the first region.
 */
import { createHash } from 'node:crypto';
import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { ReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { inboundMail } from '../../functions/triggers.ts';
import { makeTopic } from './alarm-topic.ts';
import type { Bundles } from './bundle.ts';
import { dnsOutputs } from './dns-outputs.ts';
import { verifying } from './dns-records.ts';
import { MailActivation } from './mail-activation.ts';
import { MailReceiver } from './mail-receiver.ts';
import { MailWatch } from './mail-watch.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { keeping, stackProps } from './stage.ts';
import { provenBy, ZoneRecords } from './zone-records.ts';

/** Where mail waits in the second region. Its names are fixed, so that stacks of the first region can refer to it. */
export interface SecondMail {
  readonly region: string;
  readonly bucket: string;
  /** The name of the topic that announces mail of a kind. */
  readonly topic: (kind: string) => string;
}

/** Undefined without a second region. */
export function secondMailOf(settings: Settings): SecondMail | undefined {
  const { account = '', secondMailRegion: region } = settings;
  if (region === undefined) return undefined;
  // The names of buckets are those of the whole world, and at most 63 characters long.
  const unique = createHash('sha256').update(`${account} ${region}`).digest('hex').slice(0, 12);
  return {
    region,
    bucket: `${stackName(settings, 'mail')}-${unique}`,
    topic: (kind) => stackName(settings, `arrivals-${kind}`),
  };
}

/** The topic of the second region, for the stack with the queue of arrivals. */
export const arrivalsIn = (scope: Stack, second: SecondMail, kind: string): ITopic =>
  Topic.fromTopicArn(
    scope,
    `Second ${kind}`,
    scope.formatArn({ service: 'sns', region: second.region, resource: second.topic(kind) }),
  );

/** Much longer than SNS tries to announce a mail. */
const WAITING_DAYS = 30;

export class SecondMailStack extends Stack {
  constructor(scope: Construct, settings: Settings, second: SecondMail, bundles: Bundles) {
    const { env, ...props } = stackProps(settings, 'mail-second', 'inbound mail of a second region');
    const name = stackName(settings, 'mail-second');
    super(scope, name, { ...props, env: { ...env, region: second.region } });
    // No resource has the ID of one of the first region.
    const here = new Construct(this, 'Second');
    const { removalPolicy } = keeping(settings);
    const bucket = new Bucket(here, 'Mail', {
      bucketName: second.bucket,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ id: 'waiting', expiration: Duration.days(WAITING_DAYS) }],
      removalPolicy,
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason: 'Access logs would need a separate bucket; only SES writes here, and only one function reads.',
    });
    const ruleSet = new ReceiptRuleSet(here, 'RuleSet');
    const ruleNameOf = (kind: string) => stackName(settings, kind);
    const former = {
      FORMER_REPORTS_DOMAINS: settings.formerReportsDomains,
      FORMER_TESTER_DOMAINS: settings.formerTesterDomains,
    };
    const receivers = Object.entries(inboundMail).map(
      ([kind, mail]) =>
        new MailReceiver(here, kind, {
          mail,
          domain: settings.environment[mail.domainKey] ?? '',
          former: former[mail.formerKey],
          ruleSet,
          ruleName: ruleNameOf(kind),
          bucket,
          topicName: second.topic(kind),
        }),
    );
    const proven = receivers.flatMap(({ identities }) => identities).map(provenBy);
    const dkimTokens = proven.flatMap((one) => one.dkimTokens);
    // The names of these records are known in this region only.
    new ZoneRecords(here, settings.hostedZones).publish(dkimTokens.map(verifying), proven);
    const watch = new MailWatch(here, 'Watch', ruleSet, settings, bundles);
    this.#alarm(here, watch, settings);
    const everythingElse = here.node.children;
    const what = { ruleSet, ownRules: Object.keys(inboundMail).map(ruleNameOf) };
    new MailActivation(here, 'Activation', what, settings, bundles).node.addDependency(...everythingElse);
    const outputs = dnsOutputs({ secondRegion: second.region, dkimTokens });
    for (const [id, value] of Object.entries(outputs)) new CfnOutput(this, id, { value });
    new CfnOutput(this, 'RuleSetName', { value: ruleSet.receiptRuleSetName });
  }

  /** Alarms watch metrics of their own region only. */
  #alarm(here: Construct, { made }: MailWatch, settings: Settings): void {
    const alarm = new Alarm(here, 'RuleSetAlarm', {
      alarmName: stackName(settings, 'mail-second-rules'),
      alarmDescription: `SES rejects mail in ${this.region}, because the rule set of this deployment is not active there. Runbook: lib/cloud/RUNBOOK.md#our-rule-set-is-not-active`,
      metric: made.metricErrors({ statistic: Stats.SUM, period: Duration.minutes(5) }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 2,
      treatMissingData: TreatMissingData.BREACHING,
    });
    const action = new SnsAction(makeTopic(here, 'Alarms', settings.alarmEmail));
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
