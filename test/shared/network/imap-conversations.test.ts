/** What is sent to an IMAP server for each operation, and what follows from its responses; without a server program. */
import { once } from 'node:events';
import { createServer as createPlainServer, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { createDialer } from '../../../shared/network/dialer.ts';
import type { Batch, FolderProblem, FolderRequest, Position } from '../../../shared/network/folder-port.ts';
import { createImap } from '../../../shared/network/imap.ts';
import { imapFolder } from '../../../shared/network/imap-folder.ts';
import type { ImapAccount, ImapFolder, ImapMail } from '../../../shared/network/imap-port.ts';
import { words } from '../../kit/answers.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { listed } from '../../kit/recorded-lines.ts';
import { zone } from '../../kit/zone.ts';

const authority = createAuthority();
const certificate = authority.issue(['imap.test']);
const MAX_MAIL = 1_000;

/** What the server answers to a command instead of its usual response; `undefined` ends the connection. */
type Answers = (command: string, count: number) => string | undefined | 'usual';

const CAPABILITIES = 'IMAP4rev1 AUTH=PLAIN AUTH=OAUTHBEARER UIDPLUS MOVE UNSELECT';
const folders = [
  ...['() "/" INBOX', '() "/" Old', '() "/" Old/2025', '(\\Noselect) "/" Shelf', '(\\NonExistent) "/" Ghost'],
  ...['() "/" reports', '() "/" Reports', '() "." Dotted.One'],
];

/** The untagged part of the usual response to a command. */
function usual(command: string): string {
  const [name = '', more = ''] = command.split(' ', 2);
  const verb = name === 'UID' ? more : name;
  if (verb === 'CAPABILITY') return `* CAPABILITY ${CAPABILITIES}\r\n`;
  if (command === 'LIST "" ""') return '* LIST (\\Noselect) "/" ""\r\n';
  if (verb === 'LIST') return folders.map((one) => `* LIST ${one}\r\n`).join('');
  if (verb === 'SELECT' || verb === 'EXAMINE')
    return '* 3 EXISTS\r\n* FLAGS (\\Seen)\r\n* OK [UIDVALIDITY 77] ok\r\n* OK [UIDNEXT 9] ok\r\n';
  if (verb === 'SEARCH') return '* SEARCH 8 5 2\r\n';
  if (verb === 'FETCH' && command.includes('BODY'))
    return [2, 5].map((uid) => fetched(uid, `mail ${uid}`)).join('');
  if (verb === 'FETCH') return [2, 5].map((uid) => fetched(uid)).join('');
  return '';
}

const fetched = (uid: number, content?: string, date = '01-Mar-2026 10:00:00 +0000'): string => {
  const body = content === undefined ? '' : ` BODY[] {${content.length}}\r\n${content}`;
  return `* ${uid} FETCH (UID ${uid} RFC822.SIZE 17 INTERNALDATE "${date}"${body})\r\n`;
};

async function serverThat(answers: Answers) {
  const sockets = new Set<Socket>();
  const closed: Promise<unknown>[] = [];
  const lines: string[] = [];
  const counts = new Map<string, number>();
  const server = createServer(certificate, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    const name = socket.servername;
    lines.push(`TLS for ${name === false ? 'no name' : name}`);
    closed.push(once(socket, 'close'));
    let rest = '';
    socket.write(`* OK [CAPABILITY ${CAPABILITIES}] hello\r\n`);
    socket.on('data', (data) => {
      const [last = '', ...whole] = `${rest}${data}`.split('\r\n').toReversed();
      rest = last;
      for (const line of whole.toReversed()) {
        const [tag = '', ...words] = line.split(' ');
        const command = words.join(' ');
        const verb = words[0] === 'UID' ? `UID ${words[1]}` : (words[0] ?? '');
        const count = (counts.get(verb) ?? 0) + 1;
        counts.set(verb, count);
        // The version of the client changes with each release.
        if (verb !== 'ID') lines.push(command);
        const answer = answers(command, count);
        if (answer === undefined) return void socket.end();
        const done =
          answer === 'usual' ? `${usual(command)}${tag} OK done\r\n` : answer.replaceAll('TAG', tag);
        socket.write(done);
        if (verb === 'LOGOUT') socket.end();
      }
    });
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const dialMap = new Map([
    ...['imap.test:993', '192.0.2.1:993', 'other.test:993'].map(
      (host) => [host, { address: '127.0.0.1', port: address.port }] as const,
    ),
  ]);
  const dialer = createDialer({ dns: zone({}), privateAddresses: 'deny', dialMap });
  const imap = createImap({ dialer, extraCa: authority.cert, maxMailBytes: MAX_MAIL });
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { imap, lines, closed: () => Promise.all(closed), stop };
}

const account: ImapAccount = {
  ...{ host: 'imap.test', port: 993, security: 'tls', user: 'reports' },
  credential: { kind: 'password', value: 'secret word' },
};
const request = (given: Partial<FolderRequest> = {}): FolderRequest => ({
  ...{ folder: 'INBOX', readOnly: false, removes: true, signal: AbortSignal.timeout(60_000) },
  ...given,
});

const told = (error: unknown): string => {
  const { code, detail } = error as FolderProblem;
  // The rest is in the words of the library or of OpenSSL, and the first one depends on when the library learns of it.
  if (code === 'connection-lost' || code === 'certificate') return code;
  return code === undefined ? String(error) : `${code}: ${detail}`;
};
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (result) => `-> ${JSON.stringify(result) ?? 'done'}`,
    (error) => `-> ${told(error)}`,
  );

async function conversation(
  work: (folder: ImapFolder, lines: string[]) => Promise<void>,
  {
    answers = () => 'usual',
    of = {},
    as = account,
  }: { answers?: Answers; of?: Partial<FolderRequest>; as?: ImapAccount } = {},
): Promise<string[]> {
  const { imap, lines, closed, stop } = await serverThat(answers);
  try {
    const folder = await imap.open(as, request(of));
    lines.push(`-> ${folder.path} ${folder.uidValidity} with ${folder.messages}`);
    await work(folder, lines);
    await folder.close();
  } catch (error) {
    lines.push(`-> ${told(error)}`);
  } finally {
    // The client ends each session, also after a failure.
    await closed();
    stop();
  }
  return lines;
}

const all = async <One>(list: AsyncIterable<One>): Promise<One[]> => {
  const found: One[] = [];
  for await (const one of list) found.push(one);
  return found;
};
const fetchAll = async (folder: ImapFolder, uids: readonly number[]) =>
  (await all(folder.fetch(uids))).map(({ content, ...mail }) => ({ ...mail, content: String(content) }));

/** Lines after the folder was opened. */
const sinceOpen = (lines: readonly string[]) =>
  lines.slice(lines.findIndex((line) => line.startsWith('->')) + 1);

describe('a session', () => {
  test('signs in, opens the folder and ends', async () => {
    const lines = await conversation(async () => {});
    expect(listed(lines)).toMatchSnapshot();
    const token = { ...account, credential: { kind: 'token', value: 'a token' } } as const;
    const withToken = await conversation(async () => {}, {
      as: token,
      of: { readOnly: true, removes: false },
    });
    expect(listed(withToken.map((line) => line.slice(0, 60)))).toMatchSnapshot();
  });

  test.each([
    ...words('INBOX inbox reports REPORTS Reports old/2025 Shelf Ghost Dotted/One dotted.one'),
    ...['Old.2025', 'None'],
  ])('opens the folder %s', async (folder) => {
    const lines = await conversation(async () => {}, { of: { folder } });
    expect(lines.filter((line) => /^(?:SELECT|->)/.test(line))).toMatchSnapshot();
  });

  test('names the host, and is not begun with a server that is another', async () => {
    const lines: string[] = [];
    for (const host of ['imap.test', '192.0.2.1', 'other.test']) {
      const said = await conversation(async () => {}, { as: { ...account, host } });
      lines.push(...said.filter((line) => /^(?:TLS|->)/.test(line)));
    }
    expect(listed(lines)).toMatchSnapshot();
  });

  test('that cannot begin', async () => {
    const plain = createPlainServer((socket) => socket.resume().end('* OK no TLS\r\n'));
    await once(plain.listen(0, '127.0.0.1'), 'listening');
    const closed = createPlainServer();
    await once(closed.listen(0, '127.0.0.1'), 'listening');
    const portOf = (server: typeof plain) => (server.address() as { port: number }).port;
    const dialMap = new Map([
      ['plain.test:993', { address: '127.0.0.1', port: portOf(plain) }],
      ['gone.test:993', { address: '127.0.0.1', port: portOf(closed) }],
    ]);
    await new Promise((resolve) => closed.close(resolve));
    const names = {
      'private.test': { A: ['10.0.0.1'] },
      'none.test': {},
      'broken.test': 'SERVFAIL',
    } as const;
    const dialer = createDialer({ dns: zone(names), privateAddresses: 'deny', dialMap });
    const imap = createImap({ dialer, maxMailBytes: MAX_MAIL });
    const lines: string[] = [];
    for (const host of ['private.test', 'none.test', 'broken.test', '10.1.2.3', 'gone.test'])
      lines.push(`${host} ${await outcome(imap.open({ ...account, host }, request()))}`);
    const aborted = request({ signal: AbortSignal.abort() });
    lines.push(await outcome(imap.open({ ...account, host: 'gone.test' }, aborted)));
    // The rest is in the words of OpenSSL.
    const [code] = (await outcome(imap.open({ ...account, host: 'plain.test' }, request()))).split(':');
    await new Promise((resolve) => plain.close(resolve));
    expect(listed([...lines, `plain.test ${code}`])).toMatchSnapshot();
  });

  test.each<[string, Partial<FolderRequest>, string]>([
    ['is read-only', {}, '* 3 EXISTS\r\n* OK [UIDVALIDITY 77] ok\r\nTAG OK [READ-ONLY] done\r\n'],
    [
      'is read-only, as wanted',
      { readOnly: true },
      '* 3 EXISTS\r\n* OK [UIDVALIDITY 77] ok\r\nTAG OK [READ-ONLY] done\r\n',
    ],
  ])('with a folder that %s', async (_title, of, answer) => {
    const answers: Answers = (line) => (/^(?:SELECT|EXAMINE)/.test(line) ? answer : 'usual');
    expect(sinceOpen(['->', ...(await conversation(async () => {}, { of, answers }))])).toMatchSnapshot();
  });

  test.each<[string, Partial<FolderRequest>]>([
    ['that removes mails', {}],
    ['that only marks them', { removes: false }],
  ])('%s on a server without UIDPLUS', async (_title, of) => {
    const lines = await conversation(async () => {}, {
      ...{
        of,
        answers: (line) =>
          line.startsWith('CAPABILITY')
            ? '* CAPABILITY IMAP4rev1\r\nTAG OK\r\n'
            : line.startsWith('AUTH') || line.startsWith('LOGIN')
              ? '* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nTAG OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] in\r\n'
              : 'usual',
      },
    });
    expect(lines.filter((line) => line.startsWith('->'))).toMatchSnapshot();
  });
});

describe('operations', () => {
  test('list, fetch, mark, move and delete what is named', async () => {
    const lines = await conversation(async (folder, said) => {
      for (const uid of [0, 2, 5, 8]) said.push(await outcome(folder.uidsAfter(uid)));
      said.push(await outcome(folder.list([2, 7])), await outcome(folder.list([2, 5])));
      said.push(await outcome(fetchAll(folder, [5, 9])), await outcome(fetchAll(folder, [2, 5])));
      said.push(await outcome(folder.markRead([2, 5])), await outcome(folder.delete([2])));
      said.push(await outcome(folder.move([2, 5], 'old/2025')), await outcome(folder.move([2], 'old/2025')));
      said.push(await outcome(folder.move([2], 'New/2026')), await outcome(folder.move([2], 'New/2026')));
      said.push(await outcome(folder.move([2], 'inbox')));
    });
    expect(listed(sinceOpen(lines))).toMatchSnapshot();
  });

  test('mails that are sent twice, without their text, or with a date that is none', async () => {
    const answers: Answers = (line) =>
      line.startsWith('UID FETCH')
        ? `${fetched(2, 'a')}${fetched(2, 'b')}* 5 FETCH (UID 5 FLAGS (\\Seen))\r\n${fetched(6, 'c', 'no date')}TAG OK done\r\n`
        : 'usual';
    const lines = await conversation(
      async (folder, said) => {
        said.push(await outcome(fetchAll(folder, [2, 5, 6])), await outcome(folder.list([5])));
      },
      { answers },
    );
    expect(listed(sinceOpen(lines))).toMatchSnapshot();
  });

  test.each(['NO [CANNOT] never', 'BAD what', undefined] as const)(
    'that the server answers with %s',
    async (refusal) => {
      const commands = /^(?:UID|CREATE)/;
      const answers: Answers = (line) => (commands.test(line) ? refusal && `TAG ${refusal}\r\n` : 'usual');
      const lines: string[] = [];
      const works: readonly ((folder: ImapFolder) => Promise<unknown>)[] = [
        ...[(one: ImapFolder) => one.uidsAfter(0), (one: ImapFolder) => one.list([1])],
        ...[(one: ImapFolder) => fetchAll(one, [1]), (one: ImapFolder) => one.markRead([1])],
        ...[(one: ImapFolder) => one.move([1], 'Old'), (one: ImapFolder) => one.move([1], 'New')],
        (one: ImapFolder) => one.delete([1]),
      ];
      for (const work of works) {
        const said = await conversation(async (folder, into) => void into.push(await outcome(work(folder))), {
          answers,
        });
        lines.push(...sinceOpen(said).filter((line) => line !== 'LOGOUT'));
      }
      expect(listed(lines)).toMatchSnapshot();
    },
  );

  test.each([MAX_MAIL, MAX_MAIL + 1])('a mail of %d bytes, of which 1000 are allowed', async (length) => {
    const answers: Answers = (line) =>
      line.startsWith('UID FETCH') ? `${fetched(2, 'x'.repeat(length))}TAG OK done\r\n` : 'usual';
    const lines = await conversation(
      async (folder, said) => {
        said.push(await outcome(all(folder.fetch([2])).then(([mail]) => mail?.content.length)));
      },
      { answers },
    );
    expect(sinceOpen(lines)[1]).toMatchSnapshot();
  });
});

describe('refusals', () => {
  test.each([
    ...[
      'NO no',
      'NO [AUTHENTICATIONFAILED] wrong',
      'NO [UNAVAILABLE] later',
      'NO [LIMIT] many',
      'NO [INUSE] busy',
    ],
    ...['NO [OVERQUOTA] full', 'NO secret word', 'NO you sent: a token', 'BAD syntax', undefined],
  ] as const)('of a sign-in, and of a folder: %s', async (refusal) => {
    const lines: string[] = [];
    for (const at of [/^(?:AUTHENTICATE|LOGIN)/, /^LIST/, /^SELECT/]) {
      const answers: Answers = (line) => (at.test(line) ? refusal && `TAG ${refusal}\r\n` : 'usual');
      lines.push((await conversation(async () => {}, { answers })).at(-1) ?? '');
    }
    const token = { ...account, credential: { kind: 'token', value: 'a token' } } as const;
    const answers: Answers = (line) => (/^AUTH/.test(line) ? refusal && `TAG ${refusal}\r\n` : 'usual');
    lines.push((await conversation(async () => {}, { as: token, answers })).at(-1) ?? '');
    expect(listed(lines)).toMatchSnapshot();
  });
});

describe('a folder in batches', () => {
  const MEGABYTE = 1024 * 1024;
  /** A folder whose mails have these sizes, by their UID minus one; undefined for one that is gone. */
  const folderWith = (sizes: readonly (number | undefined)[], lines: string[] = []): ImapFolder => {
    const mails = sizes.map(
      (size, n): ImapMail => ({ uid: n + 1, size: size ?? 0, receivedAt: new Date(n) }),
    );
    const told = (name: string) => async (uids: readonly number[], to?: string) =>
      void lines.push([name, ...uids, to].join(' '));
    return {
      ...{ path: 'INBOX', uidValidity: '7', messages: sizes.length },
      uidsAfter: async (after) => mails.flatMap(({ uid }) => (uid > after ? [uid] : [])),
      list: async (uids) => mails.filter(({ uid }) => uids.includes(uid) && sizes[uid - 1] !== undefined),
      async *fetch(uids) {
        for (const uid of uids)
          yield { uid, size: 1, receivedAt: new Date(0), content: Buffer.from(`${uid}`) };
      },
      ...{
        markRead: told('read'),
        move: told('move'),
        delete: told('delete'),
        close: () => told('close')([]),
      },
    };
  };
  const line = ({ mails, position, remaining }: Batch) =>
    `${mails[0]?.id ?? 'none'}-${mails.at(-1)?.id ?? 'none'} (${mails.length}), ${JSON.stringify(position)}, ${remaining} left`;
  const same = (count: number, size: number) => Array.from({ length: count }, () => size);

  test.each<[string, readonly (number | undefined)[], Position | null]>([
    ['no mails', [], null],
    ['one mail', [1], null],
    ['200 mails', same(200, 1), null],
    ['201 mails', same(201, 1), null],
    ['mails of 8 MB together', [4 * MEGABYTE, 4 * MEGABYTE, 1], null],
    ['mails of more than 8 MB together', [4 * MEGABYTE, 4 * MEGABYTE + 1, 1], null],
    ['mails of 8 MB together after others', [5 * MEGABYTE, 4 * MEGABYTE, 4 * MEGABYTE, 1], null],
    ['a mail of more than 8 MB', [9 * MEGABYTE, 1], null],
    ['mails that are gone or too large', [undefined, 1, 10 * MEGABYTE, 10 * MEGABYTE + 1, undefined], null],
    ['only mails that are gone', [undefined, undefined], null],
    ['mails after a position', [1, 1, 1], { uidValidity: '7', uid: 2 }],
    ['mails after a position of another time', [1, 1, 1], { uidValidity: '8', uid: 2 }],
    ['mails after a position of another provider', [1, 1, 1], { label: 'a', historyId: '1' }],
  ])('of %s', async (_title, sizes, from) => {
    const batches = await all(imapFolder(folderWith(sizes), 10 * MEGABYTE).batches(from));
    expect(listed(batches.map(line))).toMatchSnapshot();
  });

  test('that are fetched and acknowledged by their UIDs', async () => {
    const lines: string[] = [];
    const folder = imapFolder(folderWith([1, 1], lines), 10);
    expect([folder.messages, await all(folder.fetch([{ id: '2' }]))]).toEqual([
      ...[2, [{ id: '2', content: Buffer.from('2'), receivedAt: new Date(0) }]],
    ]);
    await folder.markRead([{ id: '1' }, { id: '2' }]);
    await folder.move([{ id: '1' }], 'Old');
    await folder.delete([{ id: '2' }]);
    await folder.close();
    expect(lines).toEqual(['read 1 2 ', 'move 1 Old', 'delete 2 ', 'close ']);
  });
});
