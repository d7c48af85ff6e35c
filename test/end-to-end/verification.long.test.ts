import { beforeAll, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type Bind, missingForBind, startBind } from '../kit/bind.ts';
import { describeWith } from '../kit/describe-with.ts';
import { register } from '../kit/register.ts';
import type { BootedService } from '../kit/service.ts';
import { use } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

describeWith(missingForBind(), 'verification against BIND', () => {
  let bind: Bind;
  let service: BootedService;
  let api: ApiClient;

  beforeAll(async () => {
    bind = await use(startBind(['example.org']));
    service = await useService({ DNS_SERVERS: bind.server, SERVICE_LABEL: 'monitor' });
    api = await apiClient(service);
  });

  test('finds a record as soon as it is published, because verification uses no cached response', async () => {
    const { id, verificationToken } = await register(api, 'example.org');
    const path = `/api/v1/domains/${id}/verify`;
    const record = {
      hostname: '_monitor.example.org',
      type: 'TXT',
      value: `monitor-verify=${verificationToken}`,
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
      message: expect.stringContaining('does not have the expected value'),
    });

    await bind.publish('example.org', [
      '_monitor IN TXT "another record"',
      `_monitor IN TXT "${record.value.slice(0, 10)}" "${record.value.slice(10)}"`,
    ]);
    const verified = await api.call('POST', path);
    expect(verified.body.data).toEqual({ verified: true, message: expect.any(String) });
    expect((await api.call('GET', path)).body.data.verified).toBe(true);
    expect((await api.call('GET', `/api/v1/domains/${id}`)).body.data.verified).toBe(true);

    await bind.publish('example.org', []);
    expect((await api.call('POST', path)).body.data.verified).toBe(true);
  });

  test('reports a name server that does not answer, rather than a missing record', async () => {
    const { id } = await register(api, 'elsewhere.example');
    // BIND refuses names for which it has no zone.
    const { body } = await api.call('POST', `/api/v1/domains/${id}/verify`);
    expect(body.data).toMatchObject({
      verified: false,
      message: expect.stringContaining('lookup of the TXT record failed (refused'),
    });
  });
});
