import { readdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { adminInProcess } from '../../kit/admin.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { describeWith } from '../../kit/describe-with.ts';
import { missingForPostfix, type Postfix, SASL, startPostfix } from '../../kit/postfix.ts';
import { type BootedService, bootService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { useFolder } from '../../kit/use.ts';

describeWith(missingForPostfix(SASL), 'a service with Postfix as its relay', () => {
  const arrived: string[] = [];
  let folder: string;
  let onward: SMTPServer;
  let postfix: Postfix;
  let service: BootedService;

  beforeAll(async () => {
    folder = useFolder('relay');
    onward = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      async onData(stream, _session, reply) {
        arrived.push(Buffer.concat(await stream.toArray()).toString());
        reply();
      },
    });
    await new Promise<void>((resolve) => onward.listen(0, '127.0.0.1', () => resolve()));
    const authority = createAuthority();
    const { chain, key } = authority.issue(['localhost']);
    postfix = await startPostfix({
      hostname: 'relay.acme.org',
      relayPort: (onward.server.address() as AddressInfo).port,
      certificate: { cert: chain, key },
      submission: {
        ...{ user: 'alerts', password: 'p@ss word' },
        refused: { 'gone@example.org': '550 5.1.1 No such user' },
      },
    });
    writeFileSync(join(folder, 'ca.pem'), authority.cert);
    service = await bootService({
      SMTP_RELAY: `smtp://alerts:p%40ss%20word@localhost:${postfix.port}`,
      ALERT_SENDER: 'alerts@acme.org',
      EXTRA_CA_FILE: join(folder, 'ca.pem'),
      CHECK_INTERVAL_SECONDS: '1',
    });
  });
  afterAll(async () => {
    await service?.remove();
    await postfix?.stop();
    await new Promise<void>((resolve) => onward.close(() => resolve()));
  });

  async function admin(...args: string[]): Promise<string> {
    const { code, output } = await adminInProcess(args, { DATA_DIR: service.dataDir });
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    return output;
  }
  const says = () => `Mail is sent from alerts@acme.org through the relay localhost:${postfix.port}.`;

  test('sends a test through it once, and says so', async () => {
    await admin('notify', 'mail', 'default', 'ops@example.org');
    expect(await admin('notify', 'test', 'default')).toContain(says());
    await until(async () => (await admin('notify', 'show', 'default')).includes('last delivery: delivered'));
    await until(() => arrived.length > 0);
    expect(arrived).toHaveLength(1);
    expect(arrived[0]).toMatch(/^Message-ID: <[\w-]{36}@acme\.org>\r$/m);
    expect(arrived[0]).toMatch(/^X-Domain-Monitor-Delivery: [\w-]{36}\r$/m);
    expect(arrived[0]).toMatch(/ with ESMTPSA id /);
    expect(readdirSync(service.dataDir)).not.toContain('outbox');
    expect(service.output()).toContain(says());
  });

  test('gives up a mail that it refuses for good, with its reply', async () => {
    await admin('notify', 'mail', 'default', 'gone@example.org');
    await admin('notify', 'test', 'default');
    const replied = /last delivery: given up \(.*replied 550 5\.1\.1 .*No such user/;
    await until(async () => replied.test(await admin('notify', 'show', 'default')));
  });

  test('says so in the console, without the password', async () => {
    const form = { method: 'POST', body: new URLSearchParams({ token: service.token }) };
    const signedIn = await fetch(`${service.url}/console/sign-in`, { ...form, redirect: 'manual' });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const settings = await (await fetch(`${service.url}/console/settings`, { headers: { cookie } })).text();
    expect(settings).toContain(says());
    expect([settings, service.output()].join()).not.toMatch(/p@ss|p%40ss/);
  });
});
