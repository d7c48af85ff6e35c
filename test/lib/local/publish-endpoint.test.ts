import { afterEach, describe, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../../lib/local/gateway/server.ts';
import { publishEndpoint } from '../../../lib/local/publish-endpoint.ts';
import { createLog } from '../../../shared/runtime/logging/log.ts';

const record = { name: '_svc.good.test', type: 'TXT', value: 'x' };
const body = Buffer.from(JSON.stringify(record));

let published: object[] = [];
let gateway: Gateway | undefined;
afterEach(async () => {
  published = [];
  await gateway?.stop();
  gateway = undefined;
});

const endpoint = publishEndpoint(
  {
    publish: (one) => {
      published.push(one);
      return undefined;
    },
    replaceText: (one) => {
      published.push(one);
      return undefined;
    },
    withdraw: (one) => published.push(one) > 0,
  },
  () => 'http://monitor.test:3000',
);

/** Returns the status of a request. */
async function attempt(method: string, client: string, origin?: string): Promise<number> {
  return (await endpoint({ method, body, client, origin })).status;
}

describe('the publish endpoint', () => {
  test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])(
    'accepts records from %s',
    async (client) => {
      for (const method of ['POST', 'PUT', 'DELETE']) expect(await attempt(method, client)).toBe(200);
      expect(published).toEqual([record, record, record]);
    },
  );

  test.each(['192.0.2.7', '10.0.0.1', '::ffff:192.0.2.7', 'fe80::1%eth0', '2001:db8::1', ''])(
    'rejects records from %p',
    async (client) => {
      for (const method of ['POST', 'PUT', 'DELETE', 'GET']) expect(await attempt(method, client)).toBe(403);
      expect(published).toEqual([]);
    },
  );

  test('accepts records from pages of the service, but not of other sites', async () => {
    for (const origin of [
      'http://other.test',
      'http://monitor.test',
      'https://monitor.test:3000',
      'null',
      '',
    ]) {
      expect([origin, await attempt('POST', '127.0.0.1', origin)]).toEqual([origin, 403]);
    }
    expect(published).toEqual([]);
    expect(await attempt('POST', '127.0.0.1', 'http://monitor.test:3000')).toBe(200);
  });
});

test('the gateway passes on the address of the connection, not of a header, and the origin', async () => {
  gateway = await startGateway({
    routes: [],
    fallback: { name: 'none', invoke: async () => ({}) },
    address: '127.0.0.1',
    port: 0,
    log: createLog('silent'),
    local: { '/where': async ({ client, origin }) => ({ status: 200, body: { client, origin } }) },
  });
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/where`, {
    headers: { 'X-Forwarded-For': '192.0.2.7', Forwarded: 'for=192.0.2.7', Origin: 'http://other.test' },
  });
  expect(await answer.json()).toEqual({ client: '127.0.0.1', origin: 'http://other.test' });
});
