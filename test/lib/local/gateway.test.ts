import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../../lib/local/gateway/server.ts';
import { createLog, type LogFields } from '../../../shared/runtime/log.ts';

let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

test('a client that hangs up in the middle of its body is no error', async () => {
  const lines: LogFields[] = [];
  gateway = await startGateway({
    routes: [],
    fallback: { name: 'none', invoke: () => Promise.reject(new Error('not reached')) },
    address: '127.0.0.1',
    port: 0,
    log: createLog('debug', (line) => lines.push(line)),
  });
  const socket = connect(gateway.port, '127.0.0.1');
  await once(socket, 'connect');
  await new Promise<void>((resolve) => {
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf', () => resolve());
  });
  socket.destroy();
  const end = Date.now() + 20_000;
  while (lines.length === 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lines).toMatchObject([{ level: 'debug', message: 'request was cut off' }]);
}, 30_000);
