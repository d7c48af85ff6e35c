/** Alarms about what the service stands on: SES, the table, and what the account may run. */
import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { tableDefinition } from '../../shared/store/keys.ts';
import type { AlarmRow, Watched } from './alarm-row.ts';
import type { Settings } from './config.ts';
import { awsMetric, sumOf } from './metrics.ts';

export function foundationAlarms(settings: Settings, watched: Watched): readonly AlarmRow[] {
  return [
    ...mailAlarms(watched),
    ...tableAlarms(watched),
    ...accountAlarms(settings),
    ...(settings.alertSender === undefined ? [] : senderAlarms()),
  ];
}

function mailAlarms({ mail }: Watched): AlarmRow[] {
  const ofRules = (metricName: string) =>
    sumOf(
      mail.ruleNames.map((RuleName) => awsMetric('SES', metricName, { by: { RuleName } })),
      metricName,
    );
  return [
    {
      name: 'mail-not-stored',
      heading: 'Mail is not stored',
      impact: 'Mail was accepted and could not be stored; SES tries for four hours.',
      metric: ofRules('PublishFailure'),
      threshold: 1,
      // SES tries a mail again after pauses of its own, so that where little comes in most periods have no failure.
      periods: 2,
      outOf: 12,
    },
    {
      name: 'mail-lost',
      heading: 'Mail is not stored',
      impact: 'Mail was accepted and is lost: reports and test messages do not show.',
      metric: ofRules('PublishExpired'),
      threshold: 1,
      periods: 1,
    },
  ];
}

/** Every operation that a function uses. */
const OPERATIONS = [
  ...['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ...['BatchWriteItem', 'TransactWriteItems'],
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
      impact: 'Requests and work take longer, and some fail.',
      metric: sumOf(throttled, 'throttled requests to the table'),
      threshold: 1,
      periods: 3,
    },
    {
      name: 'table-fails',
      heading: 'The table fails',
      impact: 'Requests and work take longer, and some fail.',
      metric: sumOf(failed, 'requests that DynamoDB failed'),
      threshold: 1,
      periods: 3,
    },
  ];
}

/** Functions share what the account may run at once, with each other and with whatever else runs in the account. */
function accountAlarms({ lambdaConcurrency }: Settings): AlarmRow[] {
  return [
    {
      name: 'functions-throttled',
      heading: 'Functions are throttled',
      impact: 'Requests are answered with 503, and work waits.',
      metric: awsMetric('Lambda', 'Throttles'),
      threshold: 1,
      periods: 2,
    },
    {
      name: 'concurrency-high',
      heading: 'Functions are throttled',
      impact: 'Soon requests will be answered with 503, and work will wait.',
      metric: awsMetric('Lambda', 'ClaimedAccountConcurrency', { statistic: Stats.MAXIMUM }),
      threshold: Math.ceil(0.8 * lambdaConcurrency),
      periods: 2,
    },
  ];
}

/** From twice these rates on, SES may end an account's sending. */
function senderAlarms(): AlarmRow[] {
  const impact = 'SES may stop the account from sending, and then nobody gets alerts by mail.';
  const heading = 'Alerts by mail bounce';
  const rate = (metricName: string) =>
    awsMetric('SES', metricName, { statistic: Stats.AVERAGE, period: Duration.hours(1) });
  // SES tells a rate now and then; between that it is what it was.
  const row = { heading, impact, periods: 1, silence: 'no news' } as const;
  return [
    { ...row, name: 'bounce-rate', metric: rate('Reputation.BounceRate'), threshold: 0.05 },
    { ...row, name: 'complaint-rate', metric: rate('Reputation.ComplaintRate'), threshold: 0.001 },
  ];
}
