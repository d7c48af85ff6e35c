/** Metrics for alarms and the dashboard. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { LogLine, LogLineName } from '../../shared/runtime/logging/log-lines.ts';
import { logLines } from '../../shared/runtime/logging/log-lines.ts';
import type { Settings } from './settings.ts';

type Line<Name extends LogLineName> = (typeof logLines)[Name];
type Dimension<Name extends LogLineName> =
  Line<Name> extends { readonly by: readonly (infer D)[] } ? D & string : never;
type Value<Name extends LogLineName> =
  | (Line<Name> extends { readonly measures: infer M } ? keyof M & string : never)
  | (Line<Name> extends { readonly counts: infer C } ? C & string : never);

/** The maximum number of metrics in an alarm. */
export const MAX_IN_ALARM = 10;

/** The metrics from the log lines of the functions. */
export function ownMetrics({ environment }: Settings) {
  const namespace = environment.METRICS_NAMESPACE ?? '';
  return {
    /** One metric of a log line. */
    of<Name extends LogLineName>(
      _line: Name,
      metricName: Value<Name>,
      by: Readonly<Record<Dimension<Name>, string>>,
      statistic: string = Stats.SUM,
    ): Metric {
      return new Metric({ namespace, metricName, dimensionsMap: { ...by }, statistic, period: FIVE_MINUTES });
    },

    /** All metrics with this name, for all dimension values. For graphs only: alarms do not support searches. */
    search<Name extends LogLineName>(name: Name, metricName: Value<Name>, statistic: string): MathExpression {
      const { by = [] }: LogLine = logLines[name];
      const schema = [namespace, ...by].map((part) => `"${part}"`).join(',');
      const search = `{${schema}} MetricName="${metricName}"`;
      return new MathExpression({
        expression: `SEARCH('${search}', '${statistic}', ${FIVE_MINUTES.toSeconds()})`,
        label: by.map((name) => `\${PROP('Dim.${name}')}`).join(' '),
        usingMetrics: {},
        period: FIVE_MINUTES,
      });
    },
  };
}

export const FIVE_MINUTES = Duration.minutes(5);

/** A metric that AWS publishes. */
export function awsMetric(
  service: 'DynamoDB' | 'Lambda' | 'SES',
  metricName: string,
  {
    by = {},
    statistic = Stats.SUM,
    period = FIVE_MINUTES,
  }: { by?: Record<string, string>; statistic?: string; period?: Duration } = {},
): Metric {
  return new Metric({
    namespace: `AWS/${service}`,
    metricName,
    dimensionsMap: by,
    statistic,
    period,
  });
}

/** The sum of metrics; missing data counts as 0. */
export function sumOf(metrics: readonly IMetric[], label: string, period = FIVE_MINUTES): MathExpression {
  if (metrics.length > MAX_IN_ALARM)
    throw new Error(
      `${label}: an alarm can use at most ${MAX_IN_ALARM} metrics, but this one has ${metrics.length}`,
    );
  const ids = metrics.map((_metric, at) => `m${at}`);
  return new MathExpression({
    expression: ids.map((id) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric])),
    label,
    period,
  });
}
