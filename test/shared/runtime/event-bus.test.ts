import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { putEvent } from '../../../shared/runtime/dependencies/event-bus.ts';

/** EventBridge, as far as its client needs it. */
const entries: { Detail: string; EventBusName: string; Source: string }[] = [];
let refuses = false;
const bridge = createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  entries.push(...JSON.parse(Buffer.concat(chunks).toString()).Entries);
  response.setHeader('content-type', 'application/x-amz-json-1.1');
  response.end(
    JSON.stringify(
      refuses
        ? { FailedEntryCount: 1, Entries: [{ ErrorCode: 'ThrottlingException' }] }
        : { FailedEntryCount: 0, Entries: [{ EventId: '1' }] },
    ),
  );
});

const before = { ...process.env };
await once(bridge.listen(0, '127.0.0.1'), 'listening');
const { port } = bridge.address() as AddressInfo;
Object.assign(process.env, {
  AWS_ENDPOINT_URL_EVENTBRIDGE: `http://127.0.0.1:${port}`,
  ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
});
afterAll(() => {
  bridge.closeAllConnections();
  bridge.close();
  process.env = before;
});

test('an event has what a webhook gets as its detail, or in its records', async () => {
  const own = '{"version":1,"id":"d1","alerts":[]}';
  await putEvent('bus', { id: 'd1', body: own });
  await putEvent('bus', { id: 'd2', body: '[{"a":1},{"a":2}]' });
  await putEvent('bus', { id: 'd3', body: '{"time":1}\n{"time":2}' });
  expect(entries.map(({ Detail }) => JSON.parse(Detail))).toEqual([
    JSON.parse(own),
    { id: 'd2', records: [{ a: 1 }, { a: 2 }] },
    { id: 'd3', records: [{ time: 1 }, { time: 2 }] },
  ]);
  expect(entries[0]).toMatchObject({ EventBusName: 'bus', Source: 'email-domain-security-monitor' });
});

test('what the bus does not take is an error, so that it is tried again', async () => {
  refuses = true;
  await expect(putEvent('bus', { id: 'd4', body: '{}' })).rejects.toThrow('ThrottlingException');
});
