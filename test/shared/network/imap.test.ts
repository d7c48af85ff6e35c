/** Folders on a real Dovecot, and servers that misbehave. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createDialer } from '../../../shared/network/dialer.ts';
import type { FolderProblem, FolderRequest } from '../../../shared/network/folder-port.ts';
import { createImap } from '../../../shared/network/imap.ts';
import type { ImapAccount } from '../../../shared/network/imap-port.ts';
import { createAuthority, expired } from '../../kit/certificates.ts';
import { type Dovecot, missingForDovecot, ownerOf, startDovecot } from '../../kit/dovecot.ts';
import { zone } from '../../kit/zone.ts';

const authority = createAuthority();
const certificate = authority.issue(['imap.test']);
const MAX_MAIL = 100_000;
const PASSWORD = 'päss "wörd" \\ with spaces';

const names = {
  'private.test': { A: ['10.0.0.1'] },
  'nowhere.test': {},
  'broken.test': 'SERVFAIL',
} as const;

/** `imap.test` is on these loopback ports, whatever its own are. */
function imapOn(ports: Readonly<Record<number, number>>) {
  const hosts = ['imap.test', 'other.test'];
  const dialMap = new Map(
    Object.entries(ports).flatMap(([port, to]) =>
      hosts.map((host) => [`${host}:${port}`, { address: '127.0.0.1', port: to }] as const),
    ),
  );
  const dialer = createDialer({ dns: zone(names), privateAddresses: 'deny', dialMap });
  return createImap({ dialer, extraCa: authority.cert, maxMailBytes: MAX_MAIL });
}

const account: ImapAccount = {
  ...{ host: 'imap.test', port: 993, security: 'tls' },
  ...{ user: 'reports', credential: { kind: 'password', value: PASSWORD } },
};

const request = (given: Partial<FolderRequest> = {}): FolderRequest => ({
  ...{ folder: 'INBOX', readOnly: true, removes: false, signal: AbortSignal.timeout(20_000) },
  ...given,
});

async function collected<One>(all: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = [];
  for await (const one of all) found.push(one);
  return found;
}

/** The code of the problem with which an attempt ends, and what it says. */
async function problemOf(attempt: Promise<{ close(): Promise<void> }>): Promise<[string, string]> {
  try {
    await (await attempt).close();
    return ['none', ''];
  } catch (error) {
    const { name, code, detail } = error as FolderProblem;
    expect(name).toBe('FolderProblem');
    return [code, detail];
  }
}

const lacking = missingForDovecot();
const onDovecot = lacking === undefined ? describe : describe.skip;

