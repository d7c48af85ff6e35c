import { createServer } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createDialer } from '../../../shared/network/dialer.ts';
import type { WebRequest } from '../../../shared/network/ports.ts';
import { createWeb } from '../../../shared/network/web.ts';
import { createAuthority, expired, selfSigned } from '../../kit/certificates.ts';
import { type HttpsHost, type Page, startHttpsHost } from '../../kit/https-host.ts';
import { atEnd, use } from '../../kit/use.ts';
import { zone } from '../../kit/zone.ts';

const authority = createAuthority();
const certificate = authority.issue(['web.test', '*.wild.test']);

const names = {
  'private.test': { A: ['10.0.0.1'] },
  'metadata.test': { A: ['169.254.169.254'], AAAA: ['::ffff:169.254.169.254'] },
  'nowhere.test': {},
  'broken.test': 'SERVFAIL',
} as const;

function webTo(port: number, hosts = ['web.test', 'a.wild.test', 'a.b.wild.test', 'other.test']) {
  const dialMap = new Map(hosts.map((host) => [`${host}:443`, { address: '127.0.0.1', port }]));
  const dialer = createDialer({ dns: zone(names), privateAddresses: 'deny', dialMap });
  return createWeb({ dialer, extraCa: authority.cert });
}

async function get(
  pages: Readonly<Record<string, Page>>,
  request: Partial<WebRequest> = {},
  shown: { cert: string; key: string } = certificate,
  tls: TlsOptions = {},
) {
  const host = await use(startHttpsHost(shown, pages, tls));
  const answer = await webTo(host.port).get({
    url: 'https://web.test/',
    maxBytes: 1000,
    timeoutMilliseconds: 10_000,
    ...request,
  });
  return { answer, host };
}

const text = (answer: { status: string; body?: Uint8Array }) => Buffer.from(answer.body ?? []).toString();

describe('an HTTPS GET', () => {
  test('returns status, headers, body, certificate and evidence', async () => {
    const { answer, host } = await get(
      { '/a?b=c': { headers: { 'Content-Type': 'text/plain', 'X-Two': 'one' }, body: 'hello' } },
      { url: 'https://web.test/a?b=c#d' },
    );
    expect(answer).toMatchObject({
      status: 'found',
      httpStatus: 200,
      headers: { 'content-type': 'text/plain', 'x-two': 'one' },
      certificate: { trusted: true, matchesName: true },
      evidence: { url: 'https://web.test/a?b=c#d', address: '127.0.0.1' },
    });
    expect(text(answer)).toBe('hello');
    expect(host.requests).toEqual(['GET /a?b=c']);
    expect(host.headers()).toMatchObject({ host: 'web.test', 'accept-encoding': 'identity' });
    expect(host.headers()).not.toHaveProperty('authorization');
  });

  test.each([204, 301, 404, 500])('accepts status %d', async (status) => {
    expect((await get({ '/': { status } })).answer).toMatchObject({ status: 'found', httpStatus: status });
  });

  test('keeps a compressed body compressed', async () => {
    const body = gzipSync('x'.repeat(100_000));
    const { answer } = await get({ '/': { headers: { 'content-encoding': 'gzip' }, body } });
    expect(answer.status === 'found' && Buffer.from(answer.body)).toEqual(body);
  });

  test('accepts a wildcard certificate for one label', async () => {
    expect((await get({ '/': {} }, { url: 'https://a.wild.test/' })).answer).toMatchObject({
      status: 'found',
    });
    expect((await get({ '/': {} }, { url: 'https://a.b.wild.test/' })).answer).toMatchObject({
      status: 'rejected',
      reason: 'certificate',
    });
  });
});

