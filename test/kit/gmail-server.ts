/**
 * A fake of the Gmail API, written from its published reference: labels, lists of messages newest first, messages as base64, and
 * the history. A page token counts mails, so mails that leave a label shift its pages.
 */
import { type ApiAnswer, type ApiCall, type ApiHost, startApiHost } from './api-host.ts';

interface Message {
  readonly id: string;
  labels: string[];
  readonly internalDate: number;
  readonly mime: string;
}

interface Change {
  readonly id: number;
  readonly kind: 'messagesAdded' | 'labelsAdded';
  readonly message: Message;
  readonly labelIds: readonly string[];
}

export interface Gmail extends ApiHost {
  /** Puts a mail under a label, which is made if it does not exist. */
  deliver(label: string, mime: string, receivedAt?: Date): void;
  /** The subject of each mail under a label, and whether it is marked as read. */
  shown(label: string): (readonly [string, boolean])[];
  moveAll(from: string, to: string): void;
  empty(label: string): void;
  /** The label gets another name, and a new one with its name is made. */
  remake(label: string): void;
  forgetHistory(): void;
}

export const GMAIL_TOKEN = 'a token of Google';

const failure = (code: number, reason: string, message: string, status = ''): ApiAnswer => ({
  status: code,
  body: { error: { code, message, status, errors: [{ message, domain: 'global', reason }] } },
});

const system = ['INBOX', 'SENT', 'SPAM', 'TRASH', 'UNREAD'];

