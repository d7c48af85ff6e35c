/** Mail whose sender's DNS is silent delays nobody else's: many of them arrive before a healthy one, to another mailbox. */
import { describe, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { startDnsServer } from '../kit/dns-server.ts';
import { mailTester } from '../kit/mail-tester.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import { until } from '../kit/until.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';
import type { ZoneLiteral } from '../kit/zone.ts';

const SILENT = 30;
const silent = (n: number) => `silent${n}.example`;
const HEALTHY = 'healthy.example';

const names = Array.from({ length: SILENT }, (_, n) => [silent(n), `_dmarc.${silent(n)}`]).flat();
const literal: ZoneLiteral = {
  ...Object.fromEntries(names.map((name) => [name, 'TIMEOUT'])),
  [HEALTHY]: { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
  [`_dmarc.${HEALTHY}`]: { TXT: ['v=DMARC1; p=reject'] },
};
const dns = await use(startDnsServer(literal, { negativeTtl: 60 }));
const { service, api } = await useApi({
  DNS_SERVERS: `${dns.address}:${dns.port}`,
  TOOL_RATE_PER_MINUTE: '0',
});

async function register(domain: string): Promise<{ path: string; mailbox: string }> {
  const json = { domain, usageType: 'parked' };
  const { data } = (await api.call('POST', '/api/v1/domains', { json })).body;
  return { path: `/api/v1/domains/${data.id}`, mailbox: data.reporting.ruaAddress.replace('mailto:', '') };
}

async function send(mails: readonly { from: string; to: string; raw: string }[]): Promise<void> {
  const transport = createTransport({
    ...{ host: '127.0.0.1', port: service.smtpPort, ignoreTLS: true, pool: true, maxConnections: 10 },
  });
  const sent = mails.map(({ from, to, raw }) =>
    transport.sendMail({ envelope: { from: `dmarc@${from}`, to }, raw }),
  );
  await Promise.all(sent);
  transport.close();
}

const reportsOf = async (path: string): Promise<number> =>
  (await api.call('GET', `${path}/reports/dmarc?limit=1`)).body.data.summary.totalReports;

describe('behind many mails of silent senders', () => {
  test('a report is read before them, and all of them are read in the end', async () => {
    const [mine, other] = [await register('mine.example'), await register('other.example')];
    const mailOf = (domain: string, from: string, id: string) =>
      dmarcMail({ domain, id }, { from: `dmarc@${from}` });
    await send(
      Array.from({ length: SILENT }, (_, n) => ({
        ...{ from: silent(n), to: other.mailbox, raw: mailOf('other.example', silent(n), `s${n}`) },
      })),
    );
    await send([{ from: HEALTHY, to: mine.mailbox, raw: mailOf('mine.example', HEALTHY, 'healthy') }]);
    await until(async () => (await reportsOf(mine.path)) === 1, { what: 'the healthy report is stored' });
    expect(await reportsOf(other.path)).toBeLessThan(SILENT / 2);
    await until(async () => (await reportsOf(other.path)) === SILENT, {
      ...{ what: 'all reports are stored', timeoutMilliseconds: 120_000 },
    });
    const { data } = (await api.call('GET', `${other.path}/reports/mails?limit=1`)).body;
    expect(data).toMatchObject([{ outcomes: [{ outcome: 'accepted' }] }]);
  });

  test('a mail test completes before them', async () => {
    const { open, seen, see } = mailTester(api);
    const tests = await Promise.all(Array.from({ length: 20 }, () => open()));
    const raw = (from: string) => `From: a@${from}\r\nSubject: test\r\n\r\nbody\r\n`;
    await send(tests.map(({ email }, n) => ({ from: silent(n), to: email, raw: raw(silent(n)) })));
    const mine = await open();
    await send([{ from: HEALTHY, to: mine.email, raw: raw(HEALTHY) }]);
    expect((await seen(mine.testId)).results.spf).toMatchObject({ result: 'pass' });
    const states = await Promise.all(tests.map(async ({ testId }) => (await see(testId)).body.status));
    expect(states.filter((status) => status === 'pending').length).toBeGreaterThan(5);
  });
});
