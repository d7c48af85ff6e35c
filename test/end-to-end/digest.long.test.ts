/** A digest from its plan to the link in it that turns it off. The week in between is written into the table. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { digestPlanKey, notificationSettingsKey } from '../../shared/store/keys.ts';
import { serviceTable } from '../kit/service-table.ts';
import { until } from '../kit/until.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const settings = '/api/v1/notifications';

const { service, api } = await useApi({ CHECK_INTERVAL_SECONDS: '1', API_RATE_PER_MINUTE: '0' });
const table = await use(serviceTable(service));

const outbox = () => join(service.dataDir, 'outbox');
const mails = () =>
  readdirSync(outbox())
    .filter((name) => name.endsWith('.eml'))
    .map((name) => readFileSync(join(outbox(), name), 'latin1'));

/** Makes the planned digest due, once the service has planned it. */
const makeDue = () =>
  until(() =>
    table.update(notificationSettingsKey('default'), {
      UpdateExpression: 'SET gsi1sk = :now',
      ConditionExpression: 'gsi1sk > :now',
      ExpressionAttributeValues: { ':now': digestPlanKey('default', new Date().toISOString()).gsi1sk },
    }),
  );

/** As the mail system of a recipient calls it: without cookies and tokens (RFC 8058 section 3.2). */
const oneClick = (url: string) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });

test('a digest is sent on a quiet day, and turned off by its link, for its address only', async () => {
  const digest = {
    digest: 'weekly',
    digestWeekday: 'friday',
    digestHour: 16,
    digestTimeZone: 'Europe/Berlin',
  };
  const mail = { address: 'ops@example.org', threshold: 'critical', ...digest };
  await api.call('PUT', settings, { json: { mail, webhook: null } });
  await api.call('POST', '/api/v1/domains', { json: { domain: 'quiet.example', usageType: 'parked' } });
  await makeDue();
  await until(() => mails().length > 0);
  const [sent = ''] = mails();
  expect(/^Subject: (.*)\r$/m.exec(sent)?.[1]).toBe('Weekly digest: all is well');
  const url = /^List-Unsubscribe: <(.*)>\r$/m.exec(sent.replaceAll(/\r\n[ \t]+/g, ' '))?.[1] ?? '';
  expect(url).toMatch(new RegExp(`^${service.url}/unsubscribe/default/[\\w-]{43}$`));
  const { data } = (await api.call('GET', '/api/v1/deliveries')).body;
  expect(data).toMatchObject([
    { kind: 'digest', channel: 'mail', status: 'delivered', sentTo: mail.address },
  ]);

  const current = async () => (await api.call('GET', settings)).body.data.mail;
  // Opening the link changes nothing, because scanners of mail open links.
  const question = await fetch(url);
  expect([question.status, await question.text()]).toEqual([
    200,
    expect.stringContaining('Stop the digest?'),
  ]);
  const wrong = `${url.slice(0, -2)}${url.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const other of [wrong, url.slice(0, -1), url.replace('/default/', '/another/'), `${url}x`])
    expect([other, (await fetch(other)).status, (await oneClick(other)).status]).toEqual([other, 404, 404]);
  expect(await current()).toMatchObject(digest);

  for (const again of [1, 2]) {
    const { status, headers } = await oneClick(url);
    expect([again, status, headers.get('set-cookie')]).toEqual([again, 200, null]);
    expect(await current()).toEqual({ ...mail, digest: 'off', digestWeekday: null, digestHour: null });
  }
  expect(await (await fetch(url)).text()).toContain('The digest is off');

  // A link of digests to another address does nothing.
  await api.call('PUT', settings, { json: { mail: { ...mail, address: 'new@example.org' }, webhook: null } });
  expect((await oneClick(url)).status).toBe(404);
  expect(await current()).toMatchObject(digest);
});

test('the link has a rate limit', async () => {
  const url = `${service.url}/unsubscribe/default/${'A'.repeat(43)}`;
  const statuses = new Set<number>();
  for (let n = 0; n < 1000 && !statuses.has(429); n += 1) statuses.add((await oneClick(url)).status);
  expect([...statuses]).toEqual([404, 429]);
});
