import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { limitSessions, sessionLimits } from '../../../../lib/local/smtp/sessions.ts';

/** Where the next connection seems to come from. */
let client: string;
let server: Server;
beforeEach(async () => {
  server = createServer((socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: client });
    socket.once('end', () => socket.end()).write('220 ready\r\n');
  });
  limitSessions(server, { ...sessionLimits, perClient: 2 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
});

/** Connects; the end of the session is heard whole. */
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
  ['2001:db8::1', '2001:db8::ffff', '2001:db8:0:1::1'],
])(
  'a client of %s and %s has so many sessions at once, and %s its own',
  async (first, second, other) => {
    const one = await connectFrom(first);
    const two = await connectFrom(second);
    const tooMany = await connectFrom(first);
    expect(await tooMany.heard()).toMatch(/^220 ready\r\n421 4\.7\.0 .*\r\n$/);
    const another = await connectFrom(other);
    one.leave();
    await one.heard();
    // The server may hear of that a little later.
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

test('whoever is on this machine has as many as the listener takes', async () => {
  const sessions = [];
  for (let at = 0; at < 5; at++) sessions.push(await connectFrom('127.0.0.1'));
  for (const session of sessions) {
    session.leave();
    expect(await session.heard()).toBe('220 ready\r\n');
  }
});
