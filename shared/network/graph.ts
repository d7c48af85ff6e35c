/**
 * One folder of a mailbox at Microsoft 365, over Microsoft Graph ("Microsoft Graph REST API v1.0 reference", mail). What is new
 * comes from the list of changes of the folder ("message: delta"): first all of its mails, then those that were added.
 */
import * as z from 'zod/mini';
import { findNamed, notFound } from './folder-names.ts';
import { FolderProblem, type ListedMail, type MailApi, receivedAtOf } from './folder-port.ts';
import {
  type ApiCodes,
  fetchSome,
  forEachMail,
  MAX_LINK,
  type MailApiClient,
  mailApiClient,
  making,
  NotFound,
  PositionGone,
} from './mail-api.ts';
import type { WebCaller } from './ports.ts';

interface GraphOptions {
  readonly caller: WebCaller;
  /** The size of the largest mail that is fetched, in bytes. */
  readonly maxMailBytes: number;
}

const ROOT = 'https://graph.microsoft.com/v1.0';

/** How many changes a page has, and so how many mails a batch. */
const PAGE = 50;

/** How many folders a list has, and how many lists are read. */
const FOLDERS = 100;
const MOST_LISTS = 20;

/** An ID then stays that of a mail when it is moved ("Immutable identifiers for Outlook resources"). */
const IMMUTABLE = 'IdType="ImmutableId"';
const headers = { prefer: IMMUTABLE };
const ofChanges = { headers: { prefer: `${IMMUTABLE}, odata.maxpagesize=${PAGE}` } };

const folderSchema = z.object({
  id: z.string(),
  displayName: z._default(z.string(), ''),
  totalItemCount: z._default(z.number(), 0),
});

const foldersSchema = z.object({
  value: z.array(folderSchema),
  '@odata.nextLink': z.optional(z.string()),
});

const changesSchema = z.object({
  value: z.array(
    z.object({
      id: z.string(),
      isRead: z.optional(z.boolean()),
      receivedDateTime: z.optional(z.string()),
      '@removed': z.optional(z.unknown()),
    }),
  ),
  '@odata.nextLink': z.optional(z.string()),
  '@odata.deltaLink': z.optional(z.string()),
});

interface ChangedMail extends ListedMail {
  readonly receivedAt: Date;
  readonly isRead: boolean;
}

export const createGraph = ({ caller, maxMailBytes }: GraphOptions): MailApi => ({
  async open({ user, token }, { folder: name, signal }) {
    const api = mailApiClient({ caller, root: ROOT, token, signal, headers, codes });
    const mailbox = `/users/${encodeURIComponent(user)}`;
    const mailPath = ({ id }: ListedMail) => `${mailbox}/messages/${encodeURIComponent(id)}`;
    const folder = await folderNamed(api, mailbox, name);
    if (folder === undefined) throw await noFolder(api, mailbox, name);
    /** What the mails of a batch, and of the one before that is acknowledged meanwhile, are besides their ID. */
    let seen: ReadonlyMap<string, ChangedMail> = new Map();
    return {
      messages: folder.totalItemCount,

      async *batches(from) {
        const start = `${mailbox}/mailFolders/${encodeURIComponent(folder.id)}/messages/delta?changeType=created&$select=isRead,receivedDateTime`;
        const isKnown = from !== null && 'changes' in from && from.folder === folder.id;
        let next: string | undefined = isKnown ? from.changes : start;
        let isAnew = !isKnown;
        let before: readonly ChangedMail[] = [];
        while (next !== undefined) {
          const page: Changes | undefined = await pageAt(api, next, isAnew);
          if (page === undefined) {
            next = start;
            isAnew = true;
            continue;
          }
          const mails = page.value.flatMap((one) => (one['@removed'] === undefined ? [changed(one)] : []));
          seen = new Map([...before, ...mails].map((mail) => [mail.id, mail]));
          before = mails;
          const after: string | undefined = page['@odata.nextLink'];
          const changes = linkIn(after ?? page['@odata.deltaLink']);
          yield {
            mails,
            position: { folder: folder.id, changes },
            remaining: after === undefined ? 0 : 1,
          };
          next = after;
        }
      },

      fetch: (mails) =>
        fetchSome(mails, maxMailBytes, async (mail, maxBytes) => {
          const content = await api.bytes(`${mailPath(mail)}/$value`, { maxBytes });
          return { id: mail.id, content, receivedAt: seen.get(mail.id)?.receivedAt ?? new Date(0) };
        }),

      markRead: (mails) =>
        forEachMail(
          mails.filter(({ id }) => seen.get(id)?.isRead !== true),
          (mail) => api.bytes(mailPath(mail), { method: 'PATCH', json: { isRead: true } }),
        ),

      async move(mails, to) {
        const target = (await folderNamed(api, mailbox, to)) ?? (await makeFolder(api, mailbox, to));
        if (target.id === folder.id)
          throw new FolderProblem('server-error', `mails of ${name} cannot be moved to itself`);
        await forEachMail(mails, (mail) =>
          api.bytes(`${mailPath(mail)}/move`, { method: 'POST', json: { destinationId: target.id } }),
        );
      },

      delete: (mails) => forEachMail(mails, (mail) => api.bytes(mailPath(mail), { method: 'DELETE' })),

      close: async () => {},
    };
  },
});

