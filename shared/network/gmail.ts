/**
 * One label of a mailbox at Google, over the Gmail API ("Gmail API reference", users.messages, users.labels, users.history).
 *
 * The mails that are there at first are read by the time at which they were received, oldest first; what comes later, from the
 * history of the mailbox since then.
 */
import * as z from 'zod/mini';
import {
  type Batch,
  FolderProblem,
  type FolderProblemCode,
  type ListedMail,
  type MailApi,
  type Position,
} from './folder-port.ts';
import { fetchSome, type MailApiClient, mailApiClient, NotFound } from './mail-api.ts';
import type { Clock, WebCaller } from './ports.ts';

interface GmailOptions {
  readonly caller: WebCaller;
  readonly clock: Clock;
  /** The size of the largest mail that is fetched, in bytes. */
  readonly maxMailBytes: number;
}

const ROOT = 'https://gmail.googleapis.com/gmail/v1/users/me';

/** How many mails a list has, and so a batch. */
const BATCH = 50;
/** How many labels a problem names. */
const LABELS_NAMED = 12;
/** The maximum of `batchModify`. */
const MOST_MODIFIED = 1_000;

/** Base64 has 4 characters for 3 bytes; the rest of the response is small. */
const bytesOfResponse = (mailBytes: number): number => Math.ceil((mailBytes * 4) / 3) + 64 * 1024;

const labelSchema = z.object({ id: z.string(), name: z.string() });
const labelsSchema = z.object({ labels: z._default(z.array(labelSchema), []) });
const countedLabelSchema = z.object({ messagesTotal: z._default(z.number(), 0) });
const profileSchema = z.object({ historyId: z.string() });
const mailSchema = z.object({ raw: z.string(), internalDate: z._default(z.string(), '0') });
const listSchema = z.object({
  messages: z._default(z.array(z.object({ id: z.string() })), []),
  nextPageToken: z.optional(z.string()),
});
const change = z.object({
  message: z.object({ id: z.string(), labelIds: z._default(z.array(z.string()), []) }),
});
const historySchema = z.object({
  history: z._default(
    z.array(
      z.object({
        id: z.string(),
        messagesAdded: z._default(z.array(change), []),
        labelsAdded: z._default(z.array(change), []),
      }),
    ),
    [],
  ),
  historyId: z.string(),
  nextPageToken: z.optional(z.string()),
});

type Label = z.output<typeof labelSchema>;

export const createGmail = ({ caller, clock, maxMailBytes }: GmailOptions): MailApi => ({
  async open({ token }, { folder: name, signal }) {
    const api = mailApiClient({ caller, root: ROOT, token, signal, codes });
    const { labels } = await api.read(labelsSchema, '/labels');
    const label = named(labels, name);
    if (label === undefined) throw noLabel(labels, name);
    const { messagesTotal } = await api.read(countedLabelSchema, `/labels/${encodeURIComponent(label.id)}`);
    const modify = async (mails: readonly ListedMail[], json: object) => {
      for (let at = 0; at < mails.length; at += MOST_MODIFIED) {
        const ids = mails.slice(at, at + MOST_MODIFIED).map(({ id }) => id);
        await api.bytes('/messages/batchModify', { method: 'POST', json: { ids, ...json } });
      }
    };
    return {
      messages: messagesTotal,

      async *batches(from) {
        if (from !== null && 'historyId' in from) {
          try {
            return yield* laterMails(api, label, from.historyId);
          } catch (error) {
            // Google forgets the history after a week or so.
            if (!(error instanceof NotFound)) throw error;
          }
        }
        const isUnfinished = from !== null && 'receivedBefore' in from;
        const historyId = isUnfinished
          ? from.nextHistoryId
          : (await api.read(profileSchema, '/profile')).historyId;
        yield* earlierMails(api, label, historyId, isUnfinished ? from.receivedBefore : 0, clock.now());
      },

      fetch: (mails) =>
        fetchSome(mails, maxMailBytes, async ({ id }, maxBytes) => {
          const path = `/messages/${encodeURIComponent(id)}?format=raw`;
          const { raw, internalDate } = await api.read(mailSchema, path, {
            maxBytes: bytesOfResponse(maxBytes),
          });
          const receivedAt = new Date(Number(internalDate));
          return {
            id,
            content: Buffer.from(raw, 'base64url'),
            receivedAt: Number.isNaN(receivedAt.getTime()) ? new Date(0) : receivedAt,
          };
        }),

      markRead: (mails) => modify(mails, { removeLabelIds: ['UNREAD'] }),

      async move(mails, to) {
        const target =
          named((await api.read(labelsSchema, '/labels')).labels, to) ??
          (await api.read(labelSchema, '/labels', { method: 'POST', json: { name: to } }));
        if (target.id === label.id)
          throw new FolderProblem('server-error', `mails of ${name} cannot be moved to itself`);
        await modify(mails, { addLabelIds: [target.id], removeLabelIds: [label.id] });
      },

      // Google deletes them for good after 30 days.
      delete: (mails) => modify(mails, { addLabelIds: ['TRASH'], removeLabelIds: [label.id] }),

      close: async () => {},
    };
  },
});

