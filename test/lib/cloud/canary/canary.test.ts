/** The canary against a running service: its mail arrives by SMTP there. */
import { expect, test } from '@jest/globals';
import { runCanary } from '../../../../lib/cloud/canary/canary.ts';
import { sendMail } from '../../../kit/smtp-client.ts';
import { until } from '../../../kit/until.ts';
import { useApi } from '../../../kit/use-service.ts';

const HOUR = 3_600_000;
/** The beginning of this hour. */
const begin = new Date(Math.floor(Date.now() / HOUR) * HOUR);
const after = (minutes: number) => new Date(begin.getTime() + minutes * 60_000);

const sent: string[] = [];
const { service, api } = await useApi();
const json = { domain: 'canary.example', usageType: 'parked' };
const domainId: string = (await api.call('POST', '/api/v1/domains', { json })).body.data.id;

const run = (now: Date, token = service.token) =>
  runCanary(
    { apiUrl: service.url, token, domainId },
    {
      fetch,
      now,
      async sendMail(to, message) {
        sent.push(to);
        await sendMail(service.smtpPort, { to: [to], message: `From: canary@canary.example\r\n${message}` });
      },
    },
  );

test('sends a mail in the first run of an hour, and finds its report in the first run of the next', async () => {
  await expect(run(after(3))).rejects.toThrow('the report mail of an hour ago did not become a report');
  await run(after(18));
  expect(sent).toHaveLength(1);
  const reports = async () =>
    (await api.call('GET', `/api/v1/domains/${domainId}/reports/dmarc`)).body.data.reports;
  await until(async () => (await reports()).length === 1, { what: 'the report' });
  await run(after(63));
  expect(sent).toHaveLength(2);
  await expect(run(after(183))).rejects.toThrow('did not become a report');
});

test('fails if the API refuses a read', async () => {
  await expect(run(after(18), 'svc_unknown')).rejects.toThrow('the API answered 401 to a read');
});
