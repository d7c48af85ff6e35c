import { CfnOutput, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { AlarmRow, Watched } from './alarm-row.ts';
import { alarmRows } from './alarm-rows.ts';
import { makeTopic } from './alarm-topic.ts';
import { Canary } from './canary-function.ts';
import { makeDashboard } from './dashboard.ts';
import type { Bundles } from './handlers.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';

/** The runbook with the instructions for each alarm. */
const RUNBOOK = 'lib/cloud/RUNBOOK.md';

/** Monitors the other stacks: one alarm for each row of `alarmRows`, on a topic for pages and one for tickets, and a
 * dashboard. */
export class AlarmsStack extends Stack {
  constructor(scope: Construct, settings: Settings, given: Omit<Watched, 'canary'>, bundles: Bundles) {
    super(scope, stackName(settings, 'alarms'), stackProps(settings, 'alarms', 'alarms and a dashboard'));
    const { hostUrl } = given.service;
    const canary = settings.canarySecretArn && new Canary(this, 'Canary', settings, hostUrl, bundles).made;
    const watched: Watched = canary ? { ...given, canary } : given;
    const pages = makeTopic(this, 'Alarms', settings.alarmEmail);
    const tickets = makeTopic(this, 'Tickets', settings.ticketEmail ?? settings.alarmEmail);
    const alarms = alarmRows(settings, watched).map((row) => {
      const alarm = this.#alarm(row, settings);
      const action = new SnsAction(row.isUrgent ? pages : tickets);
      alarm.addAlarmAction(action);
      if (!row.isReminder) alarm.addOkAction(action);
      return alarm;
    });
    new CfnQueryDefinition(this, 'Correlation', {
      name: `${stackName(settings, 'service')}/correlation`,
      queryString: CORRELATION_QUERY,
    });
    if (settings.monthlyBudget > 0) this.#budget(settings);
    const dashboard = makeDashboard(this, settings, watched, alarms);

    new CfnOutput(this, 'AlarmTopicArn', { value: pages.topicArn });
    new CfnOutput(this, 'TicketTopicArn', { value: tickets.topicArn });
    new CfnOutput(this, 'DashboardUrl', {
      value: `https://${this.region}.console.aws.amazon.com/cloudwatch/home?region=${this.region}#dashboards/dashboard/${dashboard}`,
    });
  }

  /** Of the whole account: costs by tag exist only after somebody activated the tag. */
  #budget({ monthlyBudget, alarmEmail, ticketEmail = alarmEmail }: Settings): void {
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: { comparisonOperator: 'GREATER_THAN', notificationType, threshold },
      subscribers: [{ subscriptionType: 'EMAIL', address: ticketEmail ?? '' }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyBudget, unit: 'USD' },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
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

/** The saved query: all lines of one request, mail or turn of a schedule, in the log groups that somebody selects. */
const CORRELATION_QUERY = [
  "filter correlation = 'ID' or correlations.0 = 'ID' or correlations.1 = 'ID'",
  '| fields @timestamp, message, route, trigger, domainId, delivery, result, @log',
  '| sort @timestamp asc',
].join('\n');

const missing = {
  well: TreatMissingData.NOT_BREACHING,
  bad: TreatMissingData.BREACHING,
  'no news': TreatMissingData.IGNORE,
};

/** The anchor of a heading in rendered Markdown. */
const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');
