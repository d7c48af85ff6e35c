/** One run of a mailbox: signs in, reads what is new in its folder, and notes how it went. */

import { aboutNothing } from '../attention/kinds.ts';
import type { MailboxSecret } from '../mailboxes/mailbox.ts';
import { type MailboxConnections, openMailbox } from '../mailboxes/open.ts';
import { errorOf, type MailboxError, problem } from '../mailboxes/problem.ts';
import { abandonment, throwIfAbandoned } from '../network/abandon.ts';
import { FolderProblem, type ListedMail } from '../network/folder-port.ts';
import type { Clock } from '../network/ports.ts';
import { TokenProblem } from '../network/token-port.ts';
import { DAY_MILLISECONDS } from '../protocol/time.ts';
import type { AttentionChanges } from '../store/attention-changes.ts';
import type { Domain, DomainStore } from '../store/domains/domains.ts';
import type {
  FetchedMailboxStore,
  Mailbox,
  MailboxLease,
  MailboxReference,
  MailboxSecretStore,
} from '../store/fetched-mailboxes.ts';
import type { Table } from '../store/table.ts';
import {
  type FetchedDependencies,
  type FetchedFrom,
  type FetchedOutcome,
  ingestFetched,
} from './ingest-fetched.ts';
import { MailsWithheld, readFolder } from './read-mailbox.ts';

export interface RunDependencies
  extends FetchedDependencies,
    MailboxConnections,
    Pick<FetchedFrom, 'unauthenticated'> {
  readonly mailboxes: Pick<FetchedMailboxStore, 'claim' | 'advance' | 'finish'>;
  readonly secrets: Pick<MailboxSecretStore, 'secretOf' | 'replace'>;
  readonly attention: Pick<AttentionChanges, 'openMailbox' | 'mailboxClosings'>;
  readonly table: Pick<Table, 'tryTransact'>;
  readonly domains: Pick<DomainStore, 'named'>;
  readonly clock: Clock;
  /** Is told of each mail that is stored. */
  readonly onStored: (outcome: Extract<FetchedOutcome, { status: 'stored' }>) => void;
  /** Has the mailbox read again as soon as others had their turn. */
  readonly queueAgain: (reference: MailboxReference) => Promise<void>;
}

interface RunTime {
  /** How long the run may take. */
  readonly milliseconds: () => number;
  readonly leaseSeconds: number;
}

/** How a run went. `not-due`: another worker has the mailbox, or it was removed. `lost`: that happened during the run. */
export type RunOutcome =
  | { readonly status: 'not-due' }
  | { readonly status: 'lost' }
  /** `retrySeconds`: how long a server that limits how much is read wants to be left alone. */
  | {
      readonly status: 'read';
      readonly read: number;
      readonly accepted: number;
      readonly remaining: number;
      readonly retrySeconds?: number;
    }
  /**
   * `cause`: an error of our own. `retrySeconds`: how long a server wants to be left alone. `withheld`: the mails that it did not
   * give.
   */
  | {
      readonly status: 'failed';
      readonly error: MailboxError;
      readonly withheld?: readonly string[];
      readonly cause?: unknown;
      readonly retrySeconds?: number;
    };

/** What is left for what comes after the last mails: storing them, acknowledging them, and ending the session. */
const RESERVE_MILLISECONDS = 45_000;
/** When the connection is ended whatever it does. */
const END_MILLISECONDS = 10_000;

type Read = Extract<RunOutcome, { status: 'read' }>;

/** Whether the rest is read as soon as others had their turn. Without progress, it waits until it is due. */
const goesOn = ({ read, remaining, retrySeconds }: Read): boolean =>
  remaining > 0 && read > 0 && retrySeconds === undefined;

/** When the rest of a mailbox is due otherwise: limits are for a minute or more. */
const REST_SECONDS = 60;

/** What has failed for a day needs a person. */
const isLasting = (since: string, now: Date): boolean =>
  now.getTime() - Date.parse(since) >= DAY_MILLISECONDS;

/** A mail that the server has not given for a day is passed over. After a failure of the server, they are fetched one by one. */
function leftIn({ lastError, withheld }: Mailbox, now: Date): ((mail: ListedMail) => boolean) | undefined {
  if (lastError?.code !== 'server-error') return undefined;
  return ({ id }) => {
    const since = withheld[id];
    return since !== undefined && isLasting(since, now);
  };
}

/** How many of such mails are remembered. */
const MOST_WITHHELD = 50;

/** Providers lock users who fail to sign in too often, and limit those who read too often. Some say for how long. */
const PAUSE_SECONDS: Readonly<Record<string, number>> = {
  'sign-in-refused': 3_600,
  'token-not-accepted': 3_600,
  throttled: 1_800,
  'token-busy': 300,
};

export async function runMailbox(
  reference: MailboxReference,
  deps: RunDependencies,
  time: RunTime,
): Promise<RunOutcome> {
  const lease = await deps.mailboxes.claim(reference, deps.clock.now(), time.leaseSeconds);
  if (lease === undefined) return { status: 'not-due' };
  const outcome = await read(lease, deps, time);
  // The lease ends by itself, and the run is repeated.
  throwIfAbandoned();
  if (outcome.status === 'lost') return outcome;
  const now = deps.clock.now();
  const isKept =
    outcome.status === 'failed'
      ? await noteFailure(lease, outcome, deps, now)
      : await noteSuccess(lease, outcome, deps, now);
  if (!isKept) return { status: 'lost' };
  if (outcome.status === 'read' && goesOn(outcome)) await deps.queueAgain(reference);
  return outcome;
}

