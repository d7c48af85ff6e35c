/**
 * One client must not block the others. With real sockets, every address in 127.0.0.0/8 counts as a separate client
 * here.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ReceivedMail } from '../../../../../lib/local/host/smtp/deliver.ts';
import { type SmtpListener, startSmtpListener } from '../../../../../lib/local/host/smtp/listener.ts';
import { type SessionLimits, sessionLimits } from '../../../../../lib/local/host/smtp/sessions.ts';
import { BLOCK } from '../../../../../lib/local/host/smtp/unfinished-message.ts';
import { createLog, type LogFields } from '../../../../../shared/runtime/logging/log.ts';
import { type SmtpClient, sendMail, smtpClient, startMessage } from '../../../../kit/smtp-client.ts';
import { until } from '../../../../kit/until.ts';

const MAILBOX = 'known@reports.test';
const MEGABYTE = 1024 * 1024;
const SMALL = 'Subject: x\r\n\r\ntext';

/** Returns this many octets of text, in lines. */
const lines = (octets: number) => Buffer.alloc(octets, `${'x'.repeat(62)}\r\n`);

let listener: SmtpListener | undefined;
const sockets: Socket[] = [];
const clients: SmtpClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener?.stop();
  listener = undefined;
});

interface Host {
  readonly port: number;
  readonly delivered: ReceivedMail[];
  readonly logged: LogFields[];
}

/** Starts a listener that treats no client as local, unless `isLocal` says otherwise. */
async function listen({
  limits = {},
  isLocal = () => false,
  deliver = async () => undefined,
}: {
  limits?: Partial<SessionLimits>;
  isLocal?: ((address: string) => boolean) | null;
  deliver?: () => Promise<void>;
} = {}): Promise<Host> {
  const delivered: ReceivedMail[] = [];
  const logged: LogFields[] = [];
  listener = await startSmtpListener({
    address: '127.0.0.1',
    port: 0,
    log: createLog('debug', (line) => logged.push(line)),
    limits: { ...sessionLimits, ...limits },
    ...(isLocal === null ? {} : { isLocal }),
    routes: [
      {
        ...{ domain: 'reports.test', hasMailbox: async () => true },
        deliver: async (mail) => {
          await deliver();
          delivered.push(mail);
        },
      },
    ],
  });
  return { port: listener.port, delivered, logged };
}

