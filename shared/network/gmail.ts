/**
 * One label of a mailbox at Google, over the Gmail API ("Gmail API reference", users.messages, users.labels, users.history).
 *
 * The mails that are there at first are read by the time at which they were received, oldest first; what comes later, from the
 * history of the mailbox since then.
 */
import * as z from 'zod/mini';
import { findNamed, notFound } from './folder-names.ts';
import {
  type Batch,
  FolderProblem,
  type ListedMail,
  type MailApi,
  type Position,
  receivedAtOf,
} from './folder-port.ts';
import { type ApiCodes, fetchSome, type MailApiClient, mailApiClient, making, NotFound } from './mail-api.ts';
import type { Clock, WebCaller } from './ports.ts';

interface GmailOptions {
  readonly caller: WebCaller;
  readonly clock: Clock;
  /** The size of the largest mail that is fetched, in bytes. */
  readonly maxMailBytes: number;
}

const ROOT = 'https://gmail.googleapis.com/gmail/v1/users/me';

/** How many mails a batch has. */
const BATCH = 50;
/** The maximum of a list. */
const PAGE = 500;
/** The maximum of `batchModify`. */
const MOST_MODIFIED = 1_000;

/** Base64 has 4 characters for 3 bytes; the rest of the response is small. */
const bytesOfResponse = (mailBytes: number): number => Math.ceil((mailBytes * 4) / 3) + 64 * 1024;

