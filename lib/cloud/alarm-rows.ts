/** The alarms, one row each. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { areaOf } from '../../shared/runtime/logging/log-lines.ts';
import type { QueueName, Trigger } from '../../shared/runtime/workers/trigger.ts';
import type { AlarmRow, Watched } from './alarm-row.ts';
import { fallback } from './api.ts';
import { foundationAlarms } from './foundation-alarms.ts';
import { FIVE_MINUTES, MAX_IN_ALARM, ownMetrics, sumOf } from './metrics.ts';
import { queueConsumers, type WorkQueue } from './queues.ts';
import type { Settings } from './settings.ts';

export function alarmRows(settings: Settings, watched: Watched): readonly AlarmRow[] {
  return [
    ...queueAlarms(watched),
    standingDeadLetters(watched),
    ...areaAlarms(settings, watched),
    ...scheduleAlarms(watched),
    ...apiAlarms(watched),
    ...monitoringAlarms(settings),
    ...canaryAlarms(watched),
    ...foundationAlarms(settings, watched),
  ];
}

/** A message that waits longer than this many visibility timeouts was retried, or was not processed at all. */
const PATIENCE_TIMEOUTS = 2;

/** After this many receives, SQS no longer counts a message in the age of the oldest message. */
const RECEIVES_THAT_COUNT = 3;

function queueAlarms({ service }: Watched): AlarmRow[] {
  return (Object.entries(service.queues) as [QueueName, WorkQueue][]).flatMap(([name, work]) => {
    const { errorImpact, visibilitySeconds, source } = queueConsumers[name];
    const of = { period: FIVE_MINUTES, statistic: Stats.MAXIMUM };
    const pauses = (source.pausesSeconds ?? []).slice(0, RECEIVES_THAT_COUNT);
    return [
      {
        name: `${name}-dead-letters`,
        heading: 'Dead letters',
        impact: errorImpact,
        metric: work.deadLetters.metricApproximateNumberOfMessagesVisible(of),
        threshold: 1,
        periods: 1,
      },
      {
        name: `${name}-waiting`,
        heading: 'Messages wait',
        ...(urgentQueues.has(name) && { isUrgent: true as const }),
        impact: `Messages are processed late. ${errorImpact}`,
        metric: work.queue.metricApproximateAgeOfOldestMessage(of),
        threshold: pauses.reduce((sum, seconds) => sum + seconds, PATIENCE_TIMEOUTS * visibilitySeconds),
        periods: 1,
      },
    ];
  });
}

/** Whose work users wait for. */
const urgentQueues: ReadonlySet<QueueName> = new Set(['arrivals', 'reports', 'checks', 'notifications']);

/** The hour, in UTC, in which the alarm about standing dead letters ends, so that it goes off again after it. */
const REMINDER_HOUR = 7;

/**
 * An alarm tells of dead letters once. While there are any, this one goes off every day: in one hour, they count as none.
 */