/** Nothing in Gmail is older: 1 April 2004, in seconds. Mails of earlier years were imported, and are in the first window. */
const FIRST_YEARS = 1_080_777_600;

/**
 * Mails by windows of time, oldest first. A window is halved until one list has all of its mails, so that nothing depends on
 * the order of a list, nor on mails that leave it meanwhile.
 */
async function* earlierMails(
  api: MailApiClient,
  label: Label,
  nextHistoryId: string,
  from: number,
  now: Date,
): AsyncGenerator<Batch> {
  // A mail that arrives in this second is in the history, too.
  const end = Math.ceil(now.getTime() / 1000) + 1;
  let start = from;
  let seconds = end;
  while (start < end) {
    const begin = Math.max(start, FIRST_YEARS);
    const until = Math.min(end, begin + seconds);
    seconds = until - begin;
    const { mails, isAll } = await mailsBetween(api, label, start, until, seconds > 1);
    if (!isAll) {
      seconds = Math.ceil(seconds / 2);
      continue;
    }
    const done: Position =
      until < end ? { nextHistoryId, receivedBefore: until } : { historyId: nextHistoryId };
    yield { mails, position: done, remaining: until < end ? 1 : 0 };
    start = until;
    seconds *= 2;
  }
}

/** @param start,until Seconds. @param oneList Whether to give up if one list does not have all mails. */
async function mailsBetween(
  api: MailApiClient,
  label: Label,
  start: number,
  until: number,
  oneList: boolean,
): Promise<{ readonly mails: readonly ListedMail[]; readonly isAll: boolean }> {
  // Both ends belong to the window, so that it does not matter whether Google counts them.
  const q = `${start === 0 ? '' : `after:${start - 1} `}before:${until + 1}`;
  const mails: ListedMail[] = [];
  let pageToken: string | undefined;
  do {
    const query = new URLSearchParams({ labelIds: label.id, q, maxResults: String(BATCH) });
    if (pageToken !== undefined) query.set('pageToken', pageToken);
    const page = await api.read(listSchema, `/messages?${query}`);
    mails.push(...page.messages);
    pageToken = page.nextPageToken;
    if (oneList && pageToken !== undefined) return { mails: [], isAll: false };
  } while (pageToken !== undefined && mails.length < MOST_IN_A_SECOND);
  return { mails: mails.toReversed(), isAll: true };
}

/** Of mails that were received in the same second, the others are left alone. */
const MOST_IN_A_SECOND = 20_000;

/** Mails that got the label after a record of the history. @throws NotFound if that is forgotten. */
async function* laterMails(api: MailApiClient, label: Label, historyId: string): AsyncGenerator<Batch> {
  let pageToken: string | undefined;
  let from = historyId;
  do {
    const query = new URLSearchParams({
      startHistoryId: historyId,
      labelId: label.id,
      maxResults: String(BATCH),
    });
    for (const type of ['messageAdded', 'labelAdded']) query.append('historyTypes', type);
    if (pageToken !== undefined) query.set('pageToken', pageToken);
    const page = await api.read(historySchema, `/history?${query}`);
    const changes = page.history.flatMap((one) => [...one.messagesAdded, ...one.labelsAdded]);
    const ids = changes.flatMap(({ message }) => (message.labelIds.includes(label.id) ? [message.id] : []));
    pageToken = page.nextPageToken;
    const last = page.history.at(-1)?.id ?? from;
    from = pageToken === undefined ? page.historyId : last;
    if (from !== historyId || ids.length > 0)
      yield {
        mails: [...new Set(ids)].map((id) => ({ id })),
        position: { historyId: from },
        remaining: pageToken === undefined ? 0 : 1,
      };
  } while (pageToken !== undefined);
}

const folded = (name: string): string => name.normalize('NFC').toLowerCase();

const named = (labels: readonly Label[], name: string): Label | undefined =>
  labels.find((one) => one.name === name) ?? labels.find((one) => folded(one.name) === folded(name));

function noLabel(labels: readonly Label[], name: string): FolderProblem {
  const names = labels.slice(0, LABELS_NAMED).map((one) => one.name);
  const others = labels.length > LABELS_NAMED ? ', ...' : '';
  return new FolderProblem(
    'folder-not-found',
    `there is no label "${name}"; there are ${names.join(', ')}${others}`,
  );
}

/** "Resolve errors" of the Gmail API, and the reasons of Google's APIs. */
const codes: Readonly<Record<string, FolderProblemCode>> = {
  rateLimitExceeded: 'throttled',
  userRateLimitExceeded: 'throttled',
  dailyLimitExceeded: 'throttled',
  quotaExceeded: 'throttled',
  RATE_LIMIT_EXCEEDED: 'throttled',
  accessNotConfigured: 'api-disabled',
  SERVICE_DISABLED: 'api-disabled',
  failedPrecondition: 'mailbox-not-found',
  FAILED_PRECONDITION: 'mailbox-not-found',
};