/** A delivery that takes until its end is told. */
function stored() {
  const [begin, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const deliver = () => {
    begin.resolve();
    return end.promise;
  };
  return { deliver, began: begin.promise, end: () => end.resolve() };
}

async function starts(port: number, localAddress: string): Promise<SmtpClient> {
  const client = await startMessage(port, MAILBOX, localAddress);
  clients.push(client);
  return client;
}

/** Connects and sends nothing. */
async function halfOpen(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  return socket;
}

const sends = (port: number, localAddress: string, message: string | Uint8Array = SMALL) =>
  sendMail(port, { to: [MAILBOX], message, localAddress });

describe('the memory for messages', () => {
  test('is available to others while one client sends five large messages', async () => {
    const { port } = await listen();
    const large = lines(35 * MEGABYTE);
    const attackers = await Promise.all(Array.from({ length: 5 }, () => starts(port, '127.0.0.2')));
    await Promise.all(attackers.map((attacker) => attacker.part(large)));
    expect(await sends(port, '127.0.0.3')).toMatch(/^250/);
    expect(await sends(port, '127.0.0.3', lines(10 * MEGABYTE))).toMatch(/^250/);
  });

  test('is available to other sessions on this machine too', async () => {
    const limits = { transactions: 8, smallMessage: BLOCK, memory: 8 * BLOCK + 20 * BLOCK };
    const { port } = await listen({ limits, isLocal: null });
    const attackers = await Promise.all(Array.from({ length: 7 }, () => starts(port, '127.0.0.1')));
    await Promise.all(attackers.map((attacker) => attacker.part(lines(10 * BLOCK))));
    expect(await sends(port, '127.0.0.1')).toMatch(/^250/);
    expect(await sends(port, '127.0.0.1', lines(15 * BLOCK))).toMatch(/^250/);
  });

  test('is always available for a small message, and only for that if the shared memory is used up', async () => {
    const limits = { transactions: 3, smallMessage: 2 * BLOCK, memory: 6 * BLOCK };
    const { port, delivered } = await listen({ limits });
    for (const address of ['127.0.0.2', '127.0.0.3']) {
      const other = await starts(port, address);
      await other.part(lines(2 * BLOCK));
    }
    // The client adds a line ending.
    expect(await sends(port, '127.0.0.4', lines(2 * BLOCK - 2))).toMatch(/^250/);
    expect(await sends(port, '127.0.0.4', lines(2 * BLOCK))).toMatch(/^452/);
    expect(delivered.map(({ message }) => message.length > 2 * BLOCK - 2)).toEqual([true]);
  });

  test('is taken from the client that holds the most, which receives a 452', async () => {
    const limits = { transactions: 4, smallMessage: BLOCK, memory: 4 * BLOCK + 8 * BLOCK };
    const { port, delivered } = await listen({ limits });
    const first = await starts(port, '127.0.0.2');
    await first.part(lines(5 * BLOCK));
    const second = await starts(port, '127.0.0.2');
    await second.part(lines(4 * BLOCK));
    expect(await sends(port, '127.0.0.3', lines(5 * BLOCK - 2))).toMatch(/^250/);
    expect(await first.content('')).toMatch(/^452/);
    expect(await second.content('')).toMatch(/^250/);
    expect(delivered.map(({ message }) => Math.floor(message.length / BLOCK))).toEqual([5, 4]);
  });

  test('is never taken from a message that is being stored', async () => {
    const limits = { transactions: 2, smallMessage: BLOCK, memory: 2 * BLOCK + 4 * BLOCK };
    const storing = stored();
    const { port, delivered } = await listen({ limits, deliver: storing.deliver });
    const complete = sends(port, '127.0.0.2', lines(5 * BLOCK - 2));
    await storing.began;
    const other = await starts(port, '127.0.0.3');
    expect(await other.content(lines(2 * BLOCK))).toMatch(/^452/);
    storing.end();
    expect(await complete).toMatch(/^250/);
    expect(await sends(port, '127.0.0.3', lines(5 * BLOCK - 2))).toMatch(/^250/);
    expect(delivered).toHaveLength(2);
  });
});

describe('the places for sessions', () => {
  test('are not used up by twelve clients with five sessions each', async () => {
    const { port, delivered } = await listen();
    const attackers = Array.from({ length: 12 }, (_, at) => `127.0.1.${at + 1}`);
    await Promise.all(attackers.flatMap((from) => Array.from({ length: 5 }, () => starts(port, from))));
    for (const address of ['127.0.2.1', '127.0.2.2']) expect(await sends(port, address)).toMatch(/^250/);
    expect(delivered).toHaveLength(2);
  });

  test('go to new clients if they are used up and other clients have several', async () => {
    const limits = { waiting: 10, transactions: 10 };
    const { port } = await listen({ limits });
    // Together with the two later ones, there are as many clients as places.
    const crowd = Array.from({ length: 8 }, (_, at) => `127.0.1.${at + 1}`);
    for (const from of [...crowd, ...crowd]) await halfOpen(port, from);
    const only = await starts(port, '127.0.2.1');
    const busy = [];
    for (const from of [...crowd, ...crowd]) busy.push(await starts(port, from));
    expect(await sends(port, '127.0.2.2')).toMatch(/^250/);
    expect(await only.content(SMALL)).toMatch(/^250/);
    // A client whose session was closed is asked to retry.
    expect(await busy[0]?.ended()).toMatch(/^421 4\.3\.2 /);
  });

  test('are not used up by 200 idle connections from this machine', async () => {
    const { port } = await listen({ isLocal: null });
    const slow = await starts(port, '127.0.0.1');
    await slow.part('Subject: begun before\r\n\r\n');
    for (let at = 0; at < 200; at++) await halfOpen(port, '127.0.0.1');
    expect(await sends(port, '127.0.0.1')).toMatch(/^250/);
    expect(await sends(port, '127.0.0.2')).toMatch(/^250/);
    // Idle connections never cost another client its message.
    expect(await slow.content('text')).toMatch(/^250/);
  });

  test('are not used up by 200 incomplete messages from this machine', async () => {
    const { port } = await listen({ isLocal: null });
    for (let at = 0; at < 10; at++) {
      await Promise.all(Array.from({ length: 20 }, () => starts(port, '127.0.0.1')));
    }
    expect(await sends(port, '127.0.0.1')).toMatch(/^250/);
    expect(await sends(port, '127.0.0.2')).toMatch(/^250/);
  });

  test('suffice for 1,000 messages on 20 connections from this machine, beside 200 idle ones', async () => {
    const { port, delivered } = await listen({ isLocal: null });
    for (let at = 0; at < 200; at++) await halfOpen(port, '127.0.0.1');
    const replies = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const client = await smtpClient(port);
        clients.push(client);
        const said = [];
        for (let mail = 0; mail < 50; mail++) {
          for (const command of ['MAIL FROM:<a@reporter.test>', `RCPT TO:<${MAILBOX}>`, 'DATA']) {
            await client.say(command);
          }
          said.push(await client.content(SMALL));
        }
        return said;
      }),
    );
    expect(replies.flat().filter((reply) => !reply.startsWith('250'))).toEqual([]);
    expect(delivered).toHaveLength(1000);
  });

  test('are denied, not taken away, while all sessions store messages', async () => {
    const storing = stored();
    const limits = { transactions: 1, memory: MEGABYTE };
    const { port, delivered } = await listen({ limits, deliver: storing.deliver });
    const first = sends(port, '127.0.0.2');
    await storing.began;
    expect(await sends(port, '127.0.0.3')).toMatch(/^452/);
    storing.end();
    expect(await first).toMatch(/^250/);
    expect(await sends(port, '127.0.0.3')).toMatch(/^250/);
    expect(delivered).toHaveLength(2);
  });
});

