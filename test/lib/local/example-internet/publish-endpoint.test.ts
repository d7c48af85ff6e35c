import { afterEach, describe, expect, test } from '@jest/globals';
import { publishEndpoint } from '../../../../lib/local/example-internet/publish-endpoint.ts';

const record = { name: '_svc.good.test', type: 'TXT', value: 'x' };
const body = Buffer.from(JSON.stringify(record));

let published: object[] = [];
afterEach(() => {
  published = [];
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
    for (const origin of [
      'http://other.test',
      'http://monitor.test',
      'https://monitor.test:3000',
      'null',
      '',
    ]) {
      expect([origin, await attempt('POST', origin)]).toEqual([origin, 403]);
    }
    expect(published).toEqual([]);
    expect(await attempt('POST', 'http://monitor.test:3000')).toBe(200);
  });
});
