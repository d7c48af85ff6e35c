/** What is asked of the APIs of mail providers, and what follows from each kind of response. */
import { describe, expect, test } from '@jest/globals';
import {
  type Batch,
  type FolderProblem,
  type ListedMail,
  type MailFolder,
  type Position,
  receivedAtOf,
} from '../../../shared/network/folder-port.ts';
import { createGmail } from '../../../shared/network/gmail.ts';
import { createGraph } from '../../../shared/network/graph.ts';
import {
  mailApiClient,
  NotFound,
  PositionGone,
  TooLarge,
  Unreadable,
} from '../../../shared/network/mail-api.ts';
import type { WebAnswer, WebCall } from '../../../shared/network/ports.ts';
import { words } from '../../kit/answers.ts';
import { listed, ranges } from '../../kit/recorded-lines.ts';

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** What is sent as JSON; `text` is sent as it is. */
  readonly json?: unknown;
  readonly text?: string;
}
type Failure = Exclude<WebAnswer, { status: 'found' }>;
type Answer = (path: string, call: WebCall) => Reply | Omit<Failure, 'evidence'> | undefined;

const TOKEN = 'secret/token+';
const MAX_MAIL = 3_000_000;

const error = (status: number, code: string | number, more: object = {}): Reply => ({
  ...{ status, json: { error: { code, message: `${code} was said`, ...more } } },
});

/** A provider that answers from a script, and the lines of the conversation. */
function providerAt(root: string, answer: Answer) {
  const lines: string[] = [];
  const caller = {
    async call(call: WebCall): Promise<WebAnswer> {
      const { method, url, headers, body, maxBytes } = call;
      expect([headers.authorization, call.maxUrl, call.timeoutMilliseconds]).toEqual([
        ...[`Bearer ${TOKEN}`, 16_384, 30_000],
      ]);
      // The token goes nowhere else.
      expect(url.slice(0, root.length + 1)).toBe(`${root}/`);
      const path = url.slice(root.length);
      const more = [
        headers.prefer?.replace('IdType="ImmutableId"', 'immutable'),
        headers['content-type'],
        body,
      ];
      const limit = maxBytes === 4 * 1024 * 1024 ? '' : ` (at most ${maxBytes} bytes)`;
      const said = more.filter((one) => one !== undefined && one !== 'immutable').join(' ');
      lines.push(`${method} ${decodeURIComponent(path)}${limit} ${shortened(said)}`.trim());
      const reply = answer(path, call) ?? { status: 404 };
      const evidence = { url, milliseconds: 0 };
      if ('reason' in reply) return { ...reply, evidence } as WebAnswer;
      const { status: httpStatus = 200, headers: received = {}, json = {}, text } = reply as Reply;
      const content = new TextEncoder().encode(text ?? JSON.stringify(json));
      return { status: 'found', httpStatus, headers: received, body: content, certificate, evidence };
    },
  };
  return { caller, lines };
}

const certificate = {
  ...{ validFrom: new Date(0), validTo: new Date(0), chain: [], trusted: true, matchesName: true },
};

