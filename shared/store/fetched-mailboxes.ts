/**
 * Mailboxes from which reports are fetched: their settings, how far they were read, when they are read next, and which worker
 * reads one. What signs in to them is stored apart and encrypted.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import {
  type MailboxSecret,
  type MailboxSettings,
  mailboxSecret,
  mailboxSettings,
  position,
} from '../mailboxes/mailbox.ts';
import { type MailboxError, mailboxError } from '../mailboxes/problem.ts';
import type { Position } from '../network/folder-port.ts';
import { allOf, changing, having, updateAt } from './changes.ts';
import { dueAfter, dueBy } from './due-index.ts';
import { counter, orNull } from './item-schema.ts';
import { ABSENT, type Condition, PRESENT } from './items.ts';
import { fetchedMailboxesOf, fetchedMailboxKey, mailboxDueKey, mailboxesDueBy } from './keys.ts';
import { startingWith } from './query.ts';
import { type Cipher, secretRemoval, secretStore } from './secrets.ts';
import type { Table, Write } from './table.ts';
import { newId } from './time-ids.ts';
import { latestTime } from './wrong-clock.ts';

const mailboxItem = z.intersection(
  z.object({
    id: z.string(),
    organization: z.string(),
    /** ISO 8601, like the other times. */
    createdAt: z.string(),
    /** When its owner last changed it; null if that never happened. */
    changedAt: orNull(z.string()),
    secretId: z.string(),
    /** Whether it is not read until its owner wants it to be. */
    paused: z._default(z.boolean(), false),
    position: orNull(position),
    lastRunAt: orNull(z.string()),
    /** Since when every run has failed. */
    failingSince: orNull(z.string()),
    lastError: orNull(mailboxError),
    /** Since when the server does not give a mail, by its ID. */
    withheld: z._default(z.record(z.string(), z.string()), {}),
    /** Mails that were read, and reports that were stored of them. */
    read: counter,
    accepted: counter,
    /** Mails that were left for the next run. */
    remaining: counter,
    /** When it is read next, unless it is paused. */
    gsi1sk: z.string(),
  }),
  mailboxSettings,
);

export type Mailbox = Readonly<z.infer<typeof mailboxItem>>;

/** Identifies a mailbox; the message of the queue `mailboxes`. */
export const mailboxReference = z.object({ organization: z.string(), id: z.string() });

export type MailboxReference = Readonly<z.infer<typeof mailboxReference>>;

const dueItem = z.object({ ...mailboxReference.shape, everySeconds: z.number(), gsi1sk: z.string() });

export type DueMailbox = Readonly<z.infer<typeof dueItem>>;

/** A mailbox that one worker reads. Its writes fail once another worker has the mailbox. */
export interface MailboxLease {
  readonly mailbox: Mailbox;
  readonly by: string;
}

/** How a run ended. */
export type RunEnd = { readonly now: Date; readonly next: Date } & (
  | { readonly remaining: number }
  | { readonly error: MailboxError; readonly withheld: Mailbox['withheld'] }
);

/** What its owner changes of a mailbox. */
export type MailboxChange = Pick<
  Mailbox,
  'name' | 'signIn' | 'folder' | 'after' | 'moveTo' | 'everySeconds' | 'paused'
>;

/** Runs and tests have a mailbox for less. */
const LONGEST_LEASE_MILLISECONDS = 600_000;

/** The longest time between two runs. */
const LONGEST_MILLISECONDS = 86_400_000;

export type FetchedMailboxStore = ReturnType<typeof fetchedMailboxStore>;

