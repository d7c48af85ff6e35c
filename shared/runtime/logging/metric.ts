/** Log lines that are also metrics (Amazon CloudWatch embedded metric format). */
import { correlationId } from '../../network/correlation.ts';
import { config } from '../config/config.ts';
import { isWritten, type LogLevel, writeLine } from './log.ts';
import { type LineFields, type LogLine, type LogLineName, logLines } from './log-lines.ts';

export interface RecordOptions {
  /** The CloudWatch namespace of the metrics, which are written at any log level; empty for no metrics. */
  readonly METRICS_NAMESPACE: string;
  readonly LOG_LEVEL: LogLevel;
}

/** Writes the line with this name. If the log level omits it, only its name and its metrics are written. */
export function record<Name extends LogLineName>(
  name: Name,
  fields: LineFields<Name>,
  { METRICS_NAMESPACE, LOG_LEVEL }: RecordOptions = config(),
  write: (line: Readonly<Record<string, unknown>>) => void = writeLine,
): void {
  const line: LogLine = logLines[name];
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

function metricsOf(
  { counts, measures = {}, by = [] }: LogLine,
  fields: Record<string, unknown>,
  Namespace: string,
) {
  const units = { ...(counts === undefined ? {} : { [counts]: 'Count' }), ...measures };
  const names = Object.keys(units);
  if (names.length === 0) return undefined;
  const directive = {
    Namespace,
    Dimensions: [by],
    Metrics: Object.entries(units).map(([Name, Unit]) => ({ Name, Unit })),
  };
  const values = [...by, ...names].map((name) => [name, name === counts ? 1 : fields[name]]);
  return {
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] },
    ...Object.fromEntries(values),
  };
}
