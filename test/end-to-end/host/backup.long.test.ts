import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../../kit/api-client.ts';
import { register } from '../../kit/register.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import { type BootedService, bootService, runToEnd } from '../../kit/service.ts';
import { sendMail } from '../../kit/smtp-client.ts';
import { until } from '../../kit/until.ts';
import { atEnd, useFolder } from '../../kit/use.ts';
import { useApi } from '../../kit/use-service.ts';

const MAILS_PER_SECOND = 20;

let restored: BootedService | undefined;
const folder = useFolder('backup');
const { service, api } = await useApi({ API_RATE_PER_MINUTE: '0' });
atEnd(() => restored?.remove());

const admin = (args: readonly string[], DATA_DIR: string) => runToEnd('admin.ts', args, { DATA_DIR });

/** The IDs of all reports of a domain, by the ID that its reporter gave. */
async function reportsOf(client: ApiClient, id: string): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await client.call(
      'GET',
      `/api/v1/domains/${id}/reports/dmarc?limit=100&page=${page}&startDate=2020-01-01`,
    );
    found.push(...body.data.reports.map((one: { reportId: string }) => one.reportId));
    if (body.data.reports.length < 100) return found;
  }
}

test('a backup during 20 mails a second has every mail that was accepted before it', async () => {
  const { id, address } = await register(api, 'weak.test');
  const to = [address];
  /** When the reply arrived, by report. */
  const accepted = new Map<string, number>();
  const sending: Promise<void>[] = [];
  let isSending = true;
  const send = async (n: number) => {
    const message = dmarcMail({ domain: 'weak.test', id: `r${n}`, reporter: `Reporter ${n % 7}` });
    if ((await sendMail(service.smtpPort, { to, message })).startsWith('250'))
      accepted.set(`r${n}`, Date.now());
  };
  const clock = (async () => {
    while (isSending) {
      // A busy machine must not get more sessions than the service allows.
      if (sending.length - accepted.size < MAILS_PER_SECOND) sending.push(send(sending.length));
      await sleep(1000 / MAILS_PER_SECOND);
    }
  })();
  await until(() => accepted.size >= 60);
  const file = join(folder, 'backup.tar.gz');
  const made = await admin(['backup', file], service.dataDir);
  expect([made.code, made.output]).toEqual([0, expect.stringContaining(file)]);
  isSending = false;
  await clock;
  await Promise.all(sending);
  expect(sending.length).toBe(accepted.size);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const verified = await admin(['verify-backup', file], join(folder, 'none'));
  expect([verified.code, verified.output]).toEqual([0, expect.stringMatching(/^backup of \S+Z, version /)]);
  const startedAt = Date.parse(/backup of (\S+),/.exec(verified.output)?.[1] ?? '');
  const before = [...accepted].filter(([, at]) => at < startedAt).map(([report]) => report);
  expect(before.length).toBeGreaterThanOrEqual(60);
  expect(before.length).toBeLessThan(accepted.size);

  const elsewhere = join(folder, 'elsewhere');
  const { code, output } = await admin(['restore', file], elsewhere);
  expect([code, output]).toEqual([0, expect.stringContaining(`into ${elsewhere}`)]);
  restored = await bootService({ DATA_DIR: elsewhere, API_RATE_PER_MINUTE: '0' });
  expect(restored.token).toBe(service.token);
  const client = await apiClient(restored);
  await until(async () => {
    const there = new Set(await reportsOf(client, id));
    return before.every((report) => there.has(report));
  });
  const all = await reportsOf(client, id);
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((report) => !accepted.has(report))).toEqual([]);
});