/** The mailboxes without what signs in to them. */
export function fetchedMailboxStore(table: Table) {
  return {
    /** All mailboxes of an organization, in the order in which they were added. */
    list: (organization: string): Promise<Mailbox[]> =>
      table.query({ ...startingWith(fetchedMailboxesOf(organization)), ConsistentRead: true }, mailboxItem),

    get: ({ organization, id }: MailboxReference): Promise<Mailbox | undefined> =>
      table.get(fetchedMailboxKey(organization, id), mailboxItem),

    /** The mailboxes of one shard that are due at `now`, oldest due time first, at most `limit`. */
    due: (shard: number, now: Date, limit: number): Promise<DueMailbox[]> =>
      dueBy(table, mailboxesDueBy(shard, now.toISOString()), dueItem, limit),

    /** The mailboxes of one shard that are due later than a right clock can have planned at `now`, at most `limit`. */
    tooFarAhead: (shard: number, now: Date, limit: number): Promise<DueMailbox[]> =>
      dueAfter(table, mailboxesDueBy(shard, latestTime(now, LONGEST_MILLISECONDS)), dueItem, limit),

    /** Sets when a mailbox is due next, unless that was changed since it was read. */
    postpone: ({ organization, id, gsi1sk }: DueMailbox, next: Date): Promise<boolean> =>
      table.update(
        fetchedMailboxKey(organization, id),
        changing({ gsi1sk: next.toISOString() }, having({ gsi1sk })),
      ),

    /**
     * Has the mailbox read now, unless it is paused. Returns false if it is gone.
     * @param again Whether the folder is read from its beginning: a run that is under way then loses the mailbox.
     */
    dueNow({ organization, id, signIn }: Mailbox, again: boolean, now: Date): Promise<boolean> {
      const change = {
        gsi1sk: now.toISOString(),
        ...(again && { position: undefined, ...takenAway(signIn, now) }),
      };
      return table.update(fetchedMailboxKey(organization, id), changing(change, PRESENT));
    },

    /**
     * Gives a mailbox to one worker for some seconds. Undefined if another one has it, or if it is gone, or paused unless
     * `evenPaused`. A lease from a wrong clock does not keep others from it.
     */
    async claim(
      { organization, id }: MailboxReference,
      now: Date,
      leaseSeconds: number,
      { evenPaused = false } = {},
    ): Promise<MailboxLease | undefined> {
      const by = randomUUID();
      const isFree = {
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(paused) OR paused = :no OR paused = :maybe) AND (attribute_not_exists(leasedUntil) OR leasedUntil < :now OR leasedUntil > :latest)',
        ExpressionAttributeValues: {
          ...{ ':now': now.toISOString(), ':latest': latestTime(now, LONGEST_LEASE_MILLISECONDS) },
          ...{ ':no': false, ':maybe': evenPaused },
        },
      };
      const leasedUntil = new Date(now.getTime() + leaseSeconds * 1000).toISOString();
      const lease = changing({ leasedBy: by, leasedUntil }, isFree);
      const mailbox = await table.updateAndGet(fetchedMailboxKey(organization, id), lease, mailboxItem);
      return mailbox && { mailbox, by };
    },

    /** Stores how far the folder was read. Returns false if another worker has the mailbox, or if it is gone. */
    advance: (
      lease: MailboxLease,
      { position, read, accepted }: { position: Position; read: number; accepted: number },
    ): Promise<boolean> => update(lease, { position }, { read, accepted }),

    /** Gives the mailbox back without a run. */
    release: (lease: MailboxLease): Promise<boolean> => update(lease, notLeased),

    /** Gives the mailbox back, with how the run ended. Returns false if another worker has it, or if it is gone. */
    finish(lease: MailboxLease, end: RunEnd): Promise<boolean> {
      const now = end.now.toISOString();
      const { failingSince } = lease.mailbox;
      const outcome =
        'error' in end
          ? { lastError: end.error, failingSince: failingSince ?? now, withheld: end.withheld }
          : { remaining: end.remaining, lastError: undefined, failingSince: undefined, withheld: undefined };
      return update(lease, { lastRunAt: now, gsi1sk: end.next.toISOString(), ...outcome, ...notLeased });
    },
  };

  function update(
    { mailbox: { organization, id }, by }: MailboxLease,
    set: Readonly<Record<string, unknown>>,
    add?: Readonly<Record<string, number>>,
  ): Promise<boolean> {
    return table.update(fetchedMailboxKey(organization, id), changing(set, having({ leasedBy: by }), add));
  }
}

const notLeased = { leasedBy: undefined, leasedUntil: undefined };

export type MailboxSecretStore = ReturnType<typeof mailboxSecretStore>;

const contextOf = ({ organization, id }: MailboxReference) =>
  ({ organization, purpose: `mailbox ${id}` }) as const;

/** The time of a change, later than the one before: it identifies the version of a mailbox. */
const laterThan = (before: string | null, now: Date): string =>
  new Date(Math.max(now.getTime(), before === null ? 0 : Date.parse(before) + 1)).toISOString();

/**
 * What takes a mailbox away from the run that has it. With a refresh token, nobody has it for some seconds: the run may just use
 * the token, and two uses can end it (RFC 9700 section 4.14.2).
 */
