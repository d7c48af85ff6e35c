import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect, test } from '@jest/globals';
import { adminInProcess } from '../../kit/admin.ts';
import { createAuthority, expired } from '../../kit/certificates.ts';
import { startDnsServer } from '../../kit/dns-server.ts';
import { freePort } from '../../kit/free-port.ts';
import { runToEnd } from '../../kit/service.ts';
import { smtpClient } from '../../kit/smtp-client.ts';
import { until } from '../../kit/until.ts';
import { use, useFolder } from '../../kit/use.ts';
import { useService } from '../../kit/use-service.ts';

const HOST = 'mx.acme.org';
const authority = createAuthority();
const [first, second] = [authority.issue([HOST]), authority.issue([HOST])];

const write = ({ chain, key }: { readonly chain: string; readonly key: string }) => {
  writeFileSync(join(folder, 'key.pem'), key);
  writeFileSync(join(folder, 'cert.pem'), chain);
};
const files = () => ({
  TLS_CERT_FILE: join(folder, 'cert.pem'),
  TLS_KEY_FILE: join(folder, 'key.pem'),
});

const folder = useFolder('certificates');
writeFileSync(join(folder, 'ca.pem'), authority.cert);
write(first);
const dns = await use(
  startDnsServer({
    'reports.acme.org': { MX: [[10, HOST] as const] },
    [HOST]: { A: ['192.0.2.1'] },
  }),
);
const smtpPort = await freePort();
const httpsPort = await freePort();
const service = await useService({
  ...files(),
  HTTPS_PORT: String(httpsPort),
  SMTP_PORT: String(smtpPort),
  LISTEN_ADDRESS: '0.0.0.0',
  HOST_URL: `https://${HOST}:${httpsPort}`,
  REPORTS_DOMAIN: 'reports.acme.org',
  TESTER_DOMAIN: 'tester.acme.org',
  DNS_SERVERS: `${dns.address}:${dns.port}`,
  DIAL_MAP: `${HOST}:25=127.0.0.1:${smtpPort}`,
  EXTRA_CA_FILE: join(folder, 'ca.pem'),
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly certificate: Buffer;
}

/** A new connection each time. */
const https = (path: string, json?: object, port = httpsPort): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, path, servername: HOST, ca: authority.cert, agent: false },
        method: json === undefined ? 'GET' : 'POST',
        headers: { host: `${HOST}:${httpsPort}`, 'content-type': 'application/json' },
      },
      async (response) => {
        const certificate = (response.socket as TLSSocket).getPeerCertificate().raw;
        const body = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode, body, certificate });
      },
    );
    sent.on('error', reject);
    sent.end(json === undefined ? undefined : JSON.stringify(json));
  });

test('the API answers over HTTPS, and without TLS on this machine only', async () => {
  expect(await https('/healthz')).toMatchObject({ status: 200, certificate: first.der });
  const port = new URL(service.output().match(/HTTPS +(\S+)/)?.[1] ?? '').port;
  expect(port).toBe(String(httpsPort));
  const { code, output } = await adminInProcess(['send-test'], { DATA_DIR: service.dataDir });
  expect([code, output]).toEqual([0, expect.stringMatching(/^sent /)]);
});

test('our own check gives the host full points for mail and TLS', async () => {
  const { status, body } = await https('/api/domain-checker', { domain: 'reports.acme.org' });
  expect([status, body]).toEqual([200, expect.any(String)]);
  const { results, score } = JSON.parse(body);
  expect(results.mx.hosts).toMatchObject([
    { hostname: HOST, tlsSupported: true, tlsVersion: 'TLSv1.3', certificateIssuer: 'Test Authority' },
  ]);
  expect(results.mx.findings).toEqual([]);
  expect(score.components).toContainEqual(
    expect.objectContaining({ component: 'mx', points: 10, maximum: 10 }),
  );
});

test('a new certificate is served without a restart, and a bad one is not', async () => {
  write(authority.issue([HOST], expired));
  const health = async () => JSON.parse((await https('/healthz')).body);
  await until(async () => (await health()).status === 'failing');
  expect((await health()).checks).toContainEqual(
    expect.objectContaining({
      name: 'certificate',
      status: 'failing',
      detail: expect.stringMatching(/expired on/),
    }),
  );
  expect((await https('/healthz')).certificate).toEqual(first.der);
  write(second);
  await until(async () => (await https('/healthz')).certificate.equals(second.der));
  expect((await health()).status).toBe('ok');
  const mail = await (await smtpClient(service.smtpPort)).startTls({ ca: authority.cert, servername: HOST });
  expect(mail.getPeerCertificate().raw).toEqual(second.der);
  mail.destroy();
});

test('the service does not start with an expired certificate, and says so', async () => {
  write(authority.issue([HOST], expired));
  const { code, output } = await runToEnd('start.ts', [], {
    ...files(),
    ...{ PORT: '0', SMTP_PORT: '0', HTTPS_PORT: '0', DATA_DIR: join(folder, 'data') },
  });
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/^Cannot start: TLS_CERT_FILE \S+ expired on \S+\n$/),
  ]);
});
