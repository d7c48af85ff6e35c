/** Notifications in a file of the operator, by a webhook to the host that cannot exist. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { until } from '../kit/until.ts';
import { useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const folder = useFolder('events');
const file = join(folder, 'events.jsonl');

const { api } = await useApi({ EVENTS_FILE: file, CHECK_INTERVAL_SECONDS: '1' });

test('has what a webhook gets, a line for each, and only its owner reads it', async () => {
  const webhook = { url: 'https://events.invalid/', threshold: 'info' };
  expect((await api.call('PUT', '/api/v1/notifications', { json: { mail: null, webhook } })).status).toBe(
    200,
  );
  for (const number of [1, 2]) {
    expect(
      await api.call('POST', '/api/v1/notifications/test', { json: { channel: 'webhook' } }),
    ).toMatchObject({ status: 201 });
    await until(() => existsSync(file) && readFileSync(file, 'utf8').split('\n').length > number);
  }
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual(
    Array(2).fill(expect.objectContaining({ version: 1, kind: 'test', organization: 'default', alerts: [] })),
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { body } = await api.call('GET', '/api/v1/deliveries');
  expect(body.data[0]).toMatchObject({ status: 'delivered', sentTo: 'events.invalid' });
});
