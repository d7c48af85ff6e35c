import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { smtpRelay } from '../../../../../lib/local/stores/outbox/relay.ts';
import { parseRelay, type Relay } from '../../../../../lib/local/stores/outbox/relay-setting.ts';
import type { MessageSender } from '../../../../../lib/local/stores/outbox/send-message.ts';
import { createAuthority, expired } from '../../../../kit/certificates.ts';

const authority = createAuthority();
const certificate = authority.issue(['localhost']);
const [user, password] = ['alerts', 'p@ss/word:%'];
const signIn = { user, password };

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A mail whose lines test the end of DATA and dot-stuffing (RFC 5321 section 4.5.2). */
const content = Buffer.from('Subject: x\r\n\r\nfirst\r\n.\r\n..last\r\n');
const message = (to = 'ops@example.org') => ({
  ...{ id: 'id', composedAt: new Date(), content },
  ...{ from: 'alerts@acme.org', to: [to] },
});

function sending(relay: Relay, limits?: Parameters<typeof smtpRelay>[2]): MessageSender {
  const sender = smtpRelay(relay, authority.cert, limits);
  stops.push(() => sender.stop());
  return sender;
}

describe('SMTP_RELAY', () => {
  test.each<[string, Relay]>([
    [
      'smtps://alerts%40acme.org:p%40ss@relay.acme.org',
      {
        ...{ host: 'relay.acme.org', port: 465, security: 'tls' },
        signIn: { user: 'alerts@acme.org', password: 'p@ss' },
      },
    ],
    ['smtp://relay.acme.org', { host: 'relay.acme.org', port: 587, security: 'starttls', signIn: undefined }],
    ['smtp://[2001:db8::1]:25/', { host: '2001:db8::1', port: 25, security: 'starttls', signIn: undefined }],
  ])('%s', (text, relay) => {
    expect(parseRelay(text)).toEqual(relay);
  });

  test.each([
    'relay.acme.org:465',
    'https://relay.acme.org',
    'smtp://user@relay.acme.org',
    'smtp://relay.acme.org/inbox',
    'smtp://relay.acme.org?tls=no',
    'smtp://user:50%@relay.acme.org',
    'smtp://relay.acme.org:99999',
  ])('%s is rejected, and not quoted', (text) => {
    let problem = '';
    try {
      parseRelay(text);
    } catch (error) {
      problem = (error as Error).message;
    }
    expect(problem).toMatch(/^(?:must|has) /);
    expect(problem).not.toContain(text);
  });
});

