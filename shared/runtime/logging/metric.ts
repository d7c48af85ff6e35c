/** Log lines that are also metrics: in Amazon CloudWatch's embedded metric format, and for an observer in the process. */
import { correlationId } from '../../network/correlation.ts';
import { config } from '../config/config.ts';
import { isWritten, type LogLevel, writeLine } from './log.ts';
import { type LineFields, type LogLine, type LogLineName, logLines } from './log-lines.ts';

export interface RecordOptions {
  /** The CloudWatch namespace of the metrics, which are written at any log level; empty for no metrics. */
  readonly METRICS_NAMESPACE: string;
  readonly LOG_LEVEL: LogLevel;
}

/** The dimensions and measures of a line, by their names. */
export type LineValues = Readonly<Record<string, unknown>>;

export type ObserveLine = (name: LogLineName, values: LineValues) => void;

let observer: ObserveLine | undefined;

/** Also passes the values of each line to `observe`, at every log level. */
export function observeLines(observe: ObserveLine): void {
  observer = observe;
}

/** Writes the line with this name. If the log level omits it, only its name and its metrics are written. */
export function record<Name extends LogLineName>(
  name: Name,
  fields: LineFields<Name>,
  { METRICS_NAMESPACE, LOG_LEVEL }: RecordOptions = config(),
  write: (line: Readonly<Record<string, unknown>>) => void = writeLine,
): void {
  const line: LogLine = logLines[name];
  observer?.(name, valuesOf(line, fields));
  const correlation = correlationId();
  const entry = {
    ...{ time: new Date().toISOString(), level: line.level, message: name },
    ...(correlation !== undefined && { correlation }),
    ...fields,
  };
  const metrics = METRICS_NAMESPACE === '' ? undefined : metricsOf(line, fields, METRICS_NAMESPACE);
  if (isWritten(line.level, LOG_LEVEL)) write({ ...entry, ...metrics });
  else if (metrics !== undefined) write({ message: name, ...metrics });
}

function valuesOf({ measures = {}, by = [] }: LogLine, fields: Record<string, unknown>): LineValues {
  return Object.fromEntries([...by, ...Object.keys(measures)].map((name) => [name, fields[name]]));
}

function metricsOf(line: LogLine, fields: Record<string, unknown>, Namespace: string) {
  const { counts, measures = {}, by = [] } = line;
  const units = { ...(counts === undefined ? {} : { [counts]: 'Count' }), ...measures };
  const names = Object.keys(units);
  if (names.length === 0) return undefined;
  const directive = {
    Namespace,
    Dimensions: [by],
    Metrics: Object.entries(units).map(([Name, Unit]) => ({ Name, Unit })),
  };
  return {
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] },
    ...valuesOf(line, fields),
    ...(counts !== undefined && { [counts]: 1 }),
  };
}
