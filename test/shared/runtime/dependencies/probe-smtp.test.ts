import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { environmentSchema, readEnvironment } from '../../../../shared/runtime/config/config.ts';
import { createCheckContext } from '../../../../shared/runtime/dependencies/check-context.ts';

test('with PROBE_SMTP off, mail servers are not dialled and are reported as not probed', async () => {
  let dialled = 0;
  const server = createServer(() => {
    dialled++;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const environment = {
    PROBE_SMTP: 'off',
    PRIVATE_ADDRESSES: 'allow',
    DNS_SERVERS: '127.0.0.1',
    DIAL_MAP: `mx.example.org:25=127.0.0.1:${port}`,
  };
  const { network } = createCheckContext(readEnvironment(environmentSchema, environment));
  const request = { hostname: 'mx.example.org', address: '127.0.0.1', timeoutMilliseconds: 15_000 };
  expect(await network.smtp.probe(request)).toMatchObject({
    status: 'unavailable',
    reason: 'not-dialled',
    evidence: { hostname: 'mx.example.org', address: '127.0.0.1', milliseconds: 0 },
  });
  server.close();
  expect(dialled).toBe(0);
});
