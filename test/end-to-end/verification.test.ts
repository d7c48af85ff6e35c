import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type Bind, hasBind, startBind } from '../kit/bind.ts';
import { type BootedService, bootService } from '../kit/service.ts';

const bindHere = hasBind();
const title = `verification against BIND${bindHere ? '' : ' (skipped: named and dig are not installed)'}`;

(bindHere ? describe : describe.skip)(title, () => {
  let bind: Bind;
  let service: BootedService;
  let api: ApiClient;

  beforeAll(async () => {
    bind = await startBind(['example.org']);
    service = await bootService({ DNS_SERVERS: bind.server, SERVICE_LABEL: 'monitor' });
    api = await apiClient(service);
  });
  afterAll(async () => {
    await service?.remove();
    await bind?.stop();
  });

  test('publish, ask again, verified: an answer that was kept is never trusted', async () => {
    const { body: created } = await api.call('POST', '/api/v1/domains', {
      json: { domain: 'example.org', usageType: 'parked' },
    });
    const path = `/api/v1/domains/${created.data.id}/verify`;
    const record = {
      hostname: '_monitor.example.org',
      type: 'TXT',
      value: `monitor-verify=${created.data.verificationToken}`,
    };
    expect((await api.call('GET', path)).body.data).toEqual({ verified: false, verificationRecord: record });

    const missing = await api.call('POST', path);
    expect(missing.status).toBe(200);
    expect(missing.body.data).toEqual({
      verified: false,
      message: expect.stringContaining('not found'),
      expected: record,
    });

    await bind.publish('example.org', ['_monitor IN TXT "monitor-verify=something-else"']);
    const different = await api.call('POST', path);
    expect(different.body.data).toMatchObject({
      verified: false,
      message: expect.stringContaining('not the expected'),
    });

    await bind.publish('example.org', [
      '_monitor IN TXT "another record"',
      `_monitor IN TXT "${record.value.slice(0, 10)}" "${record.value.slice(10)}"`,
    ]);
    const verified = await api.call('POST', path);
    expect(verified.body.data).toEqual({ verified: true, message: expect.any(String) });
    expect((await api.call('GET', path)).body.data.verified).toBe(true);
    expect((await api.call('GET', `/api/v1/domains/${created.data.id}`)).body.data.verified).toBe(true);

    await bind.publish('example.org', []);
    expect((await api.call('POST', path)).body.data.verified).toBe(true);
  });

  test('a name server that does not answer is told apart from a record that is not there', async () => {
    const { body: created } = await api.call('POST', '/api/v1/domains', {
      json: { domain: 'elsewhere.example', usageType: 'parked' },
    });
    // BIND refuses names it has no zone for.
    const { body } = await api.call('POST', `/api/v1/domains/${created.data.id}/verify`);
    expect(body.data).toMatchObject({ verified: false, message: expect.stringContaining('no answer') });
  });
});
