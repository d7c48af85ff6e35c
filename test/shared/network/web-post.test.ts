import { describe, expect, test } from '@jest/globals';
import { createDialer } from '../../../shared/network/dialer.ts';
import type { WebPost } from '../../../shared/network/ports.ts';
import { createWeb } from '../../../shared/network/web.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { type Page, startHttpsHost } from '../../kit/https-host.ts';
import { use } from '../../kit/use.ts';
import { zone } from '../../kit/zone.ts';

const authority = createAuthority();
const certificate = authority.issue(['hook.test']);

const names = { 'private.test': { A: ['10.0.0.1'] } } as const;

async function post(page: Page, given: Partial<WebPost> = {}) {
  const host = await use(startHttpsHost(certificate, { '/in': page }));
  const dialMap = new Map([['hook.test:443', { address: host.address, port: host.port }]]);
  const dialer = createDialer({ dns: zone(names), privateAddresses: 'deny', dialMap });
  const request = { url: 'https://hook.test/in', headers: {}, body: '{}', timeoutMilliseconds: 10_000 };
  const answer = await createWeb({ dialer, extraCa: authority.cert }).post({ ...request, ...given });
  return { answer, host };
}

describe('an HTTPS POST', () => {
  test('sends headers and body, and returns the status', async () => {
    let received = '';
    const body = JSON.stringify({ text: 'ünï 💌', long: 'x'.repeat(300_000) });
    const page: Page = async (request, response) => {
      for await (const chunk of request.setEncoding('utf8')) received += chunk;
      response.writeHead(202).end('thanks');
    };
    const { answer, host } = await post(page, {
      headers: { 'Content-Type': 'application/json', 'X-One': '1' },
      body,
    });
    expect(answer).toMatchObject({ status: 'found', httpStatus: 202, body: new Uint8Array() });
    expect(received).toBe(body);
    expect(host.requests).toEqual(['POST /in']);
    expect(host.headers()).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-one': '1',
      host: 'hook.test',
    });
  });

  test('does not follow redirects', async () => {
    const { answer, host } = await post({ status: 307, headers: { location: 'https://hook.test/in' } });
    expect(answer).toMatchObject({ status: 'found', httpStatus: 307 });
    expect(host.requests).toHaveLength(1);
  });

  test('does not wait for the response body', async () => {
    const endless: Page = (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    };
    expect((await post(endless)).answer).toMatchObject({ status: 'found', httpStatus: 200 });
  });

  test.each([
    ['http://hook.test/in', 'invalid-url'],
    ['https://private.test/in', 'address-not-public'],
  ])('to %s is rejected', async (url, reason) => {
    const { answer, host } = await post({}, { url });
    expect(answer).toMatchObject({ status: 'rejected', reason });
    expect(host.requests).toEqual([]);
  });
});
