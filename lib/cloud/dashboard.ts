import type { Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Watched } from './alarm-row.ts';
import { FIVE_MINUTES, ownMetrics } from './metrics.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';

/** A third of the width of a dashboard. */
const WIDTH = 8;

/** Creates the dashboard, from top to bottom: alarms, API, inbound mail, monitoring, notifications, and cost. */
export function makeDashboard(
  stack: Stack,
  settings: Settings,
  { service: { table, api, queues }, functions }: Watched,
  alarms: readonly Alarm[],
): string {
  const own = ownMetrics(settings);
  const sum = { statistic: Stats.SUM, period: FIVE_MINUTES };
  const max = { statistic: Stats.MAXIMUM, period: FIVE_MINUTES };
  const works = Object.entries(queues);
  const check = (name: Parameters<typeof own.of<'check'>>[1], statistic: string = Stats.SUM) =>
    own.of('check', name, {}, statistic).with({ label: name });

  const rows: readonly (readonly IWidget[])[] = [
    [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 3 * WIDTH, height: 6 })],
    row('API', [
      graph('Requests', [
        api.http.metricCount(sum),
        api.http.metricClientError(sum),
        api.http.metricServerError(sum),
      ]),
      graph('Latency, ms', [
        api.http.metricLatency({ statistic: 'p50' }),
        api.http.metricLatency({ statistic: 'p95' }),
        api.http.metricLatency({ statistic: 'p99' }),
      ]),
      graph('Latency by route, ms', [own.search('request', 'requestMilliseconds', 'p95')]),
    ]),
    row('Inbound mail', [
      graph('Mails', [own.search('mail', 'mails', Stats.SUM)]),
      graph('Reports by outcome', [own.search('report', 'reports', Stats.SUM)]),
      graph('Age of the oldest message in each queue, s', [
        ...works.map(([name, { queue }]) =>
          queue.metricApproximateAgeOfOldestMessage({ ...max, label: name }),
        ),
      ]),
    ]),
    row('Monitoring', [
      graph('Checks by state', [
        check('checksPass'),
        check('checksWarning'),
        check('checksFail'),
        check('checksAbsent'),
        check('checksNotApplicable'),
        check('checksUnknown'),
      ]),
      graph('Duration of a check run, ms, and DNS cache hit rate, %', {
        left: [check('checkMilliseconds', 'p50'), check('checkMilliseconds', 'p95')],
        right: [
          new MathExpression({
            expression: '100 * hits / lookups',
            usingMetrics: { hits: check('dnsCacheHits'), lookups: check('dnsLookups') },
            label: 'DNS cache hit rate, %',
            period: FIVE_MINUTES,
          }),
        ],
      }),
      graph('Domains queued for checks, and sweep lag, s', {
        left: [own.of('sweep', 'domainsSent', {})],
        right: [own.of('sweep', 'sweepLagSeconds', {}, Stats.MAXIMUM)],
      }),
    ]),
    row('Notifications', [
      graph('Alerts by type', [own.search('alert', 'alerts', Stats.SUM)]),
      graph('Notifications by result', [own.search('notification', 'notifications', Stats.SUM)]),
      graph('Dead letters', [
        ...works.map(([name, { deadLetters }]) =>
          deadLetters.metricApproximateNumberOfMessagesVisible({ ...max, label: name }),
        ),
      ]),
    ]),
    row('Cost', [
      graph('Consumed capacity units of the table', [
        table.metricConsumedReadCapacityUnits(sum),
        table.metricConsumedWriteCapacityUnits(sum),
      ]),
      graph('Duration of functions, ms', [
        ...[...functions].map(([name, made]) => made.metricDuration({ ...sum, label: name })),
      ]),
      graph('Deletions of domains completed', [own.of('deletion', 'deletionsDrained', {})]),
    ]),
  ];
  // Dashboard names are unique per account, not per region.
  const dashboardName = `${stackName(settings, 'dashboard')}-${stack.region}`;
  new Dashboard(stack, 'Dashboard', { dashboardName, widgets: rows.map((widgets) => [...widgets]) });
  return dashboardName;
}

function row(title: string, widgets: readonly IWidget[]): readonly IWidget[] {
  return [new TextWidget({ markdown: `## ${title}`, width: 3 * WIDTH, height: 1 }), ...widgets];
}

function graph(
  title: string,
  metrics: IMetric[] | { readonly left: IMetric[]; readonly right: IMetric[] },
): GraphWidget {
  const { left, right } = Array.isArray(metrics) ? { left: metrics, right: [] } : metrics;
  return new GraphWidget({ title, left, right, width: WIDTH, height: 6 });
}
