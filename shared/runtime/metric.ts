/** Lines of the log that are metrics at the same time (Amazon CloudWatch, embedded metric format). */
import { config } from './config.ts';
import { isWritten, type LogLevel, writeLine } from './log.ts';
import { type LogLine, type LogLineName, logLines, type Told } from './log-lines.ts';

export interface RecordOptions {
  /** Where CloudWatch keeps the metrics, which are written whatever the level of the log; empty where there are none. */
  readonly METRICS_NAMESPACE: string;
  readonly LOG_LEVEL: LogLevel;
}

/** Writes the line of this name. Where the log's level leaves it out, its name and its metrics remain. */
export function record<Name extends LogLineName>(
  name: Name,
  told: Told<Name>,
  { METRICS_NAMESPACE, LOG_LEVEL }: RecordOptions = config(),
  write: (line: Readonly<Record<string, unknown>>) => void = writeLine,
): void {
  const line: LogLine = logLines[name];
  const entry = { time: new Date().toISOString(), level: line.level, message: name, ...told };
  const metrics = METRICS_NAMESPACE === '' ? undefined : metricsOf(line, told, METRICS_NAMESPACE);
  if (isWritten(line.level, LOG_LEVEL)) write({ ...entry, ...metrics });
  else if (metrics !== undefined) write({ message: name, ...metrics });
}

function metricsOf(
  { counts, measures = {}, by = [] }: LogLine,
  told: Record<string, unknown>,
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
  const values = [...by, ...names].map((name) => [name, name === counts ? 1 : told[name]]);
  return {
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] },
    ...Object.fromEntries(values),
  };
}