export async function startGmail(certificate: { cert: string; key: string }): Promise<Gmail> {
  const labels = new Map<string, string>(system.map((name) => [name, name]));
  const messages = new Map<string, Message>();
  const history: Change[] = [];
  let lastId = 1_000;
  let forgotten = 0;

  const labelAt = (name: string): string => {
    const [id] = [...labels].find(([, one]) => one === name) ?? [];
    if (id !== undefined) return id;
    const made = `Label_${labels.size}`;
    labels.set(made, name);
    return made;
  };
  const log = (kind: Change['kind'], message: Message, labelIds: readonly string[]) => {
    lastId += 3;
    history.push({ id: lastId, kind, message, labelIds });
  };
  const under = (label: string) =>
    [...messages.values()]
      .toReversed()
      .filter((one) => one.labels.includes(label) && !one.labels.includes('TRASH'))
      .toSorted((a, b) => b.internalDate - a.internalDate);
  const relabel = (message: Message, add: readonly string[], remove: readonly string[]) => {
    const added = add.filter((one) => !message.labels.includes(one));
    message.labels = [...message.labels.filter((one) => !remove.includes(one)), ...added];
    if (added.length > 0) log('labelsAdded', message, added);
  };

  function list(query: URLSearchParams): ApiAnswer {
    const bound = (name: string, other: number) => {
      const [, seconds] = new RegExp(`${name}:(\\d+)`).exec(query.get('q') ?? '') ?? [];
      return seconds === undefined ? other : Number(seconds) * 1000;
    };
    const [after, before] = [bound('after', -Infinity), bound('before', Infinity)];
    const all = under(query.get('labelIds') ?? '').filter(
      ({ internalDate }) => internalDate > after && internalDate < before,
    );
    const size = Math.min(500, Number(query.get('maxResults') ?? 100));
    const from = Number(query.get('pageToken') ?? 0);
    const page = all.slice(from, from + size).map(({ id }) => ({ id, threadId: id }));
    return {
      body: {
        ...(page.length > 0 && { messages: page }),
        ...(all.length > from + size && { nextPageToken: String(from + size) }),
        resultSizeEstimate: all.length,
      },
    };
  }

  function listHistory(query: URLSearchParams): ApiAnswer {
    const start = Number(query.get('startHistoryId'));
    if (start < forgotten) return failure(404, 'notFound', 'Requested entity was not found.', 'NOT_FOUND');
    const label = query.get('labelId') ?? '';
    const kinds = query
      .getAll('historyTypes')
      .map((one) => `${one.replace('message', 'messages').replace('labelA', 'labelsA')}`);
    const all = history.filter(
      ({ id, kind, message }) => id > start && kinds.includes(kind) && message.labels.includes(label),
    );
    const from = Number(query.get('pageToken') ?? 0);
    const size = Number(query.get('maxResults') ?? 100);
    const page = all.slice(from, from + size).map(({ id, kind, message, labelIds }) => ({
      id: String(id),
      messages: [{ id: message.id, threadId: message.id }],
      [kind]: [
        {
          // Typically, a message has no more than its IDs here.
          message: {
            ...{ id: message.id, threadId: message.id },
            ...(id % 2 === 0 && { labelIds: message.labels }),
          },
          ...(kind === 'labelsAdded' && { labelIds }),
        },
      ],
    }));
    return {
      body: {
        ...(page.length > 0 && { history: page }),
        historyId: String(lastId),
        ...(all.length > from + size && { nextPageToken: String(from + size) }),
      },
    };
  }

  function answer({ method, path, query, headers, json }: ApiCall): ApiAnswer {
    if (headers.authorization !== `Bearer ${GMAIL_TOKEN}`)
      return failure(401, 'authError', 'Invalid Credentials', 'UNAUTHENTICATED');
    const at = path.replace('/gmail/v1/users/me', '');
    if (at === '/profile')
      return {
        body: { emailAddress: 'dmarc@example.org', messagesTotal: messages.size, historyId: String(lastId) },
      };
    if (at === '/labels' && method === 'POST') {
      const name = String(json.name);
      return { body: { id: labelAt(name), name } };
    }
    if (at === '/labels') return { body: { labels: [...labels].map(([id, name]) => ({ id, name })) } };
    if (at.startsWith('/labels/')) {
      const id = at.slice('/labels/'.length);
      return { body: { id, name: labels.get(id), messagesTotal: under(id).length } };
    }
    if (at === '/history') return listHistory(query);
    if (at === '/messages') return list(query);
    if (at === '/messages/batchModify') {
      for (const id of json.ids as string[]) {
        const message = messages.get(id);
        if (message === undefined) continue;
        relabel(message, (json.addLabelIds ?? []) as string[], (json.removeLabelIds ?? []) as string[]);
      }
      return { status: 204 };
    }
    const message = messages.get(at.slice('/messages/'.length));
    if (message === undefined)
      return failure(404, 'notFound', 'Requested entity was not found.', 'NOT_FOUND');
    const { id, labels: labelIds, internalDate, mime } = message;
    const raw = Buffer.from(mime, 'latin1').toString('base64url');
    return { body: { id, labelIds, internalDate: String(internalDate), sizeEstimate: mime.length, raw } };
  }

  const busy = failure(
    429,
    'rateLimitExceeded',
    'Too many concurrent requests for user',
    'RESOURCE_EXHAUSTED',
  );
  const host = await startApiHost(certificate, answer, { atOnce: 8, busy });
  return Object.assign(host, {
    deliver(label: string, mime: string, receivedAt = new Date()) {
      const id = (0x19a0_0000 + messages.size).toString(16);
      const message: Message = {
        id,
        mime,
        internalDate: receivedAt.getTime(),
        labels: [labelAt(label), 'UNREAD'],
      };
      messages.set(id, message);
      log('messagesAdded', message, message.labels);
    },
    shown: (label: string) =>
      under(labelAt(label))
        .toReversed()
        .map(
          (one) =>
            [/^Subject: (.*)$/m.exec(one.mime)?.[1]?.trim() ?? '', !one.labels.includes('UNREAD')] as const,
        ),
    moveAll(from: string, to: string) {
      const [source, target] = [labelAt(from), labelAt(to)];
      for (const message of under(source)) relabel(message, [target], [source]);
    },
    empty(label: string) {
      for (const { id } of under(labelAt(label))) messages.delete(id);
    },
    remake(label: string) {
      labels.set(labelAt(label), `${label} before`);
      labelAt(label);
    },
    forgetHistory() {
      forgotten = lastId + 1;
    },
  });
}
