/**
 * SES in a second region, which senders use while the first one does not answer: their mail waits in a bucket there. SNS
 * announces it to the queue of the first region, for 23 days if it has to (AWS, "Amazon SNS message delivery retries"), and the
 * function that takes the announcement moves the mail to the bucket of the first region.
 */
import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { ReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { inboundMail } from '../../functions/triggers.ts';
import { makeTopic } from './alarm-topic.ts';
import { allowService } from './allow-service.ts';
import { dnsOutputs } from './dns-outputs.ts';
import { verifying } from './dns-records.ts';
import type { Bundles } from './handlers.ts';
import { MailActivation } from './mail-activation.ts';
import { makeReceivers } from './mail-receiver.ts';
import { MailWatch } from './mail-watch.ts';
import type { SecondMail } from './second-region.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { keeping, stackProps } from './stage.ts';
import { provenBy, ZoneRecords } from './zone-records.ts';

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
    const receivers = makeReceivers(here, settings, (kind) => ({
      ...{ ruleSet, ruleName: ruleNameOf(kind), bucket, topicName: second.topic(kind) },
    }));
    const proven = receivers.flatMap(({ identities }) => identities).map(provenBy);
    const dkimTokens = proven.flatMap((one) => one.dkimTokens);
    // The names of these records are known in this region only.
    new ZoneRecords(here, settings.hostedZones).publish(dkimTokens.map(verifying), proven);
    const refused = this.#refusals(here, second);
    const watch = new MailWatch(here, 'Watch', ruleSet, settings, bundles);
    this.#alarms(here, { watch, refused }, settings);
    const everythingElse = here.node.children;
    const what = { ruleSet, ownRules: Object.keys(inboundMail).map(ruleNameOf) };
    new MailActivation(here, 'Activation', what, settings, bundles).node.addDependency(...everythingElse);
    const outputs = dnsOutputs({ secondRegion: second.region, dkimTokens });
    for (const [id, value] of Object.entries(outputs)) new CfnOutput(this, id, { value });
    new CfnOutput(this, 'RuleSetName', { value: ruleSet.receiptRuleSetName });
  }

  /** SNS repeats what the first region does not answer, but not what it refuses, for example because a key is disabled. */
  #refusals(here: Construct, second: SecondMail): Queue {
    const refused = new Queue(here, 'Refused', {
      queueName: second.refused,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(refused).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SQS3',
      reason: 'It is the queue of dead letters of subscriptions.',
    });
    refused.addToResourcePolicy(allowService('sns', 'sqs:SendMessage', refused.queueArn));
    return refused;
  }

  /** Alarms watch metrics of their own region only. */
  #alarms(
    here: Construct,
    { watch, refused }: { readonly watch: MailWatch; readonly refused: Queue },
    settings: Settings,
  ): void {
    const action = new SnsAction(makeTopic(here, 'Alarms', settings.alarmEmail));
    const common = {
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    };
    const alarms = [
      new Alarm(here, 'RuleSetAlarm', {
        ...common,
        alarmName: stackName(settings, 'mail-second-rules'),
        alarmDescription: `SES rejects mail in ${this.region}, because the rule set of this deployment is not active there. Runbook: lib/cloud/RUNBOOK.md#our-rule-set-is-not-active`,
        metric: watch.made.metricErrors({ statistic: Stats.SUM, period: Duration.minutes(5) }),
        evaluationPeriods: 2,
        treatMissingData: TreatMissingData.BREACHING,
      }),
      new Alarm(here, 'RefusedAlarm', {
        ...common,
        alarmName: stackName(settings, 'mail-second-refused'),
        alarmDescription: `Mail waits in the bucket of ${this.region}, because the queue of the first region refused its announcement. Move the messages of ${refused.queueName} to the queue of arrivals.`,
        metric: refused.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }),
    ];
    for (const alarm of alarms) {
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
  }
}