async function read(
  lease: MailboxLease,
  deps: RunDependencies,
  { milliseconds }: RunTime,
): Promise<Exclude<RunOutcome, { status: 'not-due' }>> {
  const { mailbox } = lease;
  const endsIn = milliseconds();
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.max(0, endsIn - END_MILLISECONDS));
  const wanted = abandonment();
  const signal = wanted === undefined ? over.signal : AbortSignal.any([over.signal, wanted]);
  const counted = { read: 0, accepted: 0 };
  try {
    const secret = await deps.secrets.secretOf(mailbox);
    if (secret === undefined)
      return { status: 'failed', error: problem('secret-missing', 'what signs in is not stored') };
    const keep = (next: MailboxSecret) => deps.secrets.replace(mailbox, next);
    const folder = await openMailbox(mailbox, secret, keep, signal, deps);
    try {
      const from: FetchedFrom = {
        ...mailbox,
        unauthenticated: deps.unauthenticated,
        find: finderOf(mailbox, deps),
      };
      const result = await readFolder(folder, mailbox, mailbox.position, {
        async ingest(content, receivedAt) {
          const outcome = await ingestFetched(content, receivedAt, from, deps);
          if (outcome.status === 'stored') deps.onStored(outcome);
          return outcome;
        },
        async advance(progress) {
          counted.read += progress.read;
          counted.accepted += progress.accepted;
          return deps.mailboxes.advance(lease, progress);
        },
        hasTime: () => !signal.aborted && milliseconds() > RESERVE_MILLISECONDS,
        isLeft: leftIn(mailbox, deps.clock.now()),
      });
      return result.status === 'lost' ? result : { ...result, ...counted };
    } finally {
      await folder.close();
    }
  } catch (cause) {
    const error = errorOf(cause);
    // What it allowed is read; the rest waits.
    if (error.code === 'throttled' && counted.read > 0)
      return { status: 'read', ...counted, remaining: 1, retrySeconds: retrySecondsOf(cause) };
    return {
      status: 'failed',
      error,
      retrySeconds: retrySecondsOf(cause),
      ...(cause instanceof MailsWithheld && { withheld: cause.ids }),
      ...(error.code === 'internal' && { cause }),
    };
  } finally {
    clearTimeout(timer);
  }
}

const retrySecondsOf = (cause: unknown): number =>
  cause instanceof TokenProblem || cause instanceof FolderProblem ? cause.retrySeconds : 0;

/** Most mails are about the same few domains. */
function finderOf({ organization }: Mailbox, { domains }: RunDependencies): FetchedFrom['find'] {
  const found = new Map<string, Promise<Domain | undefined>>();
  return (name) => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const asked = domains.named(organization, name);
    if (found.size < MOST_NAMES) found.set(name, asked);
    return asked;
  };
}

/** Strangers choose the names in reports. */
const MOST_NAMES = 10_000;

async function noteSuccess(
  lease: MailboxLease,
  outcome: Read,
  { mailboxes, attention, table }: RunDependencies,
  now: Date,
): Promise<boolean> {
  const { mailbox } = lease;
  if (mailbox.failingSince !== null) {
    const closings = await attention.mailboxClosings(mailbox.organization, mailbox.id, now);
    if (closings.length > 0) await table.tryTransact(closings);
  }
  const { remaining, retrySeconds = 0 } = outcome;
  const waits = remaining > 0 && !goesOn(outcome);
  const next = after(waits ? Math.max(retrySeconds, REST_SECONDS) : mailbox.everySeconds, now);
  return mailboxes.finish(lease, { now, next, remaining });
}

/** The attention item comes first: after a crash between the two, the run is repeated, and so is this. */
async function noteFailure(
  lease: MailboxLease,
  { error, retrySeconds = 0, withheld = [] }: Extract<RunOutcome, { status: 'failed' }>,
  { mailboxes, attention }: RunDependencies,
  now: Date,
): Promise<boolean> {
  const { organization, id, name, failingSince, everySeconds } = lease.mailbox;
  if (failingSince !== null && isLasting(failingSince, now)) {
    const about = { ...aboutNothing, names: [name], facts: { ...error } };
    const held = { since: failingSince, about };
    await attention.openMailbox(organization, { mailbox: id, kind: 'mailbox-failing' }, held, now);
  }
  const pause = retrySeconds > 0 ? retrySeconds : (PAUSE_SECONDS[error.code] ?? 0);
  const seconds = Math.max(everySeconds, pause);
  const before = lease.mailbox.withheld;
  const since = Object.fromEntries(
    withheld.slice(0, MOST_WITHHELD).map((mail) => [mail, before[mail] ?? now.toISOString()]),
  );
  return mailboxes.finish(lease, { now, next: after(seconds, now), error, withheld: since });
}

const after = (seconds: number, now: Date): Date => new Date(now.getTime() + seconds * 1000);