function standingDeadLetters({ service }: Watched): AlarmRow {
  const of = { period: FIVE_MINUTES, statistic: Stats.MAXIMUM };
  const works = Object.values(service.queues);
  const usingMetrics = Object.fromEntries(
    works.map(({ deadLetters }, at) => [`m${at}`, deadLetters.metricApproximateNumberOfMessagesVisible(of)]),
  );
  const all = works.map((_work, at) => `FILL(m${at}, 0)`).join(' + ');
  return {
    name: 'dead-letters-stand',
    heading: 'Dead letters',
    impact: 'The work of some messages has not been done for a day, and they are deleted after 14 days.',
    metric: new MathExpression({
      expression: `IF(HOUR(m0) == ${REMINDER_HOUR}, 0, ${all})`,
      usingMetrics,
      label: 'dead letters',
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    periods: 1,
    isReminder: true,
  };
}

/** A single failure can be transient; a retry or the next run fixes it. */
const FAILURES = 2;

/**
 * An alarm for each folder of `functions/`: internal errors that its handlers reported, and invocations that failed
 * without a response (crash, timeout, or out of memory). A folder with more functions than an alarm can monitor has
 * further alarms.
 */
function areaAlarms(settings: Settings, { functions }: Watched): AlarmRow[] {
  const rows: readonly (Route | Trigger | typeof fallback)[] = [
    ...Object.values(routes),
    fallback,
    ...Object.values<Trigger>(triggers),
  ];
  return [...Map.groupBy(rows, areaOf)].flatMap(([area, all]) => {
    const failures = ownMetrics(settings).of('unforeseen', 'failures', { area });
    const alarms = Math.ceil(all.length / (MAX_IN_ALARM - 1));
    const ofEach = Math.ceil(all.length / alarms);
    return Array.from({ length: alarms }, (_alarm, at) => {
      const of = all.slice(at * ofEach, (at + 1) * ofEach);
      // Two runs of the slowest schedule must fit into the period.
      const turns = of.map((row) =>
        'source' in row && row.source.kind === 'schedule' ? row.source.everySeconds : 0,
      );
      const period = Duration.seconds(Math.max(900, FAILURES * Math.max(...turns)));
      const errors = of.flatMap(({ name }) => functions.get(name)?.metricErrors() ?? []);
      return {
        name: `${area}-fails${at === 0 ? '' : `-${at + 1}`}`,
        heading: 'Functions fail',
        isUrgent: true as const,
        impact: [...new Set(of.map(({ errorImpact }) => errorImpact))].join(' '),
        metric: sumOf([...(at === 0 ? [failures] : []), ...errors], `failures of ${area}`, period),
        threshold: FAILURES,
        periods: 1,
      };
    });
  });
}

/** A schedule that does not run causes no errors: it can be disabled, or lack the permission to invoke its function. */
function scheduleAlarms({ functions }: Watched): AlarmRow[] {
  return Object.values<Trigger>(triggers).flatMap(({ name, source, errorImpact }) => {
    const made = functions.get(name);
    if (source.kind !== 'schedule' || made === undefined) return [];
    const period = Duration.seconds(Math.max(FIVE_MINUTES.toSeconds(), source.everySeconds));
    return [
      {
        name: `${name}-silent`,
        heading: 'A schedule is silent',
        impact: errorImpact,
        metric: made.metricInvocations({ statistic: Stats.SUM, period }),
        threshold: 1,
        isTooLittle: true,
        periods: 3,
        silence: 'bad',
      },
    ];
  });
}

/** With fewer requests in five minutes, rates and percentiles are meaningless; failures have their own alarms. */
const ENOUGH_REQUESTS = 20;

/** A single error can be transient. */
const FEW_ERRORS = 3;

function apiAlarms({
  service: {
    api: { http },
  },
}: Watched): AlarmRow[] {
  const ofEnough = (expression: string, label: string, usingMetrics: Record<string, IMetric>) =>
    new MathExpression({
      expression: `IF(requests >= ${ENOUGH_REQUESTS}, ${expression}, 0)`,
      usingMetrics: { requests: http.metricCount({ statistic: Stats.SUM }), ...usingMetrics },
      label,
      period: FIVE_MINUTES,
    });
  return [
    {
      name: 'api-errors',
      isUrgent: true,
      heading: 'The API fails',
      impact: 'At least 2% of API requests fail with a server error.',
      metric: ofEnough('100 * errors / requests', 'server errors, % of requests', {
        errors: http.metricServerError({ statistic: Stats.SUM }),
      }),
      threshold: 2,
      periods: 2,
    },
    {
      name: 'api-errors-few',
      heading: 'The API fails',
      impact:
        'Some API requests fail with a server error. There are too few requests to say how large a part.',
      metric: http.metricServerError({ statistic: Stats.SUM, period: Duration.hours(1) }),
      threshold: FEW_ERRORS,
      periods: 1,
    },
    {
      name: 'api-slow',
      heading: 'The API is slow',
      impact: 'At least 5% of API requests take five seconds or longer.',
      metric: ofEnough('slow', 'p95 latency, ms', {
        slow: http.metricLatency({ statistic: 'p95' }),
      }),
      threshold: 5000,
      periods: 3,
    },
  ];
}

/** The canary reads every 15 minutes, and looks for the report of its mail once an hour. */
function canaryAlarms({ canary }: Watched): AlarmRow[] {
  if (canary === undefined) return [];
  const row = { heading: 'The canary fails', threshold: 1, isUrgent: true, silence: 'bad' } as const;
  const errors = (period: Duration) => canary.metricErrors({ statistic: Stats.SUM, period });
  return [
    {
      ...row,
      name: 'canary-read',
      impact: 'Probably, customers cannot read their domains through the API.',
      metric: errors(Duration.minutes(15)),
      periods: 2,
    },
    {
      ...row,
      name: 'canary-mail',
      impact: 'Probably, report mails do not arrive or do not become reports.',
      metric: errors(Duration.hours(1)),
      periods: 2,
    },
  ];
}

const HALF_OF_THE_CHECKS = 4;

function monitoringAlarms(settings: Settings): AlarmRow[] {
  const own = ownMetrics(settings);
  return [
    {
      name: 'sweep-late',
      isUrgent: true,
      heading: 'The sweep is late',
      impact: triggers.sweepDueDomains.errorImpact,
      metric: own.of('sweep', 'sweepLagSeconds', {}, Stats.MAXIMUM),
      threshold: 1800,
      periods: 3,
      silence: 'bad',
    },
    {
      name: 'checks-unknown',
      heading: 'Checks come to nothing',
      impact: 'Check results are outdated, and alerts about changes are delayed.',
      metric: own.of('check', 'checksUnknown', {}, Stats.AVERAGE),
      threshold: HALF_OF_THE_CHECKS,
      periods: 3,
    },
  ];
}
