/** A stop ends the service within seconds, whatever is open; a second signal ends it at once. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startDnsServer } from '../kit/dns-server.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { smtpClient, startMessage } from '../kit/smtp-client.ts';
import { until } from '../kit/until.ts';

let service: BootedService | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.remove();
});

/** Longer than the ten seconds for work in progress, on a busy machine. */
const MOST_MILLISECONDS = 25_000;

async function opened(port: number, sent = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(sent);
  return socket;
}

/** Sends SIGTERM; returns the exit code and how long the end took. */
async function stopped({ end }: BootedService) {
  const start = performance.now();
  const code = await end('SIGTERM');
  return { code, milliseconds: performance.now() - start };
}

const head = 'POST /api/spf-checker HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

describe('SIGTERM ends the service with exit code 0', () => {
  test.each([
    ['nothing', ''],
    ['half a head', 'GET /docs HTTP/1.1\r\nHost: loc'],
    ['half a body', `${head}Content-Length: 100\r\n\r\n{"domain": `],
    [
      'a whole request, and keeps the connection',
      'GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ],
  ])('while a client of HTTP has sent %s', async (_, sent) => {
    service = await bootService();
    const socket = await opened(Number(new URL(service.url).port), sent);
    if (sent.startsWith('GET /api')) await once(socket, 'data');
    const { code, milliseconds } = await stopped(service);
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(MOST_MILLISECONDS);
  });

  test('while a client of SMTP has sent nothing, a command, or half a message', async () => {
    service = await bootService();
    await opened(service.smtpPort);
    await smtpClient(service.smtpPort);
    const { token, url } = service;
    const answer = await fetch(`${url}/api/v1/domains`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'stop.test', usageType: 'parked' }),
    });
    const { data } = (await answer.json()) as { data: { reporting: { ruaAddress: string } } };
    const message = await startMessage(service.smtpPort, data.reporting.ruaAddress.replace('mailto:', ''));
    await message.part(dmarcMail({ domain: 'stop.test' }).slice(0, 200));
    const { code, milliseconds } = await stopped(service);
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(MOST_MILLISECONDS);
  });

  test('after the answer to a request in progress, which closes its connection', async () => {
    const dns = await startDnsServer(
      { 'slow.example': { TXT: ['v=spf1 -all'] } },
      { delayMilliseconds: 4000 },
    );
    service = await bootService({ DNS_SERVERS: `${dns.address}:${dns.port}` });
    const { url } = service;
    const asking = fetch(`${url}/api/spf-checker`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'slow.example' }),
    });
    await until(() => dns.queries.length > 0, { what: 'the request is in progress' });
    const ended = stopped(service);
    const answer = await asking;
    await dns.stop();
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    await expect(fetch(url)).rejects.toThrow();
    expect((await ended).code).toBe(0);
  });
});

test('a second signal ends the service at once', async () => {
  service = await bootService();
  await opened(Number(new URL(service.url).port), `${head}Content-Length: 100\r\n\r\n{`);
  // Until the service has read the head.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const ended = service.end('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  process.kill(service.pid, 'SIGTERM');
  expect(await ended).toBe(1);
});
