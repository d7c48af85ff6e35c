import { afterEach, describe, expect, test } from '@jest/globals';
import {
  publishEndpoint,
  webhooksEndpoint,
} from '../../../../lib/local/example-internet/publish-endpoint.ts';

const record = { name: '_svc.good.test', type: 'TXT', value: 'x' };
const body = Buffer.from(JSON.stringify(record));

let published: object[] = [];
afterEach(() => {
  published = [];
});

const endpoint = publishEndpoint(
  {
    publish: (one) => void published.push(one),
    replaceText: (one) => void published.push(one),
    withdraw: (one) => published.push(one) > 0,
  },
  () => 'http://monitor.test:3000',
);

/** Returns the status of a request of this machine. */
async function attempt(method: string, origin?: string): Promise<number> {
  return (await endpoint({ method, body, isLocal: true, origin })).status;
}

describe('the publish endpoint', () => {
  test('accepts records from this machine', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) expect(await attempt(method)).toBe(200);
    expect(published).toEqual([record, record, record]);
  });

  test.each(['POST', 'PUT', 'DELETE', 'GET'])('rejects %s from elsewhere', async (method) => {
    const answer = await endpoint({ method, body, isLocal: false, origin: undefined });
    expect(answer).toEqual({
      status: 403,
      body: { message: 'You can publish records only from this machine, and not through a proxy.' },
    });
    expect(published).toEqual([]);
  });

  test('accepts records from pages of the service, but not of other sites', async () => {
    const others = ['http://other.test', 'http://monitor.test', 'https://monitor.test:3000', 'null', ''];
    for (const origin of others) expect([origin, await attempt('POST', origin)]).toEqual([origin, 403]);
    expect(published).toEqual([]);
    expect(await attempt('POST', 'http://monitor.test:3000')).toBe(200);
  });
});

describe('a record that cannot be published', () => {
  test.each([
    [{ ...record, type: 'A' }, 'type must be TXT'],
    [{ type: 'TXT', value: 'x' }, 'name must be a string'],
    [{ ...record, value: 7 }, 'value must be a string'],
    [[], 'the body must be a JSON object'],
  ])('%j is refused with what it takes', async (given, problem) => {
    const answer = await endpoint({
      ...{ method: 'PUT', body: Buffer.from(JSON.stringify(given)), isLocal: true, origin: undefined },
    });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(problem) } });
    expect(published).toEqual([]);
  });
});

test('what webhooks sent is shown to programs on this machine only', async () => {
  const webhooks = [{ at: '2026-01-01T00:00:00.000Z', url: 'https://hooks.test/', headers: {}, body: '{}' }];
  const read = webhooksEndpoint({ webhooks });
  const request = { method: 'GET', body: Buffer.alloc(0), isLocal: true, origin: undefined };
  expect(await read(request)).toEqual({ status: 200, body: { received: webhooks } });
  expect((await read({ ...request, isLocal: false })).status).toBe(403);
  expect((await read({ ...request, origin: 'http://other.test' })).status).toBe(403);
  expect((await read({ ...request, method: 'POST' })).status).toBe(405);
});
