import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { adminInProcess } from '../kit/admin.ts';
import { createAuthority } from '../kit/certificates.ts';
import { publishTxt } from '../kit/example-internet.ts';
import { type Page, startHttpsHost } from '../kit/https-host.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import { sendMail } from '../kit/smtp-client.ts';
import { until } from '../kit/until.ts';
import { use, useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

interface Received {
  readonly delivery: unknown;
  readonly isSigned: (secret: string) => boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the body is read freely by tests
  readonly body: any;
}

const received: Received[] = [];
const receiver: Page = async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { headers } = request;
  const signed = `${headers['x-domain-monitor-timestamp']}.${body}`;
  received.push({
    delivery: headers['x-domain-monitor-delivery'],
    isSigned: (secret) =>
      headers['x-domain-monitor-signature'] ===
      `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`,
    body: JSON.parse(body),
  });
  response.writeHead(204).end();
};

const folder = useFolder('notifications');
const authority = createAuthority();
const host = await use(startHttpsHost(authority.issue(['hook.example']), { '/in': receiver }));
const ca = join(folder, 'ca.pem');
writeFileSync(ca, authority.cert);
const { service, api } = await useApi({
  EXTRA_CA_FILE: ca,
  DIAL_MAP: `hook.example:443=127.0.0.1:${host.port}`,
  // Notification turns run as often as check runs.
  CHECK_INTERVAL_SECONDS: '1',
});

async function admin(...args: string[]): Promise<string> {
  const { code, output } = await adminInProcess(args, { DATA_DIR: service.dataDir });
  expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  return output;
}

const outbox = () => readdirSync(join(service.dataDir, 'outbox')).filter((name) => name.endsWith('.eml'));
const mails = () => outbox().map((name) => readFileSync(join(service.dataDir, 'outbox', name), 'latin1'));
const subjects = () => mails().map((mail) => /^Subject: (.*)\r$/m.exec(mail)?.[1]);

interface Registered {
  readonly domain: string;
  readonly id: string;
  readonly address: string;
  /** What proves its ownership. */
  readonly record: string;
}

async function registered(domain: string): Promise<Registered> {
  const { body } = await api.call('POST', '/api/v1/domains', { json: { domain, usageType: 'parked' } });
  const { id, reporting, verificationToken } = body.data;
  const address = reporting.ruaAddress.replace('mailto:', '');
  return { domain, id, address, record: `svc-verify=${verificationToken}` };
}

const publish = (name: string, value: string) => publishTxt(service, name, value);

/** Sends a report in which all mail fails, and verifies the domain: the reports of a day are judged after a check. */
async function failingReport({ domain, id, address, record }: Registered): Promise<void> {
  const from = 'dmarc@reporter.test';
  const message = dmarcMail({ domain, rows: [{ count: 100, result: 'fail' }] }, { from });
  expect(await sendMail(service.smtpPort, { to: [address], from, message })).toMatch(/^250/);
  await publish(`_svc.${domain}`, record);
  expect((await api.call('POST', `/api/v1/domains/${id}/verify`)).body.data.verified).toBe(true);
}

describe('an organization with notifications', () => {
  let secret: string;

  test('receives a test notification through each channel', async () => {
    await admin('notify', 'mail', 'default', 'ops@example.org');
    // The digest would interfere if the tests ran at its minute.
    await admin('notify', 'digest', 'default', 'off');
    const output = await admin('notify', 'webhook', 'default', 'https://hook.example/in');
    secret = /whsec_[A-Za-z0-9+/]{43}=/.exec(output)?.[0] ?? '';
    await admin('notify', 'test', 'default');
    await until(() => outbox().length > 0 && received.length > 0);
    expect(subjects()).toEqual(['Test alert']);
    expect(received.splice(0)).toMatchObject([{ body: { version: 1, kind: 'test', alerts: [] } }]);
    const delivered = async () =>
      (await admin('notify', 'show', 'default')).match(/last delivery: delivered at/g);
    await until(async () => (await delivered())?.length === 2);
  });

  test('receives an alert once by mail and once at its webhook, signed', async () => {
    await publish('reporter.test', 'v=spf1 ip4:127.0.0.1 -all');
    await failingReport(await registered('failing.test'));
    await until(() => outbox().length > 1 && received.length > 0);

    const { body } = await api.call('GET', '/api/v1/alerts?severity=warning');
    const [failure] = body.data;
    await until(() => received.flatMap((one) => one.body.alerts).length > 1);
    const delivered = received.flatMap((one) => one.body.alerts);
    expect(delivered.map(({ type }) => type).toSorted()).toEqual(['new_report', 'report_failure']);
    expect(delivered).toContainEqual(failure);
    const isNew = delivered.find(({ type }) => type === 'new_report');
    expect(isNew.metadata).toMatchObject({ authenticated: true, reporterDomain: 'reporter.test' });
    expect(failure.metadata).toMatchObject({ messages: 100, failed: 100, previousFailureRate: null });
    for (const one of received) {
      expect([one.delivery, one.isSigned(secret), one.isSigned('whsec_other')]).toEqual([
        one.body.id,
        true,
        false,
      ]);
    }

    const mail = mails().at(-1) ?? '';
    expect(subjects().at(-1)).toBe('[warning] More mail fails: failing.test');
    expect(mail).toMatch(/^From: alerts@[\w.]+\r$/m);
    for (const header of ['To: ops@example.org', 'Auto-Submitted: auto-generated']) {
      expect(mail.split('\r\n')).toContain(header);
    }
    // The severity of the other alert is below the threshold for mails.
    expect(outbox()).toHaveLength(2);
  });
});

test('a new token with the scope admin is announced by mail, and at the webhook', async () => {
  const [organization = ''] = (await admin('org', 'create', 'Announced')).split(' ');
  const token = (await admin('token', 'create', organization, '--name', 'first')).trim();
  await admin('notify', 'mail', organization, 'admins@example.org');
  await admin('notify', 'webhook', organization, 'https://hook.example/in');
  await admin('notify', 'events', organization, 'token.created');
  const json = { name: 'second', scope: 'admin' };
  const created = await api.call('POST', '/api/v1/tokens', { token, json });
  const subject = 'New API token with the scope admin: second';
  const events = () => received.flatMap(({ body }) => body.events ?? []);
  await until(() => subjects().includes(subject) && events().length > 0);
  const mail = mails().find((mail) => mail.includes(`Subject: ${subject}`)) ?? '';
  expect(mail).toContain('To: admins@example.org');
  expect(mail.replaceAll('=\r\n', '')).toContain(`/api/v1/tokens/${created.body.data.id}?created`);
  expect(events()).toMatchObject([
    { type: 'token.created', tokenId: created.body.data.id, createdBy: { name: 'first' } },
  ]);
});
