import { Aws, CfnOutput, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { AlarmRow, Watched } from './alarm-row.ts';
import { alarmRows } from './alarm-rows.ts';
import { makeDashboard } from './dashboard.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';

/** The runbook with the instructions for each alarm. */
const RUNBOOK = 'lib/cloud/RUNBOOK.md';

/** Monitors the other stacks: one alarm for each row of `alarmRows`, all on one topic, and a dashboard. */
export class AlarmsStack extends Stack {
  constructor(scope: Construct, settings: Settings, watched: Watched) {
    super(scope, stackName(settings, 'alarms'), stackProps(settings, 'alarms', 'alarms and a dashboard'));
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    // A topic with its own policy allows only the principals in that policy.
    topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (settings.alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(settings.alarmEmail));
    const alarms = alarmRows(settings, watched).map((row) => {
      const alarm = this.#alarm(row, settings);
      alarm.addAlarmAction(new SnsAction(topic));
      return alarm;
    });
    const dashboard = makeDashboard(this, settings, watched, alarms);

    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn });
    new CfnOutput(this, 'DashboardUrl', {
      value: `https://${this.region}.console.aws.amazon.com/cloudwatch/home?region=${this.region}#dashboards/dashboard/${dashboard}`,
    });
  }

  #alarm(
    { name, heading, impact, metric, threshold, isTooLittle, periods, outOf, silence }: AlarmRow,
    settings: Settings,
  ): Alarm {
    return new Alarm(this, name, {
      alarmName: stackName(settings, name),
      alarmDescription: `${impact} Runbook: ${RUNBOOK}#${anchorOf(heading)}`,
      metric,
      threshold,
      comparisonOperator: isTooLittle
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: outOf ?? periods,
      ...(outOf === undefined ? {} : { datapointsToAlarm: periods }),
      treatMissingData: missing[silence ?? 'well'],
    });
  }
}

const missing = {
  well: TreatMissingData.NOT_BREACHING,
  bad: TreatMissingData.BREACHING,
  'no news': TreatMissingData.IGNORE,
};

/** The anchor of a heading in rendered Markdown. */
const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');
