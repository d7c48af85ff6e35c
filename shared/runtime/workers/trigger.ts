/** The type of the rows in `functions/triggers.ts`: background jobs, which no HTTP request starts; and their queues. */
import type { Capability } from '../../operations/capability.ts';
import type { Config } from '../config/config.ts';

export interface Trigger {
  readonly name: string;
  /** The handler's file in `functions/`, without `.ts`. */
  readonly handler: string;
  readonly source: TriggerSource;
  readonly summary: string;
  /** The user impact if this function fails; shown in alarms. */
  readonly errorImpact: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly uses: readonly Capability[];
}

export type TriggerSource =
  /** Queue messages in batches. A message that fails `maxReceiveCount` times goes to the dead-letter queue. */
  | {
      readonly kind: 'queue';
      readonly queue: QueueName;
      /** Messages of one invocation in Lambda, handled at the same time. All wait for the slowest one. */
      readonly batchSize: number;
      /** How long Lambda waits until a batch is full; not at all if absent. */
      readonly batchingSeconds?: number;
      /** Messages that one machine handles at the same time. */
      readonly places: number;
      readonly maxReceiveCount: number;
      /** How long the handler deliberately delays a retry, after each failed attempt. */
      readonly pausesSeconds?: readonly number[];
    }
  /** A fixed interval; shorter if the environment key in `keepsUpWith` says so and the host supports it. */
  | {
      readonly kind: 'schedule';
      readonly everySeconds: number;
      readonly keepsUpWith?: 'CHECK_INTERVAL_SECONDS';
      /** How many invocations each run consists of, which divide the work; one by default. */
      readonly parts?: number;
    };

/** The event of a scheduled invocation: which part of the work to do, from 0, and the number of parts. */
export interface ScheduleEvent {
  readonly part: number;
  readonly parts: number;
}

/** The events of one run of a schedule. */
export const eventsOf = ({ parts = 1 }: { readonly parts?: number }): readonly ScheduleEvent[] =>
  Array.from({ length: parts }, (_, part) => ({ part, parts }));

/** Every queue with the environment key of its URL. */
export const queues = {
  deletions: { urlKey: 'DELETIONS_QUEUE_URL' },
  checks: { urlKey: 'CHECKS_QUEUE_URL' },
  arrivals: { urlKey: 'ARRIVALS_QUEUE_URL' },
  reports: { urlKey: 'REPORTS_QUEUE_URL' },
  tester: { urlKey: 'TESTER_QUEUE_URL' },
  notifications: { urlKey: 'NOTIFICATIONS_QUEUE_URL' },
  digests: { urlKey: 'DIGESTS_QUEUE_URL' },
  summaries: { urlKey: 'SUMMARIES_QUEUE_URL' },
  mailboxes: { urlKey: 'MAILBOXES_QUEUE_URL' },
} as const satisfies Record<string, { readonly urlKey: keyof Config }>;

export type QueueName = keyof typeof queues;

/** One kind of inbound mail: its addresses, and where it is stored and announced. */
export interface InboundMail {
  /** The environment key with the domain of the addresses. */
  readonly domainKey: 'REPORTS_DOMAIN' | 'TESTER_DOMAIN';
  /** Domains before it that are still accepted. */
  readonly formerKey: 'FORMER_REPORTS_DOMAINS' | 'FORMER_TESTER_DOMAINS';
  /** Which local parts exist; mail to any other is rejected. */
  readonly localParts: 'report-mailboxes' | 'test-sessions';
  /** The prefix of the raw messages' keys. */
  readonly prefix: string;
  /** The queue that gets a notification in the format of SES for each stored message. */
  readonly queue: QueueName;
  /** The queue of the function that reads the mail, in which mailboxes take turns. */
  readonly reader: QueueName;
}
