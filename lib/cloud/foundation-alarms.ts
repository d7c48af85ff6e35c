/** Alarms about what the service depends on: SES, the table, and the Lambda concurrency of the account. */
import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { tableDefinition } from '../../shared/store/keys.ts';
import type { AlarmRow, Watched } from './alarm-row.ts';
import { awsMetric, FIVE_MINUTES, sumOf } from './metrics.ts';
import type { Settings } from './settings.ts';

export function foundationAlarms(settings: Settings, watched: Watched): readonly AlarmRow[] {
  return [
    ...mailAlarms(settings, watched),
    ...tableAlarms(watched),
    ...accountAlarms(settings),
    ...(settings.alertSender === undefined ? [] : senderAlarms()),
  ];
}

function mailAlarms({ mailsPerHour, noMailHours }: Settings, { mail }: Watched): AlarmRow[] {
  const ofRules = (metricName: string) =>
    sumOf(
      mail.ruleNames.map((RuleName) => awsMetric('SES', metricName, { by: { RuleName } })),
      metricName,
    );
  return [
    {
      name: 'mail-not-stored',
      isUrgent: true,
      heading: 'Mail is not stored',
      impact: 'Received mail could not be stored. SES retries for four hours; after that, the mail is lost.',
      metric: ofRules('PublishFailure'),
      threshold: 1,
      // SES pauses between retries, so with little mail most periods have no failure.
      periods: 2,
      outOf: 12,
    },
    {
      name: 'mail-lost',
      isUrgent: true,
      heading: 'Mail is not stored',
      impact: 'Received mail was lost: the reports and test messages in it do not appear.',
      metric: ofRules('PublishExpired'),
      threshold: 1,
      periods: 1,
    },
    {
      name: 'mail-domains',
      isUrgent: true,
      heading: 'Mail does not reach SES',
      impact:
        'The MX record of a mail domain does not lead to SES, or SES no longer has the domain verified, so that reports or test messages do not arrive.',
      metric: mail.domainWatch.made.metricErrors({ statistic: Stats.SUM, period: Duration.minutes(15) }),
      threshold: 1,
      periods: 2,
      silence: 'bad',
    },
    ...(noMailHours === 0
      ? []
      : [
          {
            name: 'no-mail',
            heading: 'Mail does not reach SES',
            impact: `No mail has arrived for ${pluralize(noMailHours, 'hour')}.`,
            metric: mail.queues.arrivals.queue.metricNumberOfMessagesSent({
              statistic: Stats.SUM,
              period: Duration.hours(1),
            }),
            threshold: 1,
            isTooLittle: true as const,
            periods: noMailHours,
            silence: 'bad' as const,
            isUrgent: true as const,
          },
        ]),
    {
      name: 'mail-rate',
      heading: 'Much mail arrives',
      impact:
        'Anyone can send mail to the service, and each mail costs money: up to $14 for a thousand of 40 MB.',
      metric: mail.queues.arrivals.queue.metricNumberOfMessagesSent({
        statistic: Stats.SUM,
        period: Duration.hours(1),
      }),
      threshold: mailsPerHour,
      periods: 1,
    },
    {
      name: 'rule-set-inactive',
      isUrgent: true,
      heading: 'Our rule set is not active',
      impact:
        'SES rejects all reports and test messages, because another receipt rule set is active. If the check itself fails or does not run, it is unknown whether mail arrives.',
      metric: mail.watch.made.metricErrors({ statistic: Stats.SUM, period: FIVE_MINUTES }),
      // The check runs every minute. A single failure can be transient.
      threshold: 2,
      periods: 1,
      silence: 'bad',
    },
  ];
}

/** All operations that functions use. */
const OPERATIONS = [
  ...['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ...['BatchGetItem', 'BatchWriteItem', 'TransactWriteItems'],
];

function tableAlarms({ service: { table } }: Watched): AlarmRow[] {
  const TableName = table.tableName;
  const index = { TableName, GlobalSecondaryIndexName: tableDefinition.index.name };
  const throttled = ['ReadThrottleEvents', 'WriteThrottleEvents'].flatMap((name) =>
    [{ TableName }, index].map((by) => awsMetric('DynamoDB', name, { by })),
  );
  const failed = OPERATIONS.map((Operation) =>
    awsMetric('DynamoDB', 'SystemErrors', { by: { TableName, Operation } }),
  );
  return [
    {
      name: 'table-throttled',
      heading: 'The table is throttled',
      impact: 'API requests and background jobs are slow, and some fail.',
      metric: sumOf(throttled, 'throttled requests to the table'),
      threshold: 1,
      periods: 3,
    },
    {
      name: 'table-fails',
      isUrgent: true,
      heading: 'The table fails',
      impact: 'API requests and background jobs are slow, and some fail.',
      metric: sumOf(failed, 'DynamoDB system errors'),
      threshold: 1,
      periods: 3,
    },
  ];
}

/** The default of AWS; new accounts have less. */
const LAMBDA_CONCURRENCY = 1000;

/** All functions in the account share its concurrency limit. */
function accountAlarms({ lambdaConcurrency }: Settings): AlarmRow[] {
  return [
    {
      name: 'functions-throttled',
      isUrgent: true,
      heading: 'Functions are throttled',
      impact: 'API requests fail with status 503, and background jobs are delayed.',
      metric: awsMetric('Lambda', 'Throttles'),
      threshold: 1,
      periods: 2,
    },
    {
      name: 'concurrency-high',
      heading: 'Functions are throttled',
      impact: 'API requests will soon fail with status 503, and background jobs will be delayed.',
      metric: awsMetric('Lambda', 'ClaimedAccountConcurrency', { statistic: Stats.MAXIMUM }),
      threshold: Math.ceil(0.8 * (lambdaConcurrency || LAMBDA_CONCURRENCY)),
      periods: 2,
    },
  ];
}

/** SES can pause the sending of an account from twice these rates. */
function senderAlarms(): AlarmRow[] {
  const impact = 'SES may pause sending for the account; then no alerts are sent by mail.';
  const heading = 'Alerts by mail bounce';
  const rate = (metricName: string) =>
    awsMetric('SES', metricName, { statistic: Stats.AVERAGE, period: Duration.hours(1) });
  // SES publishes the rates only occasionally; in between, the last value holds.
  const row = { heading, impact, periods: 1, silence: 'no news', isUrgent: true } as const;
  return [
    { ...row, name: 'bounce-rate', metric: rate('Reputation.BounceRate'), threshold: 0.05 },
    { ...row, name: 'complaint-rate', metric: rate('Reputation.ComplaintRate'), threshold: 0.001 },
  ];
}
