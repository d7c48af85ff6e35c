/**
 * A fake of the mail part of Microsoft Graph, written from its published reference: folders, the list of changes of a folder
 * with its links, messages as MIME, and errors in their form.
 */
import { type ApiAnswer, type ApiCall, type ApiHost, startApiHost } from './api-host.ts';

interface Message {
  readonly id: string;
  folder: string;
  isRead: boolean;
  readonly receivedDateTime: string;
  readonly mime: string;
  /** When it came into its folder, and when it was changed last, in counted changes. */
  created: number;
  changed: number;
}

interface Folder {
  readonly id: string;
  displayName: string;
  readonly parent: string | null;
}

export interface Graph extends ApiHost {
  /** Puts a mail into a folder of the mailbox, which is made if it does not exist. */
  deliver(folder: string, mime: string, receivedAt?: Date): void;
  /** The subject of each mail in a folder, and whether it is marked as read. */
  shown(folder: string): (readonly [string, boolean])[];
  moveAll(from: string, to: string): void;
  empty(folder: string): void;
  /** The folder gets another name, and a new one with its name is made. */
  remake(folder: string): void;
  /** Links that were given out no longer work. */
  forgetLinks(): void;
}

export const GRAPH_TOKEN = 'a token of Graph';
export const GRAPH_USER = 'dmarc@example.org';
/** A mailbox that exists, and that the permission does not include. */
export const CLOSED_USER = 'ceo@example.org';

const ROOT = 'https://graph.microsoft.com/v1.0';

const failure = (status: number, code: string, message: string, headers = {}): ApiAnswer => ({
  ...{ status, headers, body: { error: { code, message, innerError: { 'request-id': 'fake' } } } },
});

const busy = failure(
  ...([429, 'ApplicationThrottled', 'Application is over its MailboxConcurrency limit.'] as const),
  { 'retry-after': '7' },
);

