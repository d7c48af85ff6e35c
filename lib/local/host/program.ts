/** What the host runs: the functions and their triggers, from the source files or, in tests, from a cloud assembly. */
import { fallbackHandler, routes } from '../../../functions/routes.ts';
import { inboundMail, triggers } from '../../../functions/triggers.ts';
import { isPublicTool, methodsOf, pathsOf, type Route } from '../../../shared/runtime/http/route.ts';
import type { ObserveLine } from '../../../shared/runtime/logging/metric.ts';
import {
  eventsOf,
  type InboundMail,
  type ScheduleEvent,
  type Trigger,
  type TriggerSource,
} from '../../../shared/runtime/workers/trigger.ts';
import type { IamAuthorizer, LoopbackServer } from '../stores/loopback-server.ts';
import type { QueueDefinition } from '../stores/queues/queue-store.ts';
import type { RequestKind } from './gateway/turns.ts';
import { type LocalFunction, sourceFunction } from './invoke.ts';
import { queueDefinitions } from './queue-definitions.ts';
import type { Settings } from './settings.ts';
import { threadedFunctions } from './threads/threaded-functions.ts';

/** A description of what to run, available before anything starts. */
export interface Plan {
  /** Settings of the plan. Settings in the environment take precedence. */
  readonly settings: Readonly<Record<string, string>>;
  readonly queues: readonly QueueDefinition[];
  /** Controls access to the embedded endpoints. If absent, every caller has all permissions. */
  readonly guard?: (settings: Settings) => IamAuthorizer;
  program(context: HostContext): Program;
}

export interface HostContext {
  readonly settings: Settings;
  /** The embedded servers that functions reach without HTTP. */
  readonly servers: readonly LoopbackServer[];
  /** To be called with the lines that threads log. */
  readonly observe: ObserveLine;
  queueUrl(name: string): string;
}

export interface Program {
  readonly inbound: readonly InboundMail[];
  readonly routes: readonly RoutedFunction[];
  /** Handles requests that match no route. */
  readonly fallback: LocalFunction;
  readonly consumers: readonly Consumer[];
  readonly schedules: readonly ScheduledFunction[];
  /** By how much the threads of public tools are late, in milliseconds. */
  delay?(): number;
  stop(): Promise<void> | void;
}

export interface RoutedFunction {
  readonly method: string;
  /** In API Gateway's format, `/api/v1/domains/{id}`. */
  readonly path: string;
  readonly handler: LocalFunction;
  /** Whether it requires credentials (the default), is a public tool that runs checks, or another public page. */
  readonly access?: RequestKind;
  /** Whether all its responses are the same, so that one is kept. */
  readonly isFixed?: boolean;
}

export interface Consumer {
  readonly queue: string;
  /** Messages of one invocation. */
  readonly batchSize: number;
  /** Invocations at the same time. A free place takes the next messages at once. */
  readonly places: number;
  /**
   * Whether the function reports which messages of a batch failed. If not, the batch succeeds or fails as a whole.
   */
  readonly reportsFailures: boolean;
  readonly handler: LocalFunction;
  /** The access key for polling the queue. Defaults to the host's own. */
  readonly accessKeyId?: string;
}

export interface ScheduledFunction {
  readonly everySeconds: number;
  readonly event: ScheduleEvent;
  readonly handler: LocalFunction;
}

const rows: readonly Trigger[] = Object.values(triggers);
const routeRows: readonly Route[] = Object.values(routes);

/** The plan that runs the rows of `functions/` with the handlers in the sources. */
export const sourcePlan: Plan = {
  settings: {},
  queues: queueDefinitions(rows),
  program({ settings, servers, observe }) {
    const { functionOf, consumerOf, delay, stop } = threadedFunctions({ servers, observe });
    return {
      inbound: Object.values(inboundMail),
      routes: routeRows.flatMap((row) => {
        const handler = functionOf(row);
        const access = accessOf(row);
        return pathsOf(row).flatMap((path) =>
          methodsOf(row).map((method) => ({
            method,
            path,
            handler,
            access,
            isFixed: row.success.isFixed ?? false,
          })),
        );
      }),
      fallback: sourceFunction({ handler: fallbackHandler, timeoutSeconds: 5, memoryMegabytes: 256 }),
      consumers: rows.flatMap((row) =>
        row.source.kind === 'queue'
          ? [{ ...row.source, batchSize: 1, reportsFailures: true, handler: consumerOf(row) }]
          : [],
      ),
      schedules: rows.flatMap((row) => {
        const { source } = row;
        if (source.kind !== 'schedule') return [];
        const handler = functionOf(row);
        return eventsOf(source).map((event) => ({
          everySeconds: intervalOf(source, settings),
          event,
          handler,
        }));
      }),
      delay,
      stop,
    };
  },
};

/** How the gateway treats requests for a route. */
export function accessOf(route: Pick<Route, 'access' | 'rate'>): RequestKind {
  if (route.access !== 'public') return 'signed-in';
  return isPublicTool(route) ? 'tool' : 'page';
}

/**
 * Returns the seconds between two runs: the row's interval, or a shorter one if the setting that `keepsUpWith` names
 * requires it.
 */
export function intervalOf(
  { everySeconds, keepsUpWith }: Extract<TriggerSource, { kind: 'schedule' }>,
  settings: Settings,
): number {
  return keepsUpWith === undefined ? everySeconds : Math.min(everySeconds, settings[keepsUpWith]);
}