onDovecot(`a folder on Dovecot${lacking === undefined ? '' : ` (skipped: ${lacking})`}`, () => {
  let dovecot: Dovecot;
  let bare: Dovecot;
  let imap: ReturnType<typeof imapOn>;

  beforeAll(async () => {
    const users = { reports: PASSWORD, folders: PASSWORD };
    dovecot = await startDovecot({ users, certificate });
    bare = await startDovecot({ users, certificate, separator: '.', capability: 'IMAP4rev1 AUTH=PLAIN' });
    imap = imapOn({ 993: dovecot.tlsPort, 143: dovecot.port });
  });
  afterAll(async () => {
    await dovecot?.stop();
    await bare?.stop();
  });

  async function filled(user: string, folder: string, mails: readonly string[], on = dovecot) {
    const owner = await ownerOf(on, user, PASSWORD);
    if (folder !== 'INBOX') await owner.mailboxCreate(folder.split('/'));
    for (const mail of mails) await owner.append(folder, mail, [], new Date('2026-03-01T10:00:00Z'));
    return owner;
  }

  test.each([
    ['from the start', { port: 993, security: 'tls' }],
    ['by STARTTLS', { port: 143, security: 'starttls' }],
  ] as const)('is read with TLS %s, and nothing of it changes', async (_how, where) => {
    const owner = await filled('reports', `Read ${where.security}`, [
      'Subject: one\r\n\r\n1',
      'Subject: two\r\n\r\n2',
    ]);
    const folder = await imap.open({ ...account, ...where }, request({ folder: `Read ${where.security}` }));
    expect(folder.messages).toBe(2);
    const uids = await folder.uidsAfter(0);
    expect(uids).toEqual([1, 2]);
    expect(await folder.uidsAfter(1)).toEqual([2]);
    // A range that ends with `*` contains the last mail in any case.
    expect(await folder.uidsAfter(2)).toEqual([]);
    const receivedAt = new Date('2026-03-01T10:00:00Z');
    expect(await folder.list([...uids, 99])).toEqual([
      { uid: 1, size: 17, receivedAt },
      { uid: 2, size: 17, receivedAt },
    ]);
    const fetched = await collected(folder.fetch([2, 99]));
    expect(fetched.map(({ uid, content }) => [uid, Buffer.from(content).toString()])).toEqual([
      [2, 'Subject: two\r\n\r\n2'],
    ]);
    await folder.close();
    const { path } = await owner.mailboxOpen(`Read ${where.security}`);
    expect(path).toBe(`Read ${where.security}`);
    const flags = await owner.fetchAll('1:*', { flags: true });
    expect(flags.map((one) => [...(one.flags ?? [])].filter((flag) => flag !== '\\Recent'))).toEqual([
      [],
      [],
    ]);
    await owner.logout();
  });

  test('is found by its name in any case and script, with the delimiter of the server or a slash', async () => {
    const names = ['Berichte/Größe', 'Отчёты', '報告', 'DMARC & TLS'];
    for (const [server, ports] of [
      [dovecot, imap],
      [bare, imapOn({ 993: bare.tlsPort })],
    ] as const) {
      const owner = await ownerOf(server, 'folders', PASSWORD);
      for (const name of names) await owner.mailboxCreate(name.split('/'));
      await owner.logout();
      const delimiter = server === bare ? '.' : '/';
      for (const [asked, found] of [
        ['inbox', 'INBOX'],
        ['berichte/GRÖSSE'.replace('SS', 'ß'), `Berichte${delimiter}Größe`],
        [`Berichte${delimiter}gro\u0308ße`, `Berichte${delimiter}Größe`],
        ['отчЁТЫ', 'Отчёты'],
        ['報告', '報告'],
        ['dmarc & tls', 'DMARC & TLS'],
      ] as const) {
        const folder = await ports.open({ ...account, user: 'folders' }, request({ folder: asked }));
        expect([asked, folder.path]).toEqual([asked, found]);
        await folder.close();
      }
    }
    const [code, detail] = await problemOf(
      imap.open({ ...account, user: 'folders' }, request({ folder: 'Nothing' })),
    );
    expect(code).toBe('folder-not-found');
    expect(detail).toContain('there is no folder "Nothing"; there are ');
    expect(detail).toContain('Отчёты');
  });

  test('changes only the mails that are named', async () => {
    const owner = await filled('reports', 'Acknowledged', [
      'a: 1\r\n\r\n',
      'a: 2\r\n\r\n',
      'a: 3\r\n\r\n',
      'a: 4\r\n\r\n',
    ]);
    await owner.mailboxOpen('Acknowledged');
    // Somebody marked this one as deleted, and may want it back.
    await owner.messageFlagsAdd('4', ['\\Deleted'], { uid: true });
    const folder = await imap.open(
      account,
      request({ folder: 'acknowledged', readOnly: false, removes: true }),
    );
    await folder.markRead([1]);
    await folder.move([2, 98], 'Done/2026');
    await folder.delete([3, 99]);
    await folder.close();
    await owner.noop();
    const left = await owner.fetchAll('1:*', { uid: true, flags: true });
    expect(left.map(({ uid, flags }) => [uid, flags?.has('\\Seen'), flags?.has('\\Deleted')])).toEqual([
      [1, true, false],
      [4, false, true],
    ]);
    await owner.mailboxOpen('Done/2026');
    expect((await owner.fetchAll('1:*', { source: true })).map(({ source }) => String(source))).toEqual([
      'a: 2\r\n\r\n',
    ]);
    await owner.logout();
  });

  test('can be emptied by others while it is read, and a folder that the server refuses is named', async () => {
    const owner = await filled('reports', 'Emptied', ['a: 1\r\n\r\n', 'a: 2\r\n\r\n']);
    const folder = await imap.open(account, request({ folder: 'Emptied', readOnly: false, removes: true }));
    const uids = await folder.uidsAfter(0);
    await owner.mailboxOpen('Emptied');
    await owner.messageDelete('1', { uid: true });
    // A session may still see the mail that is gone.
    expect((await collected(folder.fetch(uids))).at(-1)?.uid).toBe(2);
    await folder.move(uids, 'Emptied done');
    const refused = folder.move(uids, 'x'.repeat(300));
    expect(await problemOf(refused.then(() => folder))).toEqual(['cannot-make-folder', expect.any(String)]);
    await folder.close();
    expect((await owner.status('Emptied done', { messages: true })) || {}).toMatchObject({ messages: 1 });
    await owner.logout();
  });

  test('is not opened with a wrong password, nor with TLS where STARTTLS is needed', async () => {
    const codes = async (given: Partial<ImapAccount>) =>
      (await problemOf(imap.open({ ...account, ...given }, request())))[0];
    expect(await codes({ credential: { kind: 'password', value: 'wrong' } })).toBe('sign-in-refused');
    expect(await codes({ port: 143, security: 'tls' })).toBe('tls');
  });
});