export async function startGraph(certificate: { cert: string; key: string }): Promise<Graph> {
  const folders: Folder[] = [];
  const messages = new Map<string, Message>();
  /** Where a mail was, and when it left. */
  const removed: { id: string; folder: string; changed: number }[] = [];
  let changes = 0;
  let epoch = 1;

  const shownFolder = ({ id, displayName }: Folder) => ({
    ...{ id, displayName },
    totalItemCount: [...messages.values()].filter(({ folder }) => folder === id).length,
  });
  const make = (displayName: string, parent: string | null): Folder => {
    const folder = { id: `AAMk-${folders.length}=`, displayName, parent };
    folders.push(folder);
    return folder;
  };
  const inbox = make('Posteingang', null);
  const folderAt = (path: string): Folder => {
    if (path.toLowerCase() === 'inbox') return inbox;
    const inside = (parent: string | null, [name = '', ...rest]: readonly string[]): Folder => {
      const found = folders.find((one) => one.displayName === name && one.parent === parent);
      const folder = found ?? make(name, parent);
      return rest.length === 0 ? folder : inside(folder.id, rest);
    };
    return inside(null, path.split('/'));
  };
  const put = (message: Message, folder: string) => {
    changes += 1;
    removed.push({ id: message.id, folder: message.folder, changed: changes });
    changes += 1;
    message.folder = folder;
    message.created = changes;
    message.changed = changes;
  };

  function changesOf(folder: string, { query, headers }: ApiCall): ApiAnswer {
    const size = Number(/odata\.maxpagesize=(\d+)/.exec(String(headers.prefer))?.[1] ?? 10);
    // Links carry on what was asked first, which is about the time after the first round only.
    const first = `${epoch}.0.${query.get('changeType') === 'created' ? 1 : 0}`;
    const given = query.get('$skiptoken') ?? query.get('$deltatoken') ?? first;
    const [ofEpoch, from, onlyCreated] = given.split('.').map(Number) as [number, number, number];
    if (ofEpoch !== epoch)
      return failure(410, 'SyncStateNotFound', 'The sync state generation is not found.');
    const at = (one: { changed: number; created?: number }) =>
      onlyCreated === 1 ? (one.created ?? 0) : one.changed;
    const all = [
      ...[...messages.values()].filter((one) => one.folder === folder && at(one) > from),
      ...(from === 0 ? [] : removed.filter((one) => one.folder === folder && at(one) > from)),
    ].toSorted((a, b) => at(a) - at(b));
    const page = all.slice(0, size);
    const base = `${ROOT}/users/x/mailFolders/${encodeURIComponent(folder)}/messages/delta`;
    const link =
      all.length > size
        ? { '@odata.nextLink': `${base}?$skiptoken=${epoch}.${page.map(at).at(-1)}.${onlyCreated}` }
        : { '@odata.deltaLink': `${base}?$deltatoken=${epoch}.${Math.max(changes, 1)}.${onlyCreated}` };
    const value = page.map((one) =>
      'mime' in one
        ? { id: one.id, isRead: one.isRead, receivedDateTime: one.receivedDateTime }
        : { id: one.id, '@removed': { reason: 'deleted' } },
    );
    return { body: { value, ...link } };
  }

  function onMessage(id: string, rest: string, { method, json }: ApiCall): ApiAnswer {
    const message = messages.get(id);
    if (message === undefined)
      return failure(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');
    if (rest === '/$value')
      return { headers: { 'content-type': 'text/plain' }, body: Buffer.from(message.mime) };
    changes += 1;
    if (method === 'PATCH') {
      message.isRead = json.isRead === true;
      message.changed = changes;
      return { body: { id } };
    }
    if (method === 'POST' && rest === '/move') {
      put(message, String(json.destinationId));
      return { status: 201, body: { id } };
    }
    messages.delete(id);
    removed.push({ id, folder: message.folder, changed: changes });
    return { status: 204 };
  }

  function answer(call: ApiCall): ApiAnswer {
    if (call.headers.authorization !== `Bearer ${GRAPH_TOKEN}`)
      return failure(401, 'InvalidAuthenticationToken', 'Access token validation failure. Invalid audience.');
    const [, asked = '', path = ''] = /^\/v1\.0\/users\/([^/]+)(\/.*)$/.exec(call.path) ?? [];
    const user = decodeURIComponent(asked);
    if (user === CLOSED_USER)
      return failure(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
    if (user !== GRAPH_USER && user !== 'x')
      return failure(404, 'ErrorInvalidUser', `The requested user '${user}' is invalid.`);
    const [, folder = '', rest = ''] = /^\/mailFolders\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    const parent = folder === 'inbox' ? inbox.id : decodeURIComponent(folder);
    if (rest === '/messages/delta') return changesOf(parent, call);
    const [, id, more = ''] = /^\/messages\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    if (id !== undefined) return onMessage(decodeURIComponent(id), more, call);
    if (folder !== '' && rest === '') {
      const found = folders.find((one) => one.id === parent);
      return found === undefined
        ? failure(404, 'ErrorItemNotFound', 'No folder.')
        : { body: shownFolder(found) };
    }
    const above = folder === '' ? null : parent;
    if (call.method === 'POST') {
      const made = make(String(call.json.displayName), above);
      return { status: 201, body: shownFolder(made) };
    }
    const inside = folders.filter((one) => one.parent === above).map(shownFolder);
    const skip = Number(call.query.get('$skip') ?? 0);
    const top = Math.min(10, Number(call.query.get('$top')));
    const next =
      inside.length > skip + top
        ? { '@odata.nextLink': `${ROOT}/users/x${path}?$top=${top}&$skip=${skip + top}` }
        : {};
    return { body: { value: inside.slice(skip, skip + top), ...next } };
  }

  const host = await startApiHost(certificate, answer, { atOnce: 4, busy });
  return Object.assign(host, {
    deliver(folder: string, mime: string, receivedAt = new Date()) {
      changes += 1;
      const id = `AAQk${changes}/+=`;
      const receivedDateTime = receivedAt.toISOString().replace(/\.\d+/, '');
      messages.set(id, {
        ...{ id, mime, receivedDateTime, isRead: false },
        ...{ folder: folderAt(folder).id, created: changes, changed: changes },
      });
    },
    shown: (folder: string) =>
      [...messages.values()]
        .filter((one) => one.folder === folderAt(folder).id)
        .map((one) => [/^Subject: (.*)$/m.exec(one.mime)?.[1]?.trim() ?? '', one.isRead] as const),
    moveAll(from: string, to: string) {
      const [source, target] = [folderAt(from).id, folderAt(to).id];
      for (const message of messages.values()) if (message.folder === source) put(message, target);
    },
    empty(folder: string) {
      const { id } = folderAt(folder);
      for (const message of [...messages.values()]) if (message.folder === id) messages.delete(message.id);
    },
    remake(folder: string) {
      const old = folderAt(folder);
      old.displayName = `${folder} before`;
      make(folder, old.parent);
    },
    forgetLinks() {
      epoch += 1;
    },
  });
}