/** A server that does this with each connection. @returns Its port. */
async function listening(connected: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    connected(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

interface Server {
  readonly port: number;
  /** Content by recipient. */
  readonly received: ReadonlyMap<string, string>;
  connections(): number;
  readonly isEncrypted: readonly boolean[];
  closeConnections(): void;
}

/** A relay with STARTTLS, or with TLS from the start. */
async function startServer(options: SMTPServerOptions = {}): Promise<Server> {
  const received = new Map<string, string>();
  const isEncrypted: boolean[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = new SMTPServer({
    key: certificate.key,
    cert: certificate.chain,
    authOptional: true,
    disabledCommands: ['AUTH'],
    disableReverseLookup: true,
    onData(stream, { secure, envelope }, reply) {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        isEncrypted.push(secure);
        for (const { address } of envelope.rcptTo) received.set(address, text);
        reply();
      });
    },
    ...options,
  });
  server.server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  stops.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    isEncrypted,
    connections: () => connections,
    closeConnections() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const starttls = (port: number): Relay => ({
  ...{ host: 'localhost', port, security: 'starttls', signIn: undefined },
});

describe('a relay', () => {
  test.each([
    ['STARTTLS', 'starttls', false],
    ['TLS from the start', 'tls', true],
  ] as const)('gets mails over %s, byte for byte', async (_, security, secure) => {
    const server = await startServer({ secure });
    await sending({ ...starttls(server.port), security }).send(message());
    expect(server.received.get('ops@example.org')).toBe(content.toString());
    expect(server.isEncrypted).toEqual([true]);
  });

  test('gets several mails over one connection', async () => {
    const server = await startServer();
    const sender = sending(starttls(server.port));
    for (let n = 0; n < 5; n += 1) await sender.send(message(`${n}@example.org`));
    expect([server.received.size, server.connections()]).toEqual([5, 1]);
  });

  test('gets a mail after it closed the connection', async () => {
    const server = await startServer();
    const sender = sending(starttls(server.port));
    await sender.send(message('1@example.org'));
    server.closeConnections();
    await sleep(100);
    await sender.send(message('2@example.org'));
    expect([server.received.size, server.connections()]).toEqual([2, 2]);
  });

  test.each([
    [451, false, /replied 451 .*greylisted$/],
    [550, true, /replied 550 .*greylisted$/],
    [530, false, /replied 530 .*greylisted$/],
  ])('that replies %d to the recipient', async (responseCode, isPermanent, reason) => {
    const server = await startServer({
      onRcptTo: (_address, _session, reply) =>
        reply(Object.assign(new Error('greylisted'), { responseCode })),
    });
    const failure = sending(starttls(server.port)).send(message());
    await expect(failure).rejects.toMatchObject({ isPermanent, message: expect.stringMatching(reason) });
  });

  test.each([
    [452, false],
    [554, true],
  ])('that replies %d to the content', async (responseCode, isPermanent) => {
    const server = await startServer({
      onData(stream, _session, reply) {
        stream.resume();
        stream.on('end', () => reply(Object.assign(new Error('no'), { responseCode })));
      },
    });
    const failure = sending(starttls(server.port)).send(message());
    await expect(failure).rejects.toMatchObject({ name: 'NotSent', isPermanent });
  });

  test.each<[string, SMTPServerOptions, Relay['signIn']?]>([
    ['without STARTTLS', { hideSTARTTLS: true, disabledCommands: ['AUTH', 'STARTTLS'] }],
    ['with an expired certificate', certificateOf(authority.issue(['localhost'], expired))],
    ['of an unknown authority', certificateOf(createAuthority().issue(['localhost']))],
    ['with the certificate of another name', certificateOf(authority.issue(['relay.acme.org']))],
    ['without AUTH, from a user,', {}, signIn],
  ])('%s gets nothing', async (_, options, ...[given]) => {
    const server = await startServer(options);
    const failure = sending({ ...starttls(server.port), signIn: given }).send(message());
    await expect(failure).rejects.toMatchObject({ name: 'NotSent', isPermanent: false });
    expect(server.received.size).toBe(0);
  });

  // That Postfix does so, test/end-to-end/host/relay.long.test.ts shows.
  test('gets mails of its user, and refuses a wrong password, which can be set right', async () => {
    const server = await startServer({
      ...{ authOptional: false, disabledCommands: [] },
      onAuth: (given, _session, reply) =>
        given.username === user && given.password === password
          ? reply(null, { user })
          : reply(Object.assign(new Error('no'), { responseCode: 535 })),
    });
    await sending({ ...starttls(server.port), signIn }).send(message());
    expect(server.received.size).toBe(1);
    const guess = { ...starttls(server.port), signIn: { user, password: 'guess' } };
    const reason = expect.stringContaining('refuses the user or password');
    await expect(sending(guess).send(message())).rejects.toMatchObject({
      isPermanent: false,
      message: reason,
    });
  });

  test('that nobody runs can be tried again', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const failure = sending(starttls(port)).send(message());
    await expect(failure).rejects.toMatchObject({
      isPermanent: false,
      message: expect.stringContaining('cannot be used'),
    });
  });

  test('that closes every connection fails', async () => {
    let connections = 0;
    const port = await listening((socket) => {
      connections += 1;
      socket.destroy();
    });
    const failure = sending(starttls(port)).send(message());
    await expect(failure).rejects.toMatchObject({ name: 'NotSent', isPermanent: false });
    expect(connections).toBeLessThan(5);
  });

  test.each([
    ['the connection', ''],
    ['its greeting', '220 relay\r\n'],
    ['its reply to EHLO', '220 relay\r\n250-relay\r\n250 STARTTLS\r\n'],
    ['STARTTLS', '220 relay\r\n250-relay\r\n250 STARTTLS\r\n220 go ahead\r\n'],
  ])('that is silent after %s fails in time', async (_, said) => {
    const port = await listening((socket) => socket.write(said));
    const sender = sending(starttls(port), { idleMilliseconds: 300, sendMilliseconds: 60_000 });
    await expect(sender.send(message())).rejects.toMatchObject({ name: 'NotSent', isPermanent: false });
  });

  test('that is silent after the content fails in time, and so do the mails that wait', async () => {
    let isSilent = true;
    const server = await startServer({
      onData(stream, _session, reply) {
        stream.resume();
        stream.on('end', () => {
          if (!isSilent) reply();
        });
      },
    });
    const sender = sending(starttls(server.port), { idleMilliseconds: 60_000, sendMilliseconds: 3_000 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => sender.send(message(`${n}@example.org`))),
    );
    for (const one of outcomes)
      expect(one).toMatchObject({ reason: { name: 'NotSent', isPermanent: false } });
    isSilent = false;
    await sender.send(message());
    server.closeConnections();
  });
});

function certificateOf({ chain, key }: { readonly chain: string; readonly key: string }) {
  return { cert: chain, key };
}
