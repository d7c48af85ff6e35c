/** The metrics of log lines (`log-lines.ts`) for Prometheus, by the names that CloudWatch has on AWS. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type LogLine, type LogLineName, logLines } from '../../../shared/runtime/logging/log-lines.ts';
import type { LineValues, ObserveLine } from '../../../shared/runtime/logging/metric.ts';

/** What the name of each of our metrics starts with. */
export const PREFIX = 'domain_monitor_';

/** Seconds. */
const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface LineMetric {
  readonly name: string;
  /** Its name in CloudWatch. */
  readonly cloudWatch: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** The field with its value; undefined counts the lines. */
  readonly field: string | undefined;
  /** What a value of the field is divided by. */
  readonly scale: number;
  /** The fields that are its labels. */
  readonly by: readonly string[];
}

/** The metrics of all log lines. A count ends in `_total`, and milliseconds become seconds (Prometheus, "Metric names"). */
export const lineMetrics: ReadonlyMap<LogLineName, readonly LineMetric[]> = new Map(
  (Object.keys(logLines) as LogLineName[]).map((name) => [name, metricsOf(logLines[name])]),
);

function metricsOf({ counts, measures = {}, by = [] }: LogLine): readonly LineMetric[] {
  const counter = (cloudWatch: string, field?: string): LineMetric => {
    const name = `${PREFIX}${snakeCase(cloudWatch)}_total`;
    return { name, cloudWatch, kind: 'counter', field, scale: 1, by };
  };
  return [
    ...(counts === undefined ? [] : [counter(counts)]),
    ...Object.entries(measures).map(([field, unit]): LineMetric => {
      if (unit === 'Count') return counter(field, field);
      const name = `${PREFIX}${snakeCase(field.replace(/Milliseconds$/, 'Seconds'))}`;
      return unit === 'Seconds'
        ? { name, cloudWatch: field, kind: 'gauge', field, scale: 1, by }
        : { name, cloudWatch: field, kind: 'histogram', field, scale: 1000, by };
    }),
  ];
}

/** `checksNotApplicable` is `checks_not_applicable`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Adds these metrics to the registry; the returned function counts a line. */
export function countLines(register: Registry): ObserveLine {
  const made = new Map<string, (values: LineValues) => void>();
  const counters = new Map<LogLineName, ((values: LineValues) => void)[]>();
  for (const [line, metrics] of lineMetrics) {
    const own = metrics.map((metric) => {
      // Two lines can count into one metric.
      const count = made.get(metric.name) ?? counted(metric, register);
      made.set(metric.name, count);
      return count;
    });
    counters.set(line, own);
  }
  return (line, values) => {
    for (const count of counters.get(line) ?? []) count(values);
  };
}

function counted(
  { name, kind, cloudWatch, field, scale, by }: LineMetric,
  register: Registry,
): (values: LineValues) => void {
  const options = {
    name,
    help: `${cloudWatch} of the log lines`,
    labelNames: by.map(snakeCase),
    registers: [register],
  };
  const labelsOf = (values: LineValues) =>
    Object.fromEntries(by.map((label) => [snakeCase(label), String(values[label])]));
  const amountOf = (values: LineValues) => (field === undefined ? 1 : Number(values[field]) / scale);
  switch (kind) {
    case 'counter': {
      const counter = new Counter(options);
      return (values) => counter.inc(labelsOf(values), amountOf(values));
    }
    case 'gauge': {
      const gauge = new Gauge(options);
      return (values) => gauge.set(labelsOf(values), amountOf(values));
    }
    default: {
      const histogram = new Histogram({ ...options, buckets: BUCKETS });
      return (values) => histogram.observe(labelsOf(values), amountOf(values));
    }
  }
}