const takenAway = ({ kind }: Mailbox['signIn'], now: Date) =>
  kind === 'oauth2-refresh-token'
    ? { leasedBy: NOBODY, leasedUntil: new Date(now.getTime() + TOKEN_MILLISECONDS).toISOString() }
    : notLeased;

const NOBODY = 'nobody';
const TOKEN_MILLISECONDS = 20_000;

/** What signs in to a mailbox did not change since the mailbox was read. */
const sameSecret = ({ secretId }: Mailbox): Condition => having({ secretId });

/** Adding, changing and removing mailboxes, and what signs in to them. */
export function mailboxSecretStore(table: Table, cipher: Cipher) {
  const secrets = secretStore(table, cipher);
  return {
    /** Adds a mailbox, due at once. */
    async add(
      organization: string,
      settings: MailboxSettings,
      secret: MailboxSecret,
      now: Date,
    ): Promise<Mailbox> {
      const id = newId(now);
      const sealed = await secrets.seal(contextOf({ organization, id }), secret);
      const createdAt = now.toISOString();
      const attributes = { id, organization, ...settings, createdAt, secretId: sealed.id };
      const due = mailboxDueKey(id, createdAt);
      await table.transact([
        { Put: { Item: { ...fetchedMailboxKey(organization, id), ...attributes, ...due }, ...ABSENT } },
        sealed.write,
      ]);
      return z.parse(mailboxItem, { ...attributes, ...due });
    },

    /**
     * Changes a mailbox. A run that is under way loses it, and the next one starts at once. Another folder is read from its
     * beginning. Undefined if the mailbox is gone, or was changed meanwhile.
     * @param secret What signs in from now on; undefined for what did until now.
     */
    async change(
      mailbox: Mailbox,
      wanted: MailboxChange,
      secret: MailboxSecret | undefined,
      now: Date,
    ): Promise<Mailbox | undefined> {
      const { organization, id, secretId, position } = mailbox;
      const sealed = secret && (await secrets.seal(contextOf(mailbox), secret));
      const { gsi1pk, gsi1sk } = mailboxDueKey(id, now.toISOString());
      const changed: Mailbox = {
        ...{ ...mailbox, ...wanted, gsi1sk, secretId: sealed?.id ?? secretId },
        changedAt: laterThan(mailbox.changedAt, now),
        position: wanted.folder === mailbox.folder ? position : null,
      };
      const change = {
        ...wanted,
        ...{ gsi1sk, secretId: changed.secretId, changedAt: changed.changedAt },
        position: changed.position ?? undefined,
        // What is not in the index is not due.
        gsi1pk: wanted.paused ? undefined : gsi1pk,
        ...takenAway(mailbox.signIn, now),
      };
      const isAsRead = allOf(sameSecret(mailbox), having({ changedAt: mailbox.changedAt ?? undefined }));
      const failed = await table.tryTransact([
        { Update: updateAt(fetchedMailboxKey(organization, id), change, isAsRead) },
        ...(sealed === undefined ? [] : [sealed.write]),
      ]);
      return failed.size === 0 ? changed : undefined;
    },

    /** Stores what signs in from now on, unless that was changed meanwhile. Changes nothing else. */
    async replace(mailbox: Mailbox, secret: MailboxSecret): Promise<void> {
      const { organization, id } = mailbox;
      const sealed = await secrets.seal(contextOf(mailbox), secret);
      const change = { secretId: sealed.id };
      await table.tryTransact([
        { Update: updateAt(fetchedMailboxKey(organization, id), change, sameSecret(mailbox)) },
        sealed.write,
      ]);
    },

    /** What signs in to a mailbox; undefined if it is not stored. */
    secretOf: (mailbox: Mailbox): Promise<MailboxSecret | undefined> =>
      secrets.open(contextOf(mailbox), mailbox.secretId, mailboxSecret),
  };
}

/** Removes a mailbox and what signs in to it, with other writes. Returns false if it is gone, or if one of them fails. */
export async function removeMailbox(
  table: Table,
  mailbox: MailboxReference,
  others: readonly Write[],
): Promise<boolean> {
  const { organization, id } = mailbox;
  const failed = await table.tryTransact([
    { Delete: { Key: fetchedMailboxKey(organization, id), ...PRESENT } },
    secretRemoval(contextOf(mailbox)),
    ...others,
  ]);
  return failed.size === 0;
}
