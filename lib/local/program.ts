/** What the host runs: the functions and what calls each. Made from the sources, or from what would be deployed. */
import { fallbackHandler, routes } from '../../functions/routes.ts';
import { inboundMail, triggers } from '../../functions/triggers.ts';
import { methodsOf } from '../../shared/runtime/route.ts';
import type { InboundMail, Trigger, TriggerSource } from '../../shared/runtime/trigger.ts';
import type { Guard } from './guard.ts';
import { type LocalFunction, sourceFunction } from './invoke.ts';
import type { QueueDefinition } from './queues/queue-store.ts';
import type { Settings } from './settings.ts';

/** What is to run, before anything does. */
export interface Plan {
  /** Settings that come with it; those that the environment gives win. */
  readonly settings: Readonly<Record<string, string>>;
  readonly queues: readonly QueueDefinition[];
  /** Decides who may do what at the embedded endpoints; absent, everybody may everything. */
  readonly guard?: (settings: Settings) => Guard;
  program(surroundings: Surroundings): Program;
}

export interface Surroundings {
  readonly settings: Settings;
  queueUrl(name: string): string;
}

export interface Program {
  readonly inbound: readonly InboundMail[];
  readonly routes: readonly RoutedFunction[];
  /** Answers what no route takes. */
  readonly fallback: LocalFunction;
  readonly consumers: readonly Consumer[];
  readonly schedules: readonly ScheduledFunction[];
  stop(): Promise<void> | void;
}

export interface RoutedFunction {
  readonly method: string;
  /** In API Gateway's form, `/api/v1/domains/{id}`. */
  readonly path: string;
  readonly called: LocalFunction;
}

export interface Consumer {
  readonly queue: string;
  readonly batchSize: number;
  /** Whether the function says which messages of a batch failed; else it answers for all of them together. */
  readonly reportsFailures: boolean;
  readonly called: LocalFunction;
  /** Whose access key the queue is read with; the host's own where it is absent. */
  readonly accessKeyId?: string;
}

export interface ScheduledFunction {
  readonly everySeconds: number;
  readonly called: LocalFunction;
}

const rows: readonly Trigger[] = Object.values(triggers);

/** The rows of `functions/`, and their handlers as they stand there. */
export const sourcePlan: Plan = {
  settings: {},
  queues: rows.flatMap(({ source, timeoutSeconds }) =>
    source.kind === 'queue'
      ? [
          {
            name: source.queue,
            maxReceiveCount: source.maxReceiveCount,
            // AWS asks for six times the function's time, so that a message is not handed out twice at once.
            visibilityTimeoutSeconds: timeoutSeconds * 6,
          },
        ]
      : [],
  ),
  program: ({ settings }) => ({
    inbound: Object.values(inboundMail),
    routes: Object.values(routes).flatMap((row) => {
      const called = sourceFunction(row);
      return methodsOf(row).map((method) => ({ method, path: row.path, called }));
    }),
    fallback: sourceFunction({ handler: fallbackHandler, timeoutSeconds: 5, memoryMegabytes: 256 }),
    consumers: rows.flatMap((row) =>
      row.source.kind === 'queue'
        ? [{ ...row.source, reportsFailures: true, called: sourceFunction(row) }]
        : [],
    ),
    schedules: rows.flatMap((row) =>
      row.source.kind === 'schedule'
        ? [{ everySeconds: rhythmOf(row.source, settings), called: sourceFunction(row) }]
        : [],
    ),
    stop: () => {},
  }),
};

/** Every how many seconds: as the row says, and as often as a setting asks for where that is oftener. */
export function rhythmOf(
  { everySeconds, keepsUpWith }: Extract<TriggerSource, { kind: 'schedule' }>,
  settings: Settings,
): number {
  return keepsUpWith === undefined ? everySeconds : Math.min(everySeconds, settings[keepsUpWith]);
}
