import { once } from 'node:events';
import { createServer } from 'node:net';

/** A TCP port of the loopback address that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const closed = once(server, 'close');
  server.close();
  await closed;
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}
