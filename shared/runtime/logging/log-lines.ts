/**
 * The log lines that operators rely on, one row each: their fields, and the metrics that CloudWatch extracts from them.
 * Alarms, the dashboard, and the queries of the runbook refer to these names; tests compare them with this table.
 *
 * Each combination of dimension values is a separate metric that costs money, so dimensions have few values. Metrics
 * appear in graphs and mails, so no dimension is an address, a name, or an id. Fields can contain ids, but never a body,
 * a header, or a token.
 */
import type { LogLevel } from './log.ts';

export interface LogLine {
  readonly level: Exclude<LogLevel, 'silent'>;
  /** The metric that counts these lines. */
  readonly counts?: string;
  /** Fields that are metrics, with their units. */
  readonly measures?: Readonly<Record<string, MetricUnit>>;
  /** Fields that are the dimensions of the metrics. */
  readonly by?: readonly string[];
  readonly fields: readonly string[];
}

type MetricUnit = 'Count' | 'Milliseconds' | 'Seconds';

export const logLines = {
  /** A request was handled. */
  request: {
    level: 'info',
    measures: { requestMilliseconds: 'Milliseconds' },
    by: ['route', 'statusClass'],
    fields: ['requestId', 'status', 'organization', 'clientAddress'],
  },
  /** Somebody signed in to the console: `way` is `token`, `link` or `provider`. */
  'signed in': { level: 'info', fields: ['way', 'organization', 'token', 'clientAddress'] },
  /** Somebody could not sign in. `detail` is what an identity provider said, which can be anything. */
  'sign-in failed': { level: 'warn', fields: ['problem', 'detail', 'clientAddress'] },
  /** A request failed with an internal error. */
  unforeseen: { level: 'error', counts: 'failures', by: ['area'], fields: ['route', 'requestId', 'error'] },
  /** Handling a queue message failed with an internal error; the message is retried. */
  'work failed': {
    level: 'error',
    counts: 'failures',
    by: ['area'],
    fields: ['trigger', 'messageId', 'error'],
  },
  /** A scheduled run failed with an internal error; Lambda counts it, and the next run tries again. */
  'turn failed': { level: 'error', fields: ['area', 'trigger', 'error'] },
  /** A batch of queue messages was handled. */
  work: { level: 'info', fields: ['trigger', 'records', 'failed'] },
  /** A domain was checked: the number of checks per state, and the checks with state unknown. */
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
  /** A clock was wrong: domains were planned further ahead than their interval allows, and are due now. */
  'planned too far ahead': { level: 'warn', measures: { domainsBroughtForward: 'Count' }, fields: [] },
  /** The domains that are due were queued for checks; the lag is how long the first of them had been due. */
  sweep: { level: 'debug', measures: { sweepLagSeconds: 'Seconds', domainsSent: 'Count' }, fields: [] },
  /** An alert was raised. */
  alert: { level: 'info', counts: 'alerts', by: ['type'], fields: ['severity', 'domainId'] },
  /** A notification to an organization was delivered, or failed. */
  notification: {
    level: 'info',
    counts: 'notifications',
    by: ['channel', 'result'],
    fields: ['organization', 'delivery', 'correlations', 'reason'],
  },
  /** An inbound message was processed. */
  mail: { level: 'info', counts: 'mails', by: ['inbound', 'outcome'], fields: ['messageId'] },
  /** The outcome of one item in a report mail. */
  report: { level: 'info', counts: 'reports', by: ['outcome'], fields: ['domainId', 'messageId'] },
  /** A mailbox was read, or could not be read: `outcome` is `read` or the code of the problem. */
  'mailbox run': {
    level: 'info',
    counts: 'mailboxRuns',
    by: ['outcome'],
    fields: ['organization', 'mailbox', 'read', 'accepted', 'remaining'],
  },
  /** The data of a removed domain was deleted completely. */
  deletion: { level: 'info', counts: 'deletionsDrained', fields: ['domainId'] },
} as const satisfies Readonly<Record<string, LogLine>>;

export type LogLineName = keyof typeof logLines;

type Row<Name extends LogLineName> = (typeof logLines)[Name];
type Named<R, Part extends string> = R extends { readonly [P in Part]: readonly (infer Name)[] }
  ? Name & string
  : never;

/** The values of a line: everything that its row lists, and nothing else. */
export type LineFields<Name extends LogLineName> = Readonly<
  Record<Named<Row<Name>, 'by'>, string> &
    Record<Row<Name> extends { readonly measures: infer M } ? keyof M & string : never, number> &
    Record<Named<Row<Name>, 'fields'>, unknown>
>;

/** The area that a handler belongs to: its folder in `functions/`. */
export const areaOf = ({ handler }: { readonly handler: string }): string =>
  handler.slice(0, handler.indexOf('/'));
