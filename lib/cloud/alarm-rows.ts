/** What is worth waking an operator for, a row each. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import { areaOf } from '../../shared/runtime/log-lines.ts';
import type { Route } from '../../shared/runtime/route.ts';
import type { QueueName, Trigger } from '../../shared/runtime/trigger.ts';
import type { AlarmRow, Watched } from './alarm-row.ts';
import { fallback } from './api.ts';
import type { Settings } from './config.ts';
import { foundationAlarms } from './foundation-alarms.ts';
import { FIVE_MINUTES, ownMetrics, sumOf } from './metrics.ts';
import { queueConsumers, type WorkQueue } from './queues.ts';

export function alarmRows(settings: Settings, watched: Watched): readonly AlarmRow[] {
  return [
    ...queueAlarms(watched),
    ...areaAlarms(settings, watched),
    ...scheduleAlarms(watched),
    ...apiAlarms(watched),
    ...monitoringAlarms(settings),
    ...foundationAlarms(settings, watched),
  ];
}

/** What waited longer than this many visibility timeouts was tried more than once, or not at all. */
const PATIENCE_TIMEOUTS = 2;

/** After as many receives SQS leaves a message out of the age of the oldest, and so the pauses that follow. */
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
        impact: `Late: ${errorImpact}`,
        metric: work.queue.metricApproximateAgeOfOldestMessage(of),
        threshold: pauses.reduce((sum, seconds) => sum + seconds, PATIENCE_TIMEOUTS * visibilitySeconds),
        periods: 1,
      },
    ];
  });
}

/** One failure may be a hiccup, which a retry or the next turn makes good. */
const FAILURES = 2;

/**
 * An alarm for each folder of `functions/`: what its handlers answered or reported as their own failure, and the calls
 * that ended in no answer (a crash, the time or the memory run out).
 */
function areaAlarms(settings: Settings, { service }: Watched): AlarmRow[] {
  const rows: readonly (Route | Trigger | typeof fallback)[] = [
    ...Object.values(routes),
    fallback,
    ...Object.values<Trigger>(triggers),
  ];
  return [...Map.groupBy(rows, areaOf)].map(([area, of]) => {
    // Two turns of the slowest schedule have to fit.
    const turns = of.map((row) =>
      'source' in row && row.source.kind === 'schedule' ? row.source.everySeconds : 0,
    );
    const period = Duration.seconds(Math.max(900, FAILURES * Math.max(...turns)));
    const errors = of.flatMap(({ name }) => service.functions.get(name)?.metricErrors() ?? []);
    const failures = ownMetrics(settings).of('unforeseen', 'failures', { area });
    return {
      name: `${area}-fails`,
      heading: 'Functions fail',
      impact: [...new Set(of.map(({ errorImpact }) => errorImpact))].join(' '),
      metric: sumOf([failures, ...errors], `failures of ${area}`, period),
      threshold: FAILURES,
      periods: 1,
    };
  });
}

/** A schedule that starts nothing fails nowhere: it may be off, or may not call the function any more. */
function scheduleAlarms({ service }: Watched): AlarmRow[] {
  return Object.values<Trigger>(triggers).flatMap(({ name, source, errorImpact }) => {
    const made = service.functions.get(name);
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

/** Below this many requests in five minutes shares and percentiles say nothing; failures have alarms of their own. */
const ENOUGH_REQUESTS = 20;

function apiAlarms({ service: { http } }: Watched): AlarmRow[] {
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
      heading: 'The API fails',
      impact: 'Of a hundred requests, two or more fail by our own fault.',
      metric: ofEnough('100 * errors / requests', 'percent of requests that fail', {
        errors: http.metricServerError({ statistic: Stats.SUM }),
      }),
      threshold: 2,
      periods: 2,
    },
    {
      name: 'api-slow',
      heading: 'The API is slow',
      impact: 'Of a hundred requests, five or more take five seconds or longer.',
      metric: ofEnough('slow', 'p95 of the latency in ms', {
        slow: http.metricLatency({ statistic: 'p95' }),
      }),
      threshold: 5000,
      periods: 3,
    },
  ];
}

const HALF_OF_THE_CHECKS = 4;

function monitoringAlarms(settings: Settings): AlarmRow[] {
  const own = ownMetrics(settings);
  return [
    {
      name: 'sweep-late',
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
      impact: 'Results are those of earlier days, and what changes meanwhile is told late.',
      metric: own.of('check', 'checksUnknown', {}, Stats.AVERAGE),
      threshold: HALF_OF_THE_CHECKS,
      periods: 3,
    },
  ];
}