/** Long lists of IDs by their ends. */
const shortened = (text: string): string =>
  text.replaceAll(
    /\[("[^",]+",)(?:"[^",]+",){3,}("[^",]+")\]/g,
    (all, first: string, last: string) => `[${first} ... ${last} (${all.split(',').length})]`,
  );

const kindOf = (problem: unknown): string =>
  [TooLarge, Unreadable, NotFound, PositionGone].find((kind) => problem instanceof kind)?.name ?? '';

function told(problem: unknown): string {
  const { code, detail, retrySeconds } = problem as FolderProblem;
  if (code === undefined) return String(problem);
  return `${kindOf(problem)} ${code}: ${detail}${retrySeconds === 0 ? '' : ` (in ${retrySeconds} s)`}`.trim();
}

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then((result) => `done: ${JSON.stringify(result) ?? ''}`, told);

const batchLine = ({ mails, position, remaining }: Batch): string => {
  const ids = mails.map(({ id }) => id);
  const few = ids.length > 3 ? `${ids[0]} ... ${ids.at(-1)} (${ids.length})` : ids.join(' ');
  return `  mails: ${few}; then ${JSON.stringify(position)}, ${remaining} left`;
};

async function readAll(
  folder: MailFolder,
  from: Position | null,
  lines: string[],
  most = 100,
): Promise<void> {
  let count = 0;
  try {
    for await (const batch of folder.batches(from)) {
      lines.push(batchLine(batch));
      count += 1;
      if (count === most) break;
    }
    lines.push('  end');
  } catch (problem) {
    lines.push(`  ${told(problem)}`);
  }
}

const request = (folder: string, signal = new AbortController().signal) => ({
  ...{ folder, readOnly: false, removes: true, signal },
});
const account = { user: 'Reports@example.org', token: TOKEN };
const some = (count: number): ListedMail[] => Array.from({ length: count }, (_, n) => ({ id: `m${n}` }));

describe('what a response means', () => {
  const codes = {
    gone: 'position-gone',
    bad: 'unreadable',
    slow: 'throttled',
    closed: 'api-disabled',
  } as const;
  const root = 'https://api.test/v1';
  const clientThat = (answer: Answer, signal = new AbortController().signal) => {
    const { caller, lines } = providerAt(root, answer);
    return { client: mailApiClient({ caller, root, token: TOKEN, signal, codes }), lines };
  };

  test('by its status', async () => {
    const statuses = Array.from({ length: 5 }, (_, n) => 100 * (n + 1)).flatMap((of) => [of - 1, of, of + 1]);
    const all = [...statuses, 403, 404, 409, 410, 411, 428, 429, 430, 502, 503, 504];
    const found = new Map<number, string>();
    for (const status of all) {
      const { client } = clientThat(() => ({ status, text: 'no JSON' }));
      found.set(status, await outcome(client.bytes('/x').then((bytes) => bytes.length)));
    }
    expect(listed(ranges(all, (status) => found.get(status) ?? ''))).toMatchSnapshot();
  });

  test('by the names of its errors', async () => {
    const bodies: Readonly<Record<string, Reply>> = {
      'a code': error(400, 'gone'),
      'a code with a message of nothing': error(400, 'bad', { message: '' }),
      'a number as code, and a status': error(403, 403, { status: 'slow' }),
      'a reason before its code': error(403, 'slow', { errors: [{ reason: 'closed' }] }),
      'a reason of the details': error(403, 403, { errors: [{}], details: [{ reason: 'closed' }] }),
      'an unknown reason before a known one': error(400, 'closed', { errors: [{ reason: 'other' }] }),
      'only unknown names': error(404, 'other', { status: 'OTHER' }),
      'a known name with 404': error(404, 'closed'),
      'a known name with 410': error(410, 'closed'),
      'an unknown name with 410': error(410, 'other'),
      'the token in its message': error(400, 'other', { message: `${TOKEN} is wrong` }),
      'no error': { status: 400, json: { code: 'gone' } },
      'no names': { status: 400, json: { error: {} } },
      'an array': { status: 401, json: [] },
    };
    const lines: string[] = [];
    for (const [title, reply] of Object.entries(bodies))
      lines.push(`${title}: ${await outcome(clientThat(() => reply).client.bytes('/x'))}`);
    expect(listed(lines)).toMatchSnapshot();
  });

  test.each([
    ['0', 0],
    ['5', 5],
    ['86399', 86_399],
    ['86401', 86_400],
    ['999999999', 86_400],
    ['1000000000', 0],
    ['1.5', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ])('waits as long as Retry-After says: %s', async (field, seconds) => {
    const { client } = clientThat(() => ({ status: 503, headers: { 'retry-after': field } }));
    await expect(client.bytes('/x')).rejects.toMatchObject({ code: 'throttled', retrySeconds: seconds });
  });

  test('if there is none', async () => {
    const lines: string[] = [];
    const reasons = {
      absent: ['no-address'],
      rejected: ['certificate', 'tls', 'redirect', 'too-large', 'address-not-public', 'invalid-url'],
      unavailable: ['timeout', 'connection', 'name-resolution', 'malformed', 'deadline', 'connection-limit'],
    } as const;
    for (const [status, names] of Object.entries(reasons))
      for (const reason of names)
        for (const detail of reason === 'timeout' ? ['', 'why'] : ['why']) {
          const reply = { status, reason, ...(status !== 'absent' && { detail }) } as Omit<
            Failure,
            'evidence'
          >;
          lines.push(await outcome(clientThat(() => reply).client.bytes('/x')));
        }
    expect(listed(lines)).toMatchSnapshot();
  });

  test('if its time is over, before a request or during it', async () => {
    const over = new AbortController();
    const reply = { status: 'unavailable', reason: 'connection', detail: '' } as const;
    const { client, lines } = clientThat(() => {
      over.abort();
      return reply;
    }, over.signal);
    for (const _ of [1, 2]) lines.push(await outcome(client.bytes('/x')));
    expect(lines).toEqual(['GET /x', 'timeout: it took too long', 'timeout: it took too long']);
  });
});

test.each([
  [undefined, 0],
  ['no date', 0],
  ['2026-03-01T10:00:00Z', 1_772_359_200_000],
  [5, 5],
])('a mail was received at %s', (given, expected) => {
  expect(receivedAtOf(given).getTime()).toBe(expected);
});

/** How mails that a provider cannot give, or not at once, are fetched: by the number in their ID. */
function mailReply(path: string, call: WebCall, content: object): ReturnType<Answer> {
  const id = /m\d+/.exec(path)?.[0];
  const tooLarge = { status: 'rejected', reason: 'too-large', detail: 'too many bytes' } as const;
  if (id === 'm1') return { status: 404 };
  if (id === 'm2') return (call.maxBytes ?? 0) > 2 * 1024 * 1024 ? content : tooLarge;
  if (id === 'm3') return tooLarge;
  return content;
}

async function fetchAll(folder: MailFolder, mails: readonly ListedMail[], lines: string[]): Promise<void> {
  try {
    for await (const { id, content, receivedAt } of folder.fetch(mails))
      lines.push(`  ${id} of ${receivedAt.toISOString()}: ${Buffer.from(content)}`);
    lines.push('  end');
  } catch (problem) {
    lines.push(`  ${told(problem)}`);
  }
}

describe('Gmail', () => {
  const ROOT = 'https://gmail.googleapis.com/gmail/v1/users/me';
  const labels = ['INBOX', 'inbox', 'Größe', 'Done', 'SPAM'].map((name, n) => ({
    ...{ id: n === 4 ? 'SPAM' : `L/${n}`, name },
  }));
  const standard: Answer = (path, { method }) => {
    if (path === '/profile') return { json: { emailAddress: 'reports@EXAMPLE.org', historyId: '900' } };
    if (path === '/labels' && method === 'GET') return { json: { labels } };
    if (path.startsWith('/labels/')) return { json: path.includes('1') ? {} : { messagesTotal: 7 } };
    if (path === '/messages/batchModify') return { status: 204 };
    return undefined;
  };
  const NOW = new Date('2026-03-01T10:00:00.500Z');
  const END = Math.ceil(NOW.getTime() / 1000);
  const gmailThat = (answer: Answer) => {
    const { caller, lines } = providerAt(ROOT, (path, call) => answer(path, call) ?? standard(path, call));
    const gmail = createGmail({ caller, clock: { now: () => NOW }, maxMailBytes: MAX_MAIL });
    return { gmail, lines };
  };
  /** An open folder, and the lines after it was opened. */
  async function opened(answer: Answer, folder = 'Done') {
    const { gmail, lines } = gmailThat(answer);
    const open = await gmail.open(account, request(folder));
    lines.splice(0);
    return { folder: open, lines };
  }

  test('a label is found by its name, in its own case first', async () => {
    const all: string[] = [];
    for (const name of ['INBOX', 'inbox', 'Inbox', 'GRO\u0308ẞE'.replace('ẞ', 'ß'), 'Gone', '']) {
      const { gmail, lines } = gmailThat(() => undefined);
      const result = await outcome(gmail.open(account, request(name)).then(({ messages }) => messages));
      all.push(`${name}: ${lines.join(', ')} -> ${result}`);
    }
    expect(listed(all)).toMatchSnapshot();
  });

  test.each([0, 1, 12, 13])('of %d other labels, twelve are named', async (count) => {
    const names = Array.from({ length: count }, (_, n) => ({ id: `${n}`, name: `n${n}` }));
    const { gmail } = gmailThat((path) => (path === '/labels' ? { json: { labels: names } } : undefined));
    expect(await outcome(gmail.open(account, request('Gone')))).toMatchSnapshot();
  });

  test('a mailbox of another user, one that does not answer as documented, and one that refuses', async () => {
    const replies: readonly Reply[] = [
      { json: { emailAddress: 'ceo@example.org', historyId: '1' } },
      { json: { emailAddress: 'reports@example.org' } },
      { text: '{' },
      ...['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', 'quotaExceeded'].map((one) =>
        error(403, 403, { errors: [{ reason: one }] }),
      ),
      ...['accessNotConfigured', 'failedPrecondition', 'other'].map((one) =>
        error(403, 403, { errors: [{ reason: one }] }),
      ),
      ...['RATE_LIMIT_EXCEEDED', 'SERVICE_DISABLED'].map((one) =>
        error(403, 403, { details: [{ reason: one }] }),
      ),
      error(400, 400, { status: 'FAILED_PRECONDITION' }),
    ];
    const lines: string[] = [];
    for (const reply of replies)
      lines.push(await outcome(gmailThat(() => reply).gmail.open(account, request('INBOX'))));
    expect(listed(lines)).toMatchSnapshot();
  });

  /** A list of mails at times, which a request's terms select, newest first, in pages. */
  const listOf =
    (mails: readonly (readonly [id: string, seconds: number])[]): Answer =>
    (path) => {
      if (!path.startsWith('/messages?')) return undefined;
      const query = new URLSearchParams(path.slice('/messages?'.length));
      const [, after = '-1'] = /after:(\d+)/.exec(query.get('q') ?? '') ?? [];
      const [, before = '9999999999'] = /before:(\d+)/.exec(query.get('q') ?? '') ?? [];
      const all = mails.filter(([, at]) => at > Number(after) && at < Number(before));
      const from = Number(query.get('pageToken') ?? 0);
      const size = Number(query.get('maxResults'));
      const page = all.toReversed().slice(from, from + size);
      return {
        json: {
          ...(page.length > 0 && { messages: page.map(([id]) => ({ id })) }),
          ...(all.length > from + size && { nextPageToken: String(from + size) }),
        },
      };
    };
  const spread = (count: number, first: number, step: number) =>
    Array.from({ length: count }, (_, n) => [`m${String(n).padStart(4, '0')}`, first + n * step] as const);

  test.each([
    ['no mail', []],
    ['one mail', spread(1, END - 10, 1)],
    ['as many as a list has', spread(50, END - 50, 1)],
    ['one more', spread(51, END - 51, 1)],
    ['mails of years', spread(120, 1_000_000_000, 7_000_000)],
    ['51 mails of one second', [...spread(51, 1_700_000_000, 0), ['z', 1_700_000_001] as const]],
    ['mails from the future', spread(51, END + 10, 1)],
  ])('reads earlier mails by windows: %s', async (_title, mails) => {
    const { folder, lines } = await opened(listOf(mails));
    await readAll(folder, null, lines);
    // Halving windows takes the same request many times.
    const shown = lines.map((line) => line.replace(/labelIds=L\/3&/, ''));
    expect(
      listed([
        ...shown.slice(0, 8),
        ...(shown.length > 16 ? [`... ${shown.length}`] : []),
        ...shown.slice(Math.max(8, shown.length - 8)),
      ]),
    ).toMatchSnapshot();
  });

  const label = 'L/3';
  const earlier = { label, nextHistoryId: '800' };
  test.each<[string, Position, number]>([
    ['of another label', { label: 'other', historyId: '1' }, 10],
    ['of another provider', { uidValidity: '1', uid: 5 }, 10],
    ['between windows', { ...earlier, receivedBefore: END - 100, window: null }, 10],
    [
      'within a window',
      { ...earlier, receivedBefore: END - 100, window: { until: END - 95, lastId: 'm0003' } },
      10,
    ],
    [
      'within the last window',
      { ...earlier, receivedBefore: END - 100, window: { until: null, lastId: 'm0003' } },
      10,
    ],
    [
      'within a window of many',
      { ...earlier, receivedBefore: END - 100, window: { until: END + 950, lastId: 'm0500' } },
      1030,
    ],
    ['at the end', { ...earlier, receivedBefore: END, window: null }, 10],
    ['a second before the end', { ...earlier, receivedBefore: END - 1, window: null }, 10],
    ['two seconds before the end', { ...earlier, receivedBefore: END - 2, window: null }, 60],
  ])('goes on with earlier mails from a position %s', async (_title, from, count) => {
    const { folder, lines } = await opened(
      listOf(count === 60 ? spread(60, END - 2, 0) : spread(count, END - 100, 1)),
    );
    await readAll(folder, from, lines);
    expect(listed(lines.map((line) => line.replace(/labelIds=L\/3&/, '')))).toMatchSnapshot();
  });

  test('spam and trash are in no list that does not name them', async () => {
    const { folder, lines } = await opened(listOf([]), 'Spam');
    await readAll(folder, null, lines);
    expect(lines[0]).toBe('GET /messages?labelIds=SPAM&maxResults=50&includeSpamTrash=true');
  });

  test('a list without an end is left after a hundred pages', async () => {
    const { folder, lines } = await opened((path) =>
      path.startsWith('/messages?') ? { json: { messages: [{ id: 'm' }], nextPageToken: 'p' } } : undefined,
    );
    const from = { ...earlier, receivedBefore: END - 1, window: null };
    await readAll(folder, from, lines);
    expect([lines.length, ...lines.slice(-5)]).toMatchSnapshot();
  });

  const change = (id: string, labelIds?: readonly string[]) => ({ message: { id, labelIds } });
  const historyOf =
    (pages: readonly object[]): Answer =>
    (path) => {
      if (!path.startsWith('/history?')) return undefined;
      const token = Number(new URLSearchParams(path.slice('/history?'.length)).get('pageToken') ?? 0);
      const more = token + 1 < pages.length ? { nextPageToken: String(token + 1) } : {};
      return { json: { historyId: '990', ...pages[token], ...more } };
    };
  const record = (id: string, added: object[] = [], labelled: object[] = []) => ({
    ...{ id, messagesAdded: added, labelsAdded: labelled },
  });
  test.each<[string, object[]]>([
    ['none', [{ historyId: '700' }]],
    ['none, at a later record', [{}]],
    ['without mails of the label', [{ history: [record('701', [change('a', ['other'])])] }]],
    [
      'added, labelled, both, and of unknown labels',
      [
        {
          history: [
            record('701', [change('a', [label])], [change('b', ['x', label]), change('c')]),
            record('702', [change('b')]),
          ],
        },
      ],
    ],
    [
      'two pages',
      [
        { history: [record('701', [change('a')]), record('702')] },
        { history: [record('703', [change('b')])] },
      ],
    ],
    ['a page without records between', [{ history: [record('701', [change('a')])] }, {}, {}]],
    [
      '51 on a page',
      [
        {
          history: [
            record(
              '701',
              some(51).map(({ id }) => change(id)),
            ),
          ],
        },
        {},
      ],
    ],
  ])('reads later mails from the history: %s', async (_title, pages) => {
    const { folder, lines } = await opened(historyOf(pages));
    await readAll(folder, { label, historyId: '700' }, lines);
    expect(listed(lines)).toMatchSnapshot();
  });

  test('a history without an end is left after a hundred pages', async () => {
    const { folder, lines } = await opened(historyOf(Array.from({ length: 102 }, () => ({}))));
    await readAll(folder, { label, historyId: '700' }, lines);
    expect([lines.length, ...lines.slice(-2)]).toMatchSnapshot();
  });

  test.each([404, 410, 500])('a history with the status %d', async (status) => {
    const { folder, lines } = await opened((path, call) =>
      path.startsWith('/history') ? { status } : listOf([])(path, call),
    );
    await readAll(folder, { label, historyId: '700' }, lines);
    expect(listed(lines)).toMatchSnapshot();
  });

  test('mails are fetched four at a time, and large ones alone', async () => {
    const { folder, lines } = await opened((path, call) =>
      path.startsWith('/messages/m')
        ? mailReply(path, call, {
            json: {
              raw: Buffer.from(`mail ${path.slice(10)}`).toString('base64url'),
              ...(path.includes('m5') ? {} : { internalDate: path.includes('m4') ? 'x' : '1772359200000' }),
            },
          })
        : undefined,
    );
    for (const count of [0, 6]) await fetchAll(folder, some(count), lines);
    expect(listed(lines)).toMatchSnapshot();
  });

  test('mails are acknowledged a thousand at a time', async () => {
    const { folder, lines } = await opened((path, { method }) =>
      path === '/labels' && method === 'POST' ? { json: { id: 'made', name: 'New' } } : undefined,
    );
    for (const count of [0, 1, 1_000, 1_001]) await folder.markRead(some(count));
    await folder.move(some(1), 'größe');
    await folder.move(some(1), 'New');
    lines.push(await outcome(folder.move(some(1), 'DONE')));
    await folder.delete(some(2));
    await folder.close();
    expect(listed(lines)).toMatchSnapshot();
  });

  test.each([
    ['a status', { status: 400 }],
    ['a name that has another meaning', error(403, 'rateLimitExceeded')],
  ])('a label that cannot be made, by %s', async (_title, reply) => {
    const { folder } = await opened((_path, { method }) => (method === 'POST' ? reply : undefined));
    expect(await outcome(folder.move(some(1), 'New'))).toMatchSnapshot();
  });
});

describe('Microsoft Graph', () => {
  const ROOT = 'https://graph.microsoft.com/v1.0';
  const MAILBOX = `/users/${encodeURIComponent(account.user)}`;
  const folderOf = (displayName: string, id = `id of ${displayName}=`) => ({
    id,
    displayName,
    totalItemCount: 3,
  });
  const standard: Answer = (path, { method, body }) => {
    const at = path.slice(MAILBOX.length);
    if (at === '/mailFolders/inbox') return { json: { id: 'inbox' } };
    if (method === 'POST' && at.endsWith('olders'))
      return { status: 201, json: folderOf(JSON.parse(String(body)).displayName) };
    if (at === '/mailFolders?$top=100')
      return {
        json: {
          value: ['Reports', 'reports', 'Old'].map((one) => folderOf(one)),
          '@odata.nextLink': `${ROOT}/more`,
        },
      };
    if (path === '/more') return { json: { value: [folderOf('Further')] } };
    if (at.startsWith('/mailFolders/') && at.includes('/childFolders?'))
      return { json: { value: at.includes('Old') ? [folderOf('2025')] : [] } };
    if (at.startsWith('/messages/')) return { status: 204 };
    return undefined;
  };
  const graphThat = (answer: Answer) => {
    const { caller, lines } = providerAt(ROOT, (path, call) => answer(path, call) ?? standard(path, call));
    return { graph: createGraph({ caller, maxMailBytes: MAX_MAIL }), lines };
  };
  async function opened(answer: Answer, folder = 'Reports') {
    const { graph, lines } = graphThat(answer);
    const open = await graph.open(account, request(folder));
    lines.splice(0);
    return { folder: open, lines };
  }
  const shown = (lines: readonly string[]) =>
    listed(lines.map((line) => line.replaceAll('/users/Reports@example.org', '').replaceAll(ROOT, 'ROOT')));

  test('a folder is found by its path, in its own case first', async () => {
    const all: string[] = [];
    for (const name of words(
      'INBOX inbox/a Reports reports REPORTS further Old/2025 Old/2024 None/2025 None',
    )) {
      const { graph, lines } = graphThat(() => undefined);
      const result = await outcome(graph.open(account, request(name)).then(({ messages }) => messages));
      all.push(`${name}:`, ...lines, `  ${result}`);
    }
    expect(shown(all)).toMatchSnapshot();
  });

  test('a list of folders without an end is left after twenty pages, and one that leads elsewhere at once', async () => {
    const endless = graphThat((path) =>
      path.includes('inbox') ? undefined : { json: { value: [], '@odata.nextLink': `${ROOT}/more` } },
    );
    endless.lines.push(await outcome(endless.graph.open(account, request('a'))));
    const results: (string | number)[] = [endless.lines.length, endless.lines.at(-1) ?? ''];
    const links = [
      `${ROOT}`,
      `${ROOT}x/more`,
      `https://evil.test/${ROOT}/`,
      `${ROOT}/${'x'.repeat(16_384 - ROOT.length - 1)}`,
      `${ROOT}/${'x'.repeat(16_384 - ROOT.length)}`,
    ];
    for (const link of links) {
      const { graph } = graphThat((path) =>
        path.includes('$top')
          ? { json: { value: [], '@odata.nextLink': link } }
          : { json: { value: [folderOf('Reports')] } },
      );
      results.push(await outcome(graph.open(account, request('Reports')).then(({ messages }) => messages)));
    }
    expect(results).toMatchSnapshot();
  });

  test('a mailbox that refuses', async () => {
    const names = words(`
      ErrorInvalidUser ErrorNonExistentMailbox MailboxNotEnabledForRESTAPI MailboxNotSupportedForRESTAPI
      Request_ResourceNotFound ErrorAccessDenied Authorization_RequestDenied ApplicationThrottled
      ErrorTooManyObjectsOpened InvalidAuthenticationToken ResourceNotFound ErrorItemNotFound
    `);
    const lines: string[] = [];
    for (const folder of ['inbox', 'Reports'])
      for (const name of folder === 'inbox' ? names : names.slice(-2))
        lines.push(await outcome(graphThat(() => error(404, name)).graph.open(account, request(folder))));
    lines.push(await outcome(graphThat(() => error(500, 'other')).graph.open(account, request('inbox'))));
    expect(listed(lines)).toMatchSnapshot();
  });

  const page = (ids: readonly string[], link: object, more: object = {}) => ({
    value: ids.map((id) => ({ id, receivedDateTime: '2026-03-01T10:00:00Z', ...more })),
    ...link,
  });
  const next = { '@odata.nextLink': `${ROOT}/next` };
  const delta = { '@odata.deltaLink': `${ROOT}/delta` };
  const known: Position = { folder: 'id of Reports=', changes: `${ROOT}/known` };
  test.each<[string, Position | null, Readonly<Record<string, Reply>>]>([
    ['no mail', null, { start: { json: page([], delta) } }],
    ['two pages', null, { start: { json: page(['a', 'b'], next) }, next: { json: page(['c'], delta) } }],
    [
      'mails that left',
      null,
      { start: { json: { value: [{ id: 'a', '@removed': { reason: 'deleted' } }, { id: 'b' }], ...delta } } },
    ],
    ['a list without a link', null, { start: { json: page(['a'], {}) } }],
    [
      'a link that leads elsewhere',
      null,
      { start: { json: page(['a'], { '@odata.nextLink': 'https://evil.test/' }) } },
    ],
    ['a known position', known, { known: { json: page(['a'], delta) } }],
    [
      'a position of another folder',
      { folder: 'x', changes: `${ROOT}/known` },
      { start: { json: page(['a'], delta) } },
    ],
    [
      'a position of another provider',
      { label: 'id of Reports=', historyId: '1' },
      { start: { json: page(['a'], delta) } },
    ],
    [
      'a position that is forgotten',
      known,
      { known: error(400, 'SyncStateNotFound'), start: { json: page(['a'], delta) } },
    ],
    ['a position that is not found', known, { known: { status: 404 }, start: { json: page(['a'], delta) } }],
    ['a position that is gone', known, { known: { status: 410 }, start: { status: 410 } }],
    ['a position that fails', known, { known: { status: 500 } }],
    [
      'a page that is forgotten',
      known,
      {
        known: { json: page(['a'], next) },
        next: error(410, 'resyncRequired'),
        start: { json: page(['b'], delta) },
      },
    ],
  ])('reads a list of changes: %s', async (_title, from, replies) => {
    const { folder, lines } = await opened(
      (path) => replies[path.includes('/messages/delta') ? 'start' : path.slice(1)],
    );
    await readAll(folder, from, lines);
    expect(shown(lines)).toMatchSnapshot();
  });

  test('mails are fetched, marked, moved and deleted one by one', async () => {
    const { folder, lines } = await opened((path, call) => {
      if (path.includes('/messages/delta')) return { json: { ...page(['m0', 'm1', 'm2'], next) } };
      if (path === '/next') return { json: page(['m5'], delta, { isRead: true }) };
      if (path.endsWith('/$value'))
        return path.includes('m4')
          ? error(500, 'ErrorMimeContentConversionFailed')
          : mailReply(path, call, { text: `mail ${/m\d/.exec(path)}` });
      return path.includes('m1') ? { status: 404 } : undefined;
    });
    await readAll(folder, null, lines);
    for (const count of [0, 6]) await fetchAll(folder, some(count), lines);
    await folder.markRead(some(6));
    await folder.move(some(5), 'Old/2025');
    await folder.move(some(1), 'Old/2026/03');
    await folder.move(some(1), 'New');
    lines.push(await outcome(folder.move(some(1), 'Reports')));
    await folder.delete(some(2));
    await folder.close();
    expect(shown(lines)).toMatchSnapshot();
  });

  test('a failure of one mail ends the others', async () => {
    const { folder, lines } = await opened((path) =>
      path.includes('m2') ? error(403, 'ErrorAccessDenied') : undefined,
    );
    lines.push(await outcome(folder.delete(some(6))));
    await fetchAll(folder, some(6), lines);
    expect(shown(lines)).toMatchSnapshot();
  });

  test('a folder that cannot be made', async () => {
    const { folder } = await opened((_path, { method }) =>
      method === 'POST' ? error(400, 'ErrorFolderExists') : undefined,
    );
    expect(await outcome(folder.move(some(1), 'Old/New'))).toMatchSnapshot();
  });
});
