import { expect, test } from '@jest/globals';
import { deliverMutatedMails, mailboxOf } from '../kit/deliver-mutated-mails.ts';
import { mailTester } from '../kit/mail-tester.ts';
import { hangingMails } from '../kit/mutated-mails.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import { sendMail } from '../kit/smtp-client.ts';
import { until } from '../kit/until.ts';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi();

const COUNT = 300;

test('every broken mail has one outcome, and a report after it is read', async () => {
  const { sent, refused, kept, withoutOutcome, queued } = await deliverMutatedMails(service, {
    count: COUNT,
    seed: 20_261_122,
    patience: 100_000,
  });
  expect([refused, withoutOutcome, queued]).toEqual([[], [], 0]);
  expect([kept.length, new Set(kept).size]).toEqual([sent, sent]);

  const mailbox = await mailboxOf(service, 'sound.example');
  await sendMail(service.smtpPort, { to: [mailbox], message: dmarcMail({ domain: 'sound.example' }) });
  const { body } = await api.call('GET', '/api/v1/domains');
  const { id } = body.data.find(({ domain }: { domain: string }) => domain === 'sound.example');
  await until(async () => {
    const reports = await api.call('GET', `/api/v1/domains/${id}/reports/dmarc`);
    return reports.body.data.summary.totalReports === 1;
  });
});

test('every mail test with a broken mail completes', async () => {
  const tester = mailTester(api);
  for (const message of Object.values(hangingMails)) {
    const { testId, email } = await tester.open();
    expect(await sendMail(service.smtpPort, { to: [email], message })).toMatch(/^250/);
    expect(await tester.seen(testId)).toMatchObject({ status: 'completed' });
  }
});