const labelSchema = z.object({ id: z.string(), name: z.string() });
const labelsSchema = z.object({ labels: z._default(z.array(labelSchema), []) });
const countedLabelSchema = z.object({ messagesTotal: z._default(z.number(), 0) });
const profileSchema = z.object({ emailAddress: z.string(), historyId: z.string() });
const mailSchema = z.object({ raw: z.string(), internalDate: z._default(z.string(), '0') });
const listSchema = z.object({
  messages: z._default(z.array(z.object({ id: z.string() })), []),
  nextPageToken: z.optional(z.string()),
});
const change = z.object({
  message: z.object({ id: z.string(), labelIds: z.optional(z.array(z.string())) }),
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
  async open({ user, token }, { folder: name, signal }) {
    const api = mailApiClient({ caller, root: ROOT, token, signal, codes });
    const { emailAddress, historyId: latest } = await api.read(profileSchema, '/profile');
    if (emailAddress.toLowerCase() !== user.toLowerCase())
      throw new FolderProblem('wrong-user', `the token is for ${emailAddress}`);
    const { labels } = await api.read(labelsSchema, '/labels');
    const label = named(labels, name);
    if (label === undefined)
      throw notFound(
        'label',
        name,
        labels.map((one) => one.name),
      );
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
        const isOfLabel = from !== null && 'label' in from && from.label === label.id;
        if (isOfLabel && 'historyId' in from) {
          try {
            return yield* laterMails(api, label, from.historyId);
          } catch (error) {
            // Google forgets the history after a week or so.
            if (!(error instanceof NotFound)) throw error;
          }
        }
        const begun = { label: label.id, nextHistoryId: latest, receivedBefore: 0, window: null };
        const at = isOfLabel && 'receivedBefore' in from ? from : begun;
        yield* earlierMails(api, at, clock.now());
      },

      fetch: (mails) =>
        fetchSome(mails, maxMailBytes, async ({ id }, maxBytes) => {
          const path = `/messages/${encodeURIComponent(id)}?format=raw`;
          const { raw, internalDate } = await api.read(mailSchema, path, {
            maxBytes: bytesOfResponse(maxBytes),
          });
          const receivedAt = receivedAtOf(Number(internalDate));
          return { id, content: Buffer.from(raw, 'base64url'), receivedAt };
        }),

      markRead: (mails) => modify(mails, { removeLabelIds: ['UNREAD'] }),

      async move(mails, to) {
        const target =
          named((await api.read(labelsSchema, '/labels')).labels, to) ??
          (await making(to, () => api.read(labelSchema, '/labels', { method: 'POST', json: { name: to } })));
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

/** Where the reading of earlier mails is. */
type Earlier = Extract<Position, { receivedBefore: number }>;

/**
 * Mails by windows of time, oldest first. A window is halved until one list has all of its mails, so that nothing depends on
 * the order of a list, nor on mails that leave it meanwhile. The last window has no end: the clocks of this host and of Google
 * differ, and mails can be dated in the future.
 */
async function* earlierMails(api: MailApiClient, from: Earlier, now: Date): AsyncGenerator<Batch> {
  const end = Math.ceil(now.getTime() / 1000);
  let at = from;
  let seconds = end;
  while (at.receivedBefore < end) {
    const begin = Math.max(at.receivedBefore, FIRST_YEARS);
    const next = begin + seconds >= end ? null : begin + seconds;
    const { until, lastId } = at.window ?? { until: next, lastId: '' };
    const all = await mailsBetween(api, at, until, at.window === null && seconds > 1);
    if (all === undefined) {
      seconds = Math.ceil(Math.min(seconds, end - begin) / 2);
      continue;
    }
    const { label, nextHistoryId } = at;
    const begun = at;
    const done: Position =
      until === null
        ? { label, historyId: nextHistoryId }
        : { label, nextHistoryId, receivedBefore: until, window: null };
    yield* inBatches(
      all.filter((id) => id > lastId),
      (last) => (last === undefined ? done : { ...begun, window: { until, lastId: last } }),
      until === null ? 0 : 1,
    );
    if (until === null) return;
    at = { label, nextHistoryId, receivedBefore: until, window: null };
    seconds *= 2;
  }
}

/**
 * The IDs of the mails of a window, in their order; undefined if one list does not have all.
 * @param until Seconds; null for no end. @param oneList Whether to give up then; otherwise further lists are read.
 */
async function mailsBetween(
  api: MailApiClient,
  { label, receivedBefore: start }: Earlier,
  until: number | null,
  oneList: boolean,
): Promise<readonly string[] | undefined> {
  // Both ends belong to the window, so that it does not matter whether Google counts them.
  const terms = [
    ...(start === 0 ? [] : [`after:${start - 1}`]),
    ...(until === null ? [] : [`before:${until + 1}`]),
  ];
  const ids: string[] = [];
  let pageToken: string | undefined;
  let pages = 0;
  do {
    const query = new URLSearchParams({ labelIds: label, maxResults: String(oneList ? BATCH : PAGE) });
    if (terms.length > 0) query.set('q', terms.join(' '));
    if (label === 'SPAM' || label === 'TRASH') query.set('includeSpamTrash', 'true');
    if (pageToken !== undefined) query.set('pageToken', pageToken);
    const page = await api.read(listSchema, `/messages?${query}`);
    ids.push(...page.messages.map(({ id }) => id));
    pageToken = page.nextPageToken;
    pages += 1;
    if (oneList && pageToken !== undefined) return undefined;
  } while (pageToken !== undefined && pages < MOST_PAGES);
  return ids.toSorted((a, b) => (a < b ? -1 : 1));
}

/** Of mails that were received in the same second, those of further pages are left alone. */
const MOST_PAGES = 100;

/**
 * @param positionAfter How far the label is read after a mail; undefined: after all of them.
 * @param left How many mails can be left after all of them.
 */
function* inBatches(
  ids: readonly string[],
  positionAfter: (last: string | undefined) => Position,
  left: 0 | 1,
): Generator<Batch> {
  let at = 0;
  do {
    const some = ids.slice(at, at + BATCH);
    at += BATCH;
    const rest = Math.max(0, ids.length - at);
    yield {
      mails: some.map((id) => ({ id })),
      position: positionAfter(rest === 0 ? undefined : some.at(-1)),
      remaining: rest + left,
    };
  } while (at < ids.length);
}

/** Mails that got the label after a record of the history. @throws NotFound if that is forgotten. */
async function* laterMails(api: MailApiClient, label: Label, historyId: string): AsyncGenerator<Batch> {
  let pageToken: string | undefined;
  let from = historyId;
  let pages = 0;
  do {
    const query = new URLSearchParams({
      ...{ startHistoryId: historyId, labelId: label.id, maxResults: String(BATCH) },
    });
    for (const type of ['messageAdded', 'labelAdded']) query.append('historyTypes', type);
    if (pageToken !== undefined) query.set('pageToken', pageToken);
    const page = await api.read(historySchema, `/history?${query}`);
    const changes = page.history.flatMap((one) => [...one.messagesAdded, ...one.labelsAdded]);
    // Google says the labels of a mail or not; it has left out those of other labels.
    const isOfLabel = ({ labelIds }: { labelIds?: readonly string[] | undefined }) =>
      labelIds === undefined || labelIds.includes(label.id);
    const ids = changes.flatMap(({ message }) => (isOfLabel(message) ? [message.id] : []));
    pageToken = page.nextPageToken;
    pages += 1;
    const before = { label: label.id, historyId: from };
    from = pageToken === undefined ? page.historyId : (page.history.at(-1)?.id ?? from);
    const after = { label: label.id, historyId: from };
    if (from !== before.historyId || ids.length > 0)
      yield* inBatches(
        [...new Set(ids)],
        (last) => (last === undefined ? after : before),
        pageToken === undefined ? 0 : 1,
      );
  } while (pageToken !== undefined && pages < MOST_PAGES);
}

const named = (labels: readonly Label[], name: string): Label | undefined =>
  findNamed(labels, (label, same) => same(label.name, name));

/** "Resolve errors" of the Gmail API, and the reasons of Google's APIs. */
const codes: ApiCodes = {
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