describe('limits', () => {
  test('a body of exactly the limit is accepted', async () => {
    expect((await get({ '/': { body: 'x'.repeat(1000) } })).answer).toMatchObject({ status: 'found' });
  });

  const endless: Page = (_request, response) => {
    const timer = setInterval(() => response.write('x'.repeat(100)), 1);
    response.on('close', () => clearInterval(timer));
  };
  test.each<[string, Page]>([
    ['that announces its size', { body: 'x'.repeat(1001) }],
    ['that never ends', endless],
  ])('a body %s is too large', async (_title, page) => {
    expect((await get({ '/': page })).answer).toMatchObject({ status: 'rejected', reason: 'too-large' });
  });

  test.each<[string, Page]>([
    ['sends nothing', () => undefined],
    [
      'stops midway',
      (_request, response) => void response.writeHead(200, { 'content-length': '10' }).write('x'),
    ],
  ])('a server that %s times out', async (_title, page) => {
    const started = performance.now();
    const { answer } = await get({ '/': page }, { timeoutMilliseconds: 200 });
    expect(answer).toMatchObject({ status: 'unavailable', reason: 'timeout' });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('endless headers are rejected', async () => {
    const page: Page = (_request, response) =>
      void response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end();
    expect((await get({ '/': page })).answer).toMatchObject({ status: 'unavailable', reason: 'malformed' });
  });

  test('a connection that closes within the body is a failure', async () => {
    const page: Page = (_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x');
      setTimeout(() => response.destroy(), 20);
    };
    expect((await get({ '/': page })).answer).toMatchObject({ status: 'unavailable', reason: 'connection' });
  });
});

describe('certificates and TLS', () => {
  test.each([
    [
      'expired',
      authority.issue(['web.test'], expired),
      { trusted: false, untrustedReason: 'CERT_HAS_EXPIRED' },
    ],
    ['for another name', authority.issue(['other.example']), { trusted: true, matchesName: false }],
    [
      'that is self-signed',
      selfSigned(['web.test']),
      { trusted: false, untrustedReason: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    ],
    ['of an unknown authority', createAuthority('Unknown').issue(['web.test']), { trusted: false }],
  ])(
    'a certificate %s is rejected with its details, and no request is sent',
    async (_title, shown, facts) => {
      const { answer, host } = await get({ '/': { body: 'x' } }, {}, shown);
      expect(answer).toMatchObject({ status: 'rejected', reason: 'certificate', certificate: facts });
      expect(host.requests).toEqual([]);
    },
  );

  test('a server without an accepted TLS version is rejected', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect((await get({}, {}, certificate, old)).answer).toMatchObject({ status: 'rejected', reason: 'tls' });
  });

  test('a server without TLS is rejected', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
    expect(
      await webTo(port).get({ url: 'https://web.test/', maxBytes: 10, timeoutMilliseconds: 10_000 }),
    ).toMatchObject({ status: 'rejected', reason: 'tls' });
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('the target', () => {
  const fetchUrl = (url: string) => webTo(1, []).get({ url, maxBytes: 10, timeoutMilliseconds: 10_000 });
  test.each([
    ['http', 'http://web.test/', 'invalid-url'],
    ['another scheme', 'file:///etc/passwd', 'invalid-url'],
    ['credentials', 'https://user:secret@web.test/', 'invalid-url'],
    ['a text that is not a URL', 'web.test', 'invalid-url'],
    ['a URL of 2,049 characters', `https://web.test/${'x'.repeat(2032)}`, 'invalid-url'],
    ['loopback', 'https://127.0.0.1/', 'address-not-public'],
    ['loopback in octal', 'https://0177.0.0.1/', 'address-not-public'],
    ['loopback as a single number', 'https://2130706433/', 'address-not-public'],
    ['IPv6 loopback', 'https://[::1]/', 'address-not-public'],
    ['an IPv4-mapped address', 'https://[::ffff:169.254.169.254]/', 'address-not-public'],
    ['a name with a private address', 'https://private.test/', 'address-not-public'],
    ['a name with the address of a metadata service', 'https://metadata.test:8443/', 'address-not-public'],
  ])('%s is rejected', async (_title, url, reason) => {
    const answer = await fetchUrl(url);
    expect(answer).toMatchObject({ status: 'rejected', reason });
    // Nothing was connected to.
    expect(answer.evidence).not.toHaveProperty('address');
  });

  test('without an address is absent, and with a failed lookup unavailable', async () => {
    const longest = `https://nowhere.test/${'x'.repeat(2027)}`;
    expect(await fetchUrl(longest)).toMatchObject({ status: 'absent', reason: 'no-address' });
    expect(await fetchUrl('https://broken.test/')).toMatchObject({
      status: 'unavailable',
      reason: 'name-resolution',
    });
  });

  test('with another port is rejected if only port 443 is allowed', async () => {
    const request = { maxBytes: 10, timeoutMilliseconds: 10_000, onlyPort443: true };
    expect(await webTo(1, []).get({ ...request, url: 'https://nowhere.test:22/' })).toMatchObject({
      ...{ status: 'rejected', reason: 'invalid-url', detail: 'not port 443' },
    });
    expect(await webTo(1, []).get({ ...request, url: 'https://nowhere.test:443/' })).toMatchObject({
      status: 'absent',
    });
    expect(await fetchUrl('https://nowhere.test:22/')).toMatchObject({ status: 'absent' });
  });

  test('with a closed port is unavailable', async () => {
    const answer = await webTo(1).get({
      url: 'https://web.test/',
      maxBytes: 10,
      timeoutMilliseconds: 10_000,
    });
    expect(answer).toMatchObject({ status: 'unavailable', reason: 'connection', detail: 'ECONNREFUSED' });
  });
});

describe('redirects', () => {
  const to = (location: string): Page => ({ status: 302, headers: { location } });
  test('are not followed by default', async () => {
    const { answer, host } = await get({ '/': to('/b'), '/b': { body: 'b' } });
    expect(answer).toMatchObject({ status: 'found', httpStatus: 302 });
    expect(host.requests).toHaveLength(1);
  });

  test.each<[string, Page, string]>([
    ['to another path is followed', to('/b'), 'found 200 https://web.test/b'],
    ['to another host is followed', to('https://a.wild.test/b'), 'found 200 https://a.wild.test/b'],
    ['to http is refused', to('http://web.test/b'), 'rejected invalid-url'],
    ['to a private address is refused', to('https://private.test/'), 'rejected address-not-public'],
    [
      'to a private address in the URL is refused',
      to('https://169.254.169.254/latest/meta-data'),
      'rejected address-not-public',
    ],
    ['to a host with an invalid certificate is refused', to('https://other.test/'), 'rejected certificate'],
    [
      'to another port is refused if only port 443 is allowed',
      to('https://web.test:22/'),
      'rejected invalid-url not port 443',
    ],
    ['in a loop ends', to('/'), 'rejected redirect'],
    ['without a target is returned', { status: 302 }, 'found 302 https://web.test/'],
    ['to an invalid URL is refused', to('https://'), 'rejected invalid-url'],
  ])('a redirect %s', async (_title, page, expected) => {
    const request = { redirects: 2, onlyPort443: true };
    const { answer } = await get({ '/': page, '/b': {} }, request);
    const why = answer.status === 'found' ? `${answer.httpStatus} ${answer.evidence.url}` : answer.reason;
    const detail = expected.includes('not port') ? ` ${Object(answer).detail}` : '';
    expect(`${answer.status} ${why}${detail}`).toBe(expected);
  });

  test.each([
    [1, 2],
    [9, 10],
    [10, 11],
    [11, 11],
  ])('that may be %d are so many requests in a loop: %d', async (redirects, requests) => {
    const { answer, host } = await get({ '/': to('/') }, { redirects });
    expect([answer.status, host.requests.length]).toEqual(['rejected', requests]);
  });
});

describe('limits of the caller', () => {
  test('count each request, a redirect included', async () => {
    const pages = { '/': { status: 302, headers: { location: '/b' } }, '/b': { body: 'b' } };
    const left = [true, false];
    const { answer, host } = await get(pages, { redirects: 2, mayRequest: () => left.shift() ?? false });
    expect(answer).toMatchObject({ status: 'unavailable', reason: 'connection-limit' });
    expect(host.requests).toEqual(['GET /']);
  });

  test('apply to each connection', async () => {
    const { answer, host } = await get({ '/': { body: 'a' } }, { mayContact: async () => false });
    expect(answer).toMatchObject({ status: 'unavailable', reason: 'connection-limit' });
    expect(host.requests).toEqual([]);
  });
});

describe('concurrent requests', () => {
  test('do not affect each other', async () => {
    const pages = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`/${i}`, { body: String(i) }]));
    const host: HttpsHost = await startHttpsHost(certificate, pages);
    atEnd(() => host.stop());
    const web = webTo(host.port);
    const answers = await Promise.all(
      Object.keys(pages).map((path) =>
        web.get({ url: `https://web.test${path}`, maxBytes: 10, timeoutMilliseconds: 10_000 }),
      ),
    );
    expect(answers.map(text)).toEqual(Array.from({ length: 30 }, (_, i) => String(i)));
  });
});
