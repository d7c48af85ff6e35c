/**
 * The lines of the log that operators count on, a row each: their fields, and the metrics that CloudWatch makes of them.
 * Alarms, dashboard and the queries of the runbook name these; tests hold them against this table.
 *
 * A metric costs for every combination of what it is told apart by, so that these have few values each; and as they
 * show in graphs and mails, none is an address, a name or an id. Fields may hold ids, and never a body, a header or a
 * token.
 */
import type { LogLevel } from './log.ts';

export interface LogLine {
  readonly level: Exclude<LogLevel, 'silent'>;
  /** The metric that is 1 for each of these lines. */
  readonly counts?: string;
  /** Fields that are metrics, with their units. */
  readonly measures?: Readonly<Record<string, MetricUnit>>;
  /** Fields that the metrics are told apart by: their dimensions. */
  readonly by?: readonly string[];
  readonly fields: readonly string[];
}

export type MetricUnit = 'Count' | 'Milliseconds' | 'Seconds';

export const logLines = {
  /** A request was answered. */
  request: {
    level: 'info',
    measures: { requestMilliseconds: 'Milliseconds' },
    by: ['route', 'statusClass'],
    fields: ['requestId', 'status', 'organization'],
  },
  /** A request failed by our own fault. */
  unforeseen: { level: 'error', counts: 'failures', by: ['area'], fields: ['route', 'requestId', 'error'] },
  /** A message of a queue failed by our own fault; it comes again. */
  'work failed': {
    level: 'error',
    counts: 'failures',
    by: ['area'],
    fields: ['trigger', 'messageId', 'error'],
  },
  /** A turn of a schedule failed by our own fault; Lambda counts it, and the next turn tries again. */
  'turn failed': { level: 'error', fields: ['area', 'trigger', 'error'] },
  /** A batch of messages of a queue was handled. */
  work: { level: 'info', fields: ['trigger', 'records', 'failed'] },
  /** A domain was checked: how many of the checks came to which state, and which could not be made. */
  check: {
    level: 'info',
    measures: {
      checkMilliseconds: 'Milliseconds',
      checksPass: 'Count',
      checksWarning: 'Count',
      checksFail: 'Count',
      checksAbsent: 'Count',
      checksNotApplicable: 'Count',
      checksUnknown: 'Count',
      dnsLookups: 'Count',
      dnsCacheHits: 'Count',
    },
    fields: ['domainId', 'unknown'],
  },
  /** The domains that were due were sent to be checked; the lag is how long the first of them had been due. */
  sweep: { level: 'debug', measures: { sweepLagSeconds: 'Seconds', domainsSent: 'Count' }, fields: [] },
  /** An alert was raised. */
  alert: { level: 'info', counts: 'alerts', by: ['type'], fields: ['severity', 'domainId'] },
  /** An organization was told of alerts, or could not be told. */
  notification: {
    level: 'info',
    counts: 'notifications',
    by: ['channel', 'result'],
    fields: ['organization', 'delivery', 'reason'],
  },
  /** A message was taken from the inbound mail. */
  mail: { level: 'info', counts: 'mails', by: ['inbound', 'outcome'], fields: ['messageId'] },
  /** What became of one thing in a report mail. */
  report: { level: 'info', counts: 'reports', by: ['outcome'], fields: ['domainId', 'messageId'] },
  /** The last of a removed domain was deleted. */
  deletion: { level: 'info', counts: 'deletionsDrained', fields: ['domainId'] },
} as const satisfies Readonly<Record<string, LogLine>>;

export type LogLineName = keyof typeof logLines;

type Row<Name extends LogLineName> = (typeof logLines)[Name];
type Named<R, Part extends string> = R extends { readonly [P in Part]: readonly (infer Name)[] }
  ? Name & string
  : never;

/** What is told in a line: everything that its row names, and nothing else. */
export type Told<Name extends LogLineName> = Readonly<
  Record<Named<Row<Name>, 'by'>, string> &
    Record<Row<Name> extends { readonly measures: infer M } ? keyof M & string : never, number> &
    Record<Named<Row<Name>, 'fields'>, unknown>
>;

/** The part of the service that a handler belongs to: its folder below `functions/`. */
export const areaOf = ({ handler }: { readonly handler: string }): string =>
  handler.slice(0, handler.indexOf('/'));
