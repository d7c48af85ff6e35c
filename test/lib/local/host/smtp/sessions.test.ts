import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Sessions, sessionLimits } from '../../../../../lib/local/host/smtp/sessions.ts';

/** The apparent address of the next connection. */
let client: string;
let server: Server;
beforeEach(async () => {
  const sessions = new Sessions({ ...sessionLimits, perClient: 2 });
  server = createServer((socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: client });
    socket.once('end', () => socket.end()).write('220 ready\r\n');
    sessions.open(randomUUID(), socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
});

/** Connects, and collects everything until the session ends. */
async function connectFrom(address: string) {
  client = address;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const said = text(socket);
  await once(socket, 'data');
  return { leave: () => socket.end(), heard: () => said };
}

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['2001:db8::1', '2001:db8:0:ffff::ffff', '2001:db8:1::1'],
])(
  'limits the sessions of %s and %s together, and those of %s separately',
  async (first, second, other) => {
    const one = await connectFrom(first);
    const two = await connectFrom(second);
    const tooMany = await connectFrom(first);
    expect(await tooMany.heard()).toMatch(/^220 ready\r\n421 4\.7\.0 .*\r\n$/);
    const another = await connectFrom(other);
    one.leave();
    await one.heard();
    // The server may learn about the end a little later.
    const end = Date.now() + 20_000;
    let heard: string | undefined;
    while (heard === undefined && Date.now() < end) {
      const again = await connectFrom(second);
      again.leave();
      const said = await again.heard();
      if (!said.includes('421')) heard = said;
    }
    expect(heard).toBe('220 ready\r\n');
    for (const left of [two, another]) {
      left.leave();
      expect(await left.heard()).toBe('220 ready\r\n');
    }
  },
  30_000,
);

test('does not limit the sessions of clients on this machine', async () => {
  const sessions = [];
  for (let at = 0; at < 5; at++) sessions.push(await connectFrom('127.0.0.1'));
  for (const session of sessions) {
    session.leave();
    expect(await session.heard()).toBe('220 ready\r\n');
  }
});
