import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { createAuthority } from '../../../../lib/local/example-internet/certificate-authority.ts';
import { mailHosts, webHosts } from '../../../../lib/local/example-internet/zone-data.ts';
import { atEnd, useFolder } from '../../../kit/use.ts';
import { has, run, startWorld } from './world.ts';

const world = await startWorld();
const folder = useFolder('example-internet');
const caFile = join(folder, 'ca.pem');
writeFileSync(caFile, world.internet.caPem);

atEnd(() => world.internet.stop());

test('the dial map maps every host to loopback, by name and by the address that it has', async () => {
  const ports = [mailHosts.map((host) => [host, 25] as const), webHosts.map((host) => [host, 443] as const)];
  for (const [{ name, address }, port] of ports.flat()) {
    expect(world.dialled(`${name}:${port}`)).toEqual({ host: '127.0.0.1', port: expect.any(Number) });
    expect(world.dialled(`${address}:${port}`)).toEqual(world.dialled(`${name}:${port}`));
    expect(await world.dns.lookup(name, 'A')).toMatchObject({ records: [address] });
  }
});

describe('certificates', () => {
  const now = new Date();
  const authority = createAuthority(now);
  const ca = new X509Certificate(authority.caPem);
  const leaf = new X509Certificate(authority.issue('mx.example.test').chainPem);

  test('are signed by the authority, which alone is a CA, and valid only for their host', () => {
    expect(leaf.verify(ca.publicKey) && leaf.checkIssued(ca)).toBe(true);
    expect(['mx.example.test', 'example.test'].map((name) => leaf.checkHost(name))).toEqual([
      'mx.example.test',
      undefined,
    ]);
    expect([ca.ca, leaf.ca]).toEqual([true, false]);
  });

  test('are valid now and for 90 days', () => {
    expect(Math.round((leaf.validToDate.getTime() - now.getTime()) / 86_400_000)).toBe(90);
    expect(leaf.validFromDate.getTime()).toBeLessThan(now.getTime());
  });

  test('have unique, positive serial numbers', () => {
    expect(leaf.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(leaf.serialNumber).not.toBe(ca.serialNumber);
  });
});

(has('openssl') ? describe : describe.skip)('openssl trusts', () => {
  const names = mailHosts.filter(({ tls }) => tls).map(({ name }) => name);
  test.each(names)('%s after STARTTLS, and the TLSA record matches (3 1 1)', async (name) => {
    const { host, port } = world.dialled(`${name}:25`);
    const tlsa = await world.dns.lookup(`_25._tcp.${name}`, 'TLSA');
    if (tlsa.status !== 'found') throw new Error(tlsa.status);
    const digest = Buffer.from(tlsa.records[0]?.certificate ?? []).toString('hex');
    const to = ['-starttls', 'smtp', '-connect', `${host}:${port}`, '-servername', name];
    const trust = ['-CAfile', caFile, '-verify_hostname', name, '-x509_strict', '-verify_return_error'];
    const printed = await run('openssl', 's_client', ...to, ...trust, '-showcerts');
    expect(printed).toContain('Verify return code: 0 (ok)');
    const [shown = ''] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(printed) ?? [];
    const spki = new X509Certificate(shown).publicKey.export({ type: 'spki', format: 'der' });
    expect(createHash('sha256').update(spki).digest('hex')).toBe(digest);
  });
});

test('mx.weak.test accepts mail without STARTTLS', async () => {
  const said = ['EHLO a.test', 'MAIL FROM:<>', 'RCPT TO:<postmaster@weak.test>', 'QUIT'];
  const replies = await dialogue('mx.weak.test', said);
  expect(replies).toMatch(/^220 mx\.weak\.test ESMTP/);
  expect(replies).not.toContain('STARTTLS');
  expect(replies.match(/^250 /gm)?.length).toBe(3);
});

test('mx1.good.test offers STARTTLS and accepts a message', async () => {
  const replies = await dialogue('mx1.good.test', [
    'EHLO a.test',
    'MAIL FROM:<>',
    'RCPT TO:<postmaster@good.test>',
    'DATA',
    'Subject: x\r\n\r\ntext\r\n.',
    'QUIT',
  ]);
  expect(replies).toContain('STARTTLS');
  expect(replies).toMatch(/^354 .*\r\n250 .*\r\n221 /m);
});

describe('web sites', () => {
  // What they serve is checked in checks.test.ts.
  test.each([
    ['mta-sts.good.test', '/.well-known/mta-sts.txt', 200, 'text/plain', 'mode: enforce\r\nmx: mx1.good'],
    ['good.test', '/bimi/logo.svg', 200, 'image/svg+xml', 'baseProfile="tiny-ps"'],
    ['good.test', '/.well-known/mta-sts.txt', 404, 'text/plain', 'not found'],
    ['good.test', '/../../etc/passwd', 404, 'text/plain', 'not found'],
    ['good.test', '/constructor', 404, 'text/plain', 'not found'],
  ])('https://%s%s: %i %s', async (name, path, status, type, part) => {
    expect(await fetched(name, path)).toEqual({ status, type, body: expect.stringContaining(part) });
  });

  test('hooks.test keeps what webhooks send, the latest first, and nothing that is too large', async () => {
    expect(await posted('hooks.test', '/in?a=b', 'first')).toBe(204);
    expect(await posted('hooks.test', '/in', 'second')).toBe(204);
    expect(await posted('good.test', '/in', 'elsewhere')).toBe(404);
    const { webhooks } = world.internet;
    expect(webhooks.map(({ url, body }) => [url, body])).toEqual([
      ['https://hooks.test/in', 'second'],
      ['https://hooks.test/in?a=b', 'first'],
    ]);
    expect(webhooks[0]?.headers['x-sent']).toBe('yes');
    await posted('hooks.test', '/in', 'x'.repeat(1_100_000)).catch(() => 413);
    for (let n = 0; n < 25; n += 1) await posted('hooks.test', '/in', String(n));
    expect(webhooks).toHaveLength(20);
    expect(webhooks.some(({ body }) => body.length > 1000)).toBe(false);
  });

  test('a name without a site fails in the TLS handshake', async () => {
    await expect(fetched('nothere.test', '/', world.dialled('good.test:443'))).rejects.toThrow();
  });
});

/** Sends each line after the reply to the previous one, and returns all replies. */
function dialogue(name: string, lines: string[]): Promise<string> {
  const { host, port } = world.dialled(`${name}:25`);
  return new Promise((resolve, reject) => {
    let replies = '';
    const socket = connect(port, host);
    socket.setTimeout(30_000, () => socket.destroy(new Error(`no reply after: ${replies}`)));
    socket.on('data', (chunk) => {
      replies += chunk;
      if (!/^\d{3} .*\r\n$/m.test(String(chunk))) return;
      const line = lines.shift();
      if (line !== undefined) socket.write(`${line}\r\n`);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(replies));
  });
}

async function fetched(
  name: string,
  path: string,
  { method = 'GET', body = '', port = world.dialled(`${name}:443`).port } = {},
) {
  const headers = { host: name, 'x-sent': 'yes' };
  const options = { host: '127.0.0.1', port, path, servername: name, ca: world.internet.caPem, headers };
  // The server closes the connection of a request that is too large, so another one must not get it.
  const sent = request({ ...options, method, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status, headers: received } = response;
  return { status, type: received['content-type'], body: await text(response) };
}

const posted = async (name: string, path: string, body: string) =>
  (await fetched(name, path, { method: 'POST', body })).status;