type Changes = z.output<typeof changesSchema>;

/** @param isAnew Whether the list was started anew in this run; otherwise undefined says that the provider forgot the place. */
async function pageAt(api: MailApiClient, at: string, isAnew: boolean): Promise<Changes | undefined> {
  try {
    return await api.read(changesSchema, at, ofChanges);
  } catch (error) {
    if (!isAnew && (error instanceof PositionGone || error instanceof NotFound)) return undefined;
    throw error;
  }
}

const changed = ({ id, isRead = false, receivedDateTime }: Changes['value'][number]): ChangedMail => ({
  ...{ id, isRead },
  receivedAt: receivedAtOf(receivedDateTime),
});

/** @throws FolderProblem if it leads elsewhere, where nothing may send the token. */
function linkIn(link: string | undefined): string {
  if (link?.startsWith(`${ROOT}/`) !== true || link.length > MAX_LINK)
    throw new FolderProblem('server-error', 'a list goes on at an address that is not of Microsoft Graph');
  return link;
}

type Folder = z.output<typeof folderSchema>;

/** The folder with a name, in any case, with `/` between its parts; undefined if there is none. */
async function folderNamed(api: MailApiClient, mailbox: string, name: string): Promise<Folder | undefined> {
  const [first = '', ...rest] = name.split('/');
  let folder = await topFolder(api, mailbox, first);
  for (const part of rest) {
    if (folder === undefined) return undefined;
    folder = named(await foldersAt(api, childrenOf(mailbox, folder)), part);
  }
  return folder;
}

/** `INBOX` is the inbox whatever its name is in the language of the user. */
async function topFolder(api: MailApiClient, mailbox: string, name: string): Promise<Folder | undefined> {
  if (name.toLowerCase() === 'inbox') return inboxOf(api, mailbox);
  return named(await foldersAt(api, childrenOf(mailbox)), name);
}

async function inboxOf(api: MailApiClient, mailbox: string): Promise<Folder> {
  try {
    return await api.read(folderSchema, `${mailbox}/mailFolders/inbox`);
  } catch (error) {
    throw error instanceof NotFound ? new FolderProblem('mailbox-not-found', error.detail) : error;
  }
}

const childrenOf = (mailbox: string, parent?: Folder): string =>
  `${mailbox}/mailFolders${parent === undefined ? '' : `/${encodeURIComponent(parent.id)}/childFolders`}`;

async function foldersAt(api: MailApiClient, path: string): Promise<Folder[]> {
  const folders: Folder[] = [];
  let next: string | undefined = `${path}?$top=${FOLDERS}`;
  for (let lists = 0; next !== undefined && lists < MOST_LISTS; lists += 1) {
    const page: z.output<typeof foldersSchema> = await api.read(foldersSchema, next);
    folders.push(...page.value);
    const link = page['@odata.nextLink'];
    next = link === undefined ? undefined : linkIn(link);
  }
  return folders;
}

const named = (folders: readonly Folder[], name: string): Folder | undefined =>
  findNamed(folders, ({ displayName }, same) => same(displayName, name));

async function makeFolder(api: MailApiClient, mailbox: string, name: string): Promise<Folder> {
  const parts = name.split('/');
  const displayName = parts.at(-1) ?? name;
  const above = parts.slice(0, -1).join('/');
  const parent =
    above === ''
      ? undefined
      : ((await folderNamed(api, mailbox, above)) ?? (await makeFolder(api, mailbox, above)));
  return making(name, () =>
    api.read(folderSchema, childrenOf(mailbox, parent), { method: 'POST', json: { displayName } }),
  );
}

async function noFolder(api: MailApiClient, mailbox: string, name: string): Promise<FolderProblem> {
  const folders = await foldersAt(api, childrenOf(mailbox));
  return notFound(
    'folder',
    name,
    folders.map(({ displayName }) => displayName),
  );
}

/** "Microsoft Graph error responses and resource types", and the errors of Exchange Online. */
const codes: ApiCodes = {
  ErrorContentConversionFailed: 'unreadable',
  ErrorMimeContentConversionFailed: 'unreadable',
  ErrorInvalidUser: 'mailbox-not-found',
  ErrorNonExistentMailbox: 'mailbox-not-found',
  MailboxNotEnabledForRESTAPI: 'mailbox-not-found',
  MailboxNotSupportedForRESTAPI: 'mailbox-not-found',
  Request_ResourceNotFound: 'mailbox-not-found',
  ErrorAccessDenied: 'not-permitted',
  Authorization_RequestDenied: 'not-permitted',
  ApplicationThrottled: 'throttled',
  ErrorTooManyObjectsOpened: 'throttled',
  InvalidAuthenticationToken: 'api-token',
  ResourceNotFound: 'mailbox-not-found',
  ResyncRequired: 'position-gone',
  SyncStateInvalid: 'position-gone',
  SyncStateNotFound: 'position-gone',
  resyncRequired: 'position-gone',
  syncStateInvalid: 'position-gone',
  syncStateNotFound: 'position-gone',
};
