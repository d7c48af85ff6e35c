/**
 * What is left if an expression of the product is slow after all: the service runs with two that it once had, and gets the
 * texts that occupied them for hours.
 */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { register } from '../kit/register.ts';
import { dmarcMail, dmarcXml, reportMail } from '../kit/report-mails.ts';
import { until } from '../kit/until.ts';
import { useApi } from '../kit/use-service.ts';

const hook = new URL('../kit/slow-expressions.mjs', import.meta.url).href;
const { service, api } = await useApi({ NODE_OPTIONS: `--import=${hook}`, API_RATE_PER_MINUTE: '0' });

async function deliver(to: string, message: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: service.smtpPort, ignoreTLS: true });
  await transport.sendMail({ envelope: { from: 'dmarc@reporter.test', to }, raw: message });
  transport.close();
}

describe('while a preview and a report mail compute without end', () => {
  test('the API and SMTP answer, and both end within their time', async () => {
    const { id, address: mailbox } = await register(api, 'slow.test');
    const path = `/api/v1/domains/${id}`;
    const names = `<a${'\u00a0'.repeat(60_000)}`.repeat(100);
    const xml = dmarcXml({ domain: 'slow.test', id: 'slow' }).replace(
      '<record>',
      `<extra>${names}</extra>$&`,
    );
    await deliver(mailbox, reportMail({ attachments: [{ name: 'r.xml.gz', bytes: gzipSync(xml) }] }));
    await deliver(mailbox, dmarcMail({ domain: 'slow.test', id: 'healthy' }));

    let hasEnded = false;
    const zone = `$TTL ${'0'.repeat(60)}x\n@ A 192.0.2.1\n`;
    const preview = fetch(`${service.url}${path}/checks/preview`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ zone }),
    }).finally(() => {
      hasEnded = true;
    });
    for (let request = 0; request < 20; request += 1)
      expect((await api.call('GET', '/api/v1/domains')).status).toBe(200);
    expect(hasEnded).toBe(false);
    expect((await preview).status).toBe(503);

    // The healthy report waits no longer than a mail may be read.
    const reports = async () => (await api.call('GET', `${path}/reports/dmarc`)).body.data.reports;
    await until(async () => (await reports()).length > 0, { what: 'the healthy report is stored' });
    expect(await reports()).toMatchObject([{ reportId: 'healthy' }]);
  });
});
