import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import type { ReceivedMail } from '../../../../../lib/local/host/smtp/deliver.ts';
import { startSmtpListener } from '../../../../../lib/local/host/smtp/listener.ts';
import { type SessionLimits, sessionLimits } from '../../../../../lib/local/host/smtp/sessions.ts';
import { readHeaderSection } from '../../../../../shared/protocol/message/header-section.ts';
import { readReceiverTrace } from '../../../../../shared/protocol/message/receiver-trace.ts';
import { createLog } from '../../../../../shared/runtime/logging/log.ts';
import { createAuthority } from '../../../../kit/certificates.ts';
import { type SmtpClient, sendMail, smtpClient } from '../../../../kit/smtp-client.ts';
import { use, useFolder } from '../../../../kit/use.ts';

const HOST = 'mx.acme.org';
const authority = createAuthority();
const [first, second] = [authority.issue([HOST]), authority.issue([HOST])];
const message = 'From: a@reporter.test\r\nSubject: x\r\n\r\ntext';

const folder = useFolder('starttls');
writeFileSync(join(folder, 'ca.pem'), authority.cert);

async function listen(limits: Partial<SessionLimits> = {}, isLocal?: () => boolean) {
  const delivered: ReceivedMail[] = [];
  let pair = { cert: first.chain, key: first.key };
  let renew = (_pair: typeof pair): void => {};
  const listener = await use(
    startSmtpListener({
      address: '127.0.0.1',
      port: 0,
      log: createLog('silent'),
      limits: { ...sessionLimits, ...limits },
      ...(isLocal && { isLocal }),
      certificate: {
        current: () => pair,
        onChange: (given) => {
          renew = given;
        },
      },
      routes: [
        {
          domain: 'reports.acme.org',
          hasMailbox: async () => true,
          deliver: async (mail) => void delivered.push(mail),
        },
      ],
    }),
  );
  return {
    port: listener.port,
    delivered,
    replace() {
      pair = { cert: second.chain, key: second.key };
      renew(pair);
    },
  };
}

/** The output of a program, whatever its exit code. */
const outputOf = (program: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(program, args, { timeout: 30_000 }, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
    child.stdin?.end('QUIT\r\n');
  });

/** Describes tests with a program, or why they are skipped. */
const describeWith = (program: string, tests: () => void): void => {
  const path = ['/usr/bin', '/usr/sbin'].map((one) => join(one, program)).find(existsSync);
  if (path === undefined) describe.skip(`${program} (skipped: not installed)`, tests);
  else describe(program, tests);
};

describeWith('openssl', () => {
  const probe = (port: number, ...more: string[]) =>
    outputOf('openssl', [
      ...['s_client', '-starttls', 'smtp', '-connect', `127.0.0.1:${port}`, '-servername', HOST],
      ...['-CAfile', join(folder, 'ca.pem'), '-verify_hostname', HOST, '-verify_return_error', ...more],
    ]);

  test.each(['-tls1_2', '-tls1_3'])('%s verifies the chain and the name', async (version) => {
    const { port } = await listen();
    expect(await probe(port, version)).toContain('Verify return code: 0 (ok)');
  });

  test.each(['-tls1', '-tls1_1'])('%s is refused', async (version) => {
    const { port } = await listen();
    // SECLEVEL 0 lets the client itself offer these versions.
    const output = await probe(port, version, '-cipher', 'DEFAULT:@SECLEVEL=0');
    expect(output).toMatch(/alert protocol version/);
    expect(output).toContain('no peer certificate available');
  });

  test('sees a new certificate without a restart', async () => {
    const { port, replace } = await listen();
    const leafOf = async () => /-----BEGIN[\s\S]+?-----END CERTIFICATE-----/.exec(await probe(port))?.[0];
    expect(await leafOf()).toBe(first.cert.trim());
    replace();
    expect(await leafOf()).toBe(second.cert.trim());
  });
});

describeWith('posttls-finger', () => {
  test('verifies the certificate at the level secure', async () => {
    const { port } = await listen();
    const output = await outputOf('/usr/sbin/posttls-finger', [
      ...['-c', '-l', 'secure', '-F', join(folder, 'ca.pem'), '-o', 'smtp_tls_verify_cert_match=hostname'],
      `[127.0.0.1]:${port}`,
      HOST,
    ]);
    expect(output).toMatch(/Verified TLS connection established/);
  });
});

describeWith('swaks', () => {
  const send = (port: number, ...more: string[]) =>
    outputOf('/usr/bin/swaks', [
      ...['--server', '127.0.0.1', '--port', String(port), '--helo', 'client.reporter.test'],
      ...['--from', 'dmarc@reporter.test', '--to', 'known@reports.acme.org', ...more],
    ]);

  test('sends a message over STARTTLS, and the trace says so', async () => {
    const { port, delivered } = await listen();
    const tls = ['--tls', '--tls-verify', '--tls-ca-path', join(folder, 'ca.pem'), '--tls-sni', HOST];
    const output = await send(port, ...tls);
    expect(output).toMatch(/TLS started with cipher TLSv1\.[23]/);
    expect(output).toMatch(/250 2\.\d\.0/);
    expect(traceOf(delivered[0])).toMatchObject({ encrypted: true, helo: 'client.reporter.test' });
  });
});

function traceOf(mail: ReceivedMail | undefined) {
  if (mail === undefined) throw new Error('no mail');
  return readReceiverTrace(readHeaderSection(mail.message), mail.messageId);
}

test('a message without TLS is accepted, and the trace says so', async () => {
  const { port, delivered } = await listen();
  expect(await sendMail(port, { to: ['known@reports.acme.org'], message })).toMatch(/^250/);
  expect(traceOf(delivered[0])).toMatchObject({ encrypted: false });
});

/** Reads until the server ends the connection. */
async function rest(socket: TLSSocket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

const trusted = { ca: authority.cert, servername: HOST };

describe('a session', () => {
  test('ends after STARTTLS as before, with a reply that the client can read', async () => {
    const { port } = await listen({ waitMilliseconds: 500 });
    const socket = await (await smtpClient(port)).startTls(trusted);
    socket.write('EHLO client\r\n');
    expect(await rest(socket)).toMatch(/^250-[\s\S]*\r\n421 4\.4\.2 No mail for too long\r\n$/);
  });

  test('forgets the transaction from before STARTTLS', async () => {
    const { port } = await listen();
    const client = await smtpClient(port);
    await client.say('MAIL FROM:<a@reporter.test>');
    const socket = await client.startTls(trusted);
    socket.write('EHLO client\r\nRCPT TO:<known@reports.acme.org>\r\nQUIT\r\n');
    expect(await rest(socket)).toMatch(/\r\n503 .*\r\n221 /);
  });

  test.each([
    [
      'in the handshake',
      async (client: SmtpClient) => {
        await client.say('STARTTLS');
        await client.part(Buffer.from('16030100f8010000f40303', 'hex'));
        client.close();
      },
    ],
    ['after it', async (client: SmtpClient) => void (await client.startTls(trusted)).destroy()],
  ])('gives its place back if the client leaves %s', async (_, leave) => {
    const { port } = await listen({ perClient: 1 }, () => false);
    for (let n = 0; n < 5; n += 1) {
      // Refused while the session before it has its place.
      await leave(await smtpClient(port));
      await sleep(100);
    }
    (await smtpClient(port)).close();
  });
});
