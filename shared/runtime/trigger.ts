/** What one row of `functions/triggers.ts` says: work that no HTTP request starts. */
import type { Capability } from './route.ts';

export interface Trigger {
  readonly name: string;
  /** The handler's file below `functions/`, without `.ts`. */
  readonly handler: string;
  readonly source: TriggerSource;
  readonly summary: string;
  /** What a user misses when this function fails; told in alarms. */
  readonly errorImpact: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly uses: readonly Capability[];
  /** How the partition keys begin that the function reaches, where it reads what strangers send; all, where not told. */
  readonly partitions?: readonly `${string}#`[];
}

export type TriggerSource =
  /** Messages of a queue in batches; one that fails `maxReceiveCount` times goes to the dead-letter queue. */
  | {
      readonly kind: 'queue';
      readonly queue: QueueName;
      readonly batchSize: number;
      readonly maxReceiveCount: number;
      /** For how long its handler keeps a message back on purpose after each failure, before it comes again. */
      readonly pausesSeconds?: readonly number[];
    }
  /** Every so many seconds; more often where a key of the environment asks for that and the host can. */
  | {
      readonly kind: 'schedule';
      readonly everySeconds: number;
      readonly keepsUpWith?: 'CHECK_INTERVAL_SECONDS';
    };

export type QueueName = 'deletions' | 'checks' | 'reports' | 'tester' | 'notifications';

/** One kind of mail that the service receives: at which addresses, and where it goes. */
export interface InboundMail {
  /** The key of the environment that names the domain of the addresses. */
  readonly domainKey: 'REPORTS_DOMAIN' | 'TESTER_DOMAIN';
  /** Which local parts there are: mail to any other is refused. */
  readonly localParts: 'report-mailboxes' | 'test-sessions';
  /** How the keys of the raw messages begin. */
  readonly prefix: string;
  /** Where each message that is stored is announced, in the form of SES. */
  readonly queue: QueueName;
}
