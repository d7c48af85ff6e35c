/** Notifications in a file of the operator, by a webhook to the host that cannot exist. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'events-'));
const file = join(folder, 'events.jsonl');

let service: BootedService;
let api: ApiClient;
beforeAll(async () => {
  service = await bootService({ EVENTS_FILE: file, CHECK_INTERVAL_SECONDS: '1' });
  api = await apiClient(service);
});
afterAll(async () => {
  await service?.remove();
  rmSync(folder, { recursive: true });
});

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