describe('a session ends', () => {
  test('if the client is idle during DATA', async () => {
    const { port, delivered } = await listen({ limits: { idleMilliseconds: 300 } });
    const client = await starts(port, '127.0.0.2');
    await client.part('Subject: x\r\n\r\nhalf');
    expect(await client.ended()).toMatch(/^421 4\.4\.2 /);
    expect(delivered).toEqual([]);
  });

  test('if the content of a message arrives too slowly', async () => {
    const { port, delivered } = await listen({ limits: { pace: { milliseconds: 1000, octets: 1000 } } });
    const client = await starts(port, '127.0.0.2');
    const trickle = setInterval(() => void client.part('x\r\n'), 20);
    try {
      expect(await client.ended()).toMatch(/^421 4\.4\.2 /);
    } finally {
      clearInterval(trickle);
    }
    expect(delivered).toEqual([]);
  });

  test('if the client sends no MAIL command, even if it sends others', async () => {
    const { port } = await listen({ limits: { waitMilliseconds: 4000, commands: Number.POSITIVE_INFINITY } });
    const sender = await smtpClient(port, '127.0.0.2');
    clients.push(sender);
    await sender.say('MAIL FROM:<a@reporter.test>');
    const talker = await smtpClient(port, '127.0.0.3');
    clients.push(talker);
    let reply = '250';
    while (reply.startsWith('250')) reply = await talker.say('RSET');
    expect(reply).toMatch(/^421 4\.4\.2 /);
    expect(await sender.say(`RCPT TO:<${MAILBOX}>`)).toMatch(/^250/);
  });
});

describe('a client that disconnects during DATA', () => {
  test.each(['closes', 'resets'])('and %s causes no error, and its message is discarded', async (how) => {
    const limits = { transactions: 1, smallMessage: BLOCK, memory: 5 * BLOCK };
    const { port, delivered, logged } = await listen({ limits });
    for (let times = 0; times < 3; times++) {
      const socket = await halfOpen(port, '127.0.0.2');
      const commands = ['EHLO a', 'MAIL FROM:<a@reporter.test>', `RCPT TO:<${MAILBOX}>`, 'DATA'];
      let heard = '';
      socket.on('data', (chunk) => {
        heard += chunk.toString('latin1');
      });
      await until(() => heard.startsWith('220'));
      socket.write(`${commands.join('\r\n')}\r\n`);
      await until(() => heard.includes('354'));
      await new Promise<void>((resolve) => socket.write(lines(4 * BLOCK), () => resolve()));
      if (how === 'resets') socket.resetAndDestroy();
      else socket.destroy();
      await until(() => logged.filter(({ message }) => message !== 'smtp connection failed').length > times);
    }
    expect(logged.filter(({ level }) => level !== 'debug')).toEqual([]);
    expect(delivered).toEqual([]);
    expect(await sends(port, '127.0.0.3', lines(5 * BLOCK - 2))).toMatch(/^250/);
    expect(delivered).toHaveLength(1);
  });
});