describe('a server that misbehaves', () => {
  const running: { server: Server; sockets: Set<Socket> }[] = [];
  afterEach(async () => {
    for (const { server, sockets } of running.splice(0)) {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  /** A server that writes `greeting`, and answers each line. */
  async function serverThat(
    greeting: string | undefined,
    answers: (line: string, tag: string, socket: Socket) => string,
    tls: { cert: string; key: string } | null = certificate,
  ) {
    const sockets = new Set<Socket>();
    const lines: string[] = [];
    const serve = (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      if (greeting !== undefined) socket.write(greeting);
      let rest = '';
      socket.on('data', (data) => {
        const [last = '', ...whole] = `${rest}${data}`.split('\r\n').toReversed();
        rest = last;
        for (const line of whole.toReversed()) {
          lines.push(line);
          const reply = answers(line, line.split(' ', 1)[0] ?? '', socket);
          if (reply !== '') socket.write(reply);
        }
      });
    };
    const server = tls === null ? createServer(serve) : createTlsServer(tls, serve);
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    running.push({ server, sockets });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return { lines, imap: imapOn({ 993: address.port, 143: address.port }) };
  }

  const HELLO = '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] hello\r\n';

  test('gets no password without STARTTLS', async () => {
    const { lines, imap } = await serverThat(
      HELLO,
      (_line, tag) => `* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n`,
      null,
    );
    const [code] = await problemOf(imap.open({ ...account, port: 143, security: 'starttls' }, request()));
    expect(code).toBe('tls');
    expect(lines.some((line) => /LOGIN|AUTHENTICATE/.test(line))).toBe(false);
  });

  test('gets no password with an expired certificate', async () => {
    const { lines, imap } = await serverThat(HELLO, () => '', authority.issue(['imap.test'], expired));
    expect((await problemOf(imap.open(account, request())))[0]).toBe('certificate');
    expect(lines).toEqual([]);
  });

  test('is left when it says nothing', async () => {
    const { imap } = await serverThat(undefined, () => '');
    const [code] = await problemOf(imap.open(account, request({ signal: AbortSignal.timeout(300) })));
    expect(code).toBe('timeout');
  });

  test('is left when its list of folders has no end', async () => {
    const { imap } = await serverThat(HELLO, (line, tag, socket) => {
      if (!line.includes('LIST')) return `${tag} OK\r\n`;
      const folders = Array.from(
        { length: 1000 },
        (_, n) => `* LIST () "/" "${'x'.repeat(500)}${n}"\r\n`,
      ).join('');
      const more = () => {
        if (!socket.destroyed) socket.write(folders, more);
      };
      more();
      return '';
    });
    expect((await problemOf(imap.open(account, request())))[0]).toBe('connection-lost');
  });
});
