import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type BootedService, bootService, runToEnd } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const booted: BootedService[] = [];
afterEach(async () => {
  for (const service of booted.splice(0)) await service.remove();
});

async function boot(
  environment: Record<string, string> = {},
): Promise<{ service: BootedService; api: ApiClient }> {
  const service = await bootService(environment);
  booted.push(service);
  return { service, api: await apiClient(service) };
}

const parked = (domain: string) => ({ json: { domain, usageType: 'parked' } });

describe('a restart', () => {
  test('keeps the token and everything that was answered, after SIGTERM with exit code 0', async () => {
    const { service, api } = await boot();
    const { body } = await api.call('POST', '/api/v1/domains', parked('kept.example'));
    expect(await service.end('SIGTERM')).toBe(0);
    const again = await boot({ DATA_DIR: service.dataDir });
    expect(again.service.token).toBe(service.token);
    expect((await again.api.call('GET', `/api/v1/domains/${body.data.id}`)).body.data.domain).toBe(
      'kept.example',
    );
  });

  test('after kill -9 in the middle of work keeps every answered registration, and none by half', async () => {
    const { service, api } = await boot({ DOMAIN_LIMIT: '10000', API_RATE_PER_MINUTE: '0' });
    const answered: { id: string; domain: string }[] = [];
    const asked = new Set<string>();
    let killed = false;
    const client = async (number: number) => {
      for (let n = 0; !killed; n += 1) {
        const domain = `d${number}-${n}.example`;
        asked.add(domain);
        const answer = await api.call('POST', '/api/v1/domains', parked(domain)).catch(() => undefined);
        if (answer?.status === 201) answered.push(answer.body.data);
      }
    };
    const clients = Array.from({ length: 8 }, (_, number) => client(number));
    await until(() => answered.length > 10);
    await service.end('SIGKILL');
    killed = true;
    await Promise.all(clients);

    const again = await boot({ DATA_DIR: service.dataDir, DOMAIN_LIMIT: '10000', API_RATE_PER_MINUTE: '0' });
    const kept = new Map<string, string>();
    for (let page = 1, more = true; more; page += 1) {
      const { body } = await again.api.call('GET', `/api/v1/domains?limit=100&page=${page}`);
      for (const { domain, id } of body.data) kept.set(domain, id);
      more = body.meta.pagination.hasMore;
    }
    for (const { domain, id } of answered) expect([domain, kept.get(domain)]).toEqual([domain, id]);
    // A half registration would hold a name without its domain, or a domain without its name.
    for (const domain of asked) {
      const { status } = await again.api.call('POST', '/api/v1/domains', parked(domain));
      expect([domain, status]).toEqual([domain, kept.has(domain) ? 409 : 201]);
    }
  });
});

describe('a token that was revoked', () => {
  const admin = async (service: BootedService, ...args: string[]) => {
    const { code, output } = await runToEnd('admin.ts', args, { DATA_DIR: service.dataDir });
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    return output;
  };
  const revokeOwn = async (service: BootedService) =>
    admin(
      service,
      'token',
      'revoke',
      'default',
      (await admin(service, 'token', 'list', 'default')).slice(0, 12),
    );

  test('stays so after a restart, which makes a new one and says so', async () => {
    const { service } = await boot();
    await revokeOwn(service);
    await service.end('SIGTERM');
    const again = await boot({ DATA_DIR: service.dataDir });
    expect(again.service.token).not.toBe(service.token);
    expect(again.service.output()).toContain('a new one: the one before was revoked');
    const status = async (token: string) =>
      (await again.api.call('GET', '/api/v1/domains', { token })).status;
    expect([await status(again.service.token), await status(service.token)]).toEqual([200, 401]);

    await again.service.end('SIGTERM');
    const third = await boot({ DATA_DIR: service.dataDir });
    expect(third.service.token).toBe(again.service.token);
    expect(third.service.output()).not.toContain('a new one');
  });

  test('is refused as API_TOKEN, as one of another organization is', async () => {
    const given = { PORT: '0', SMTP_PORT: '0', API_TOKEN: 'a-token-of-our-own-choice' };
    const { service } = await boot(given);
    await revokeOwn(service);
    const organization = (await admin(service, 'org', 'create', 'Other')).split(' ')[0] ?? '';
    const foreign = (await admin(service, 'token', 'create', organization)).trim();
    await service.end('SIGTERM');
    const start = (API_TOKEN: string) =>
      runToEnd('start.ts', [], { ...given, API_TOKEN, DATA_DIR: service.dataDir });
    expect(await start(given.API_TOKEN)).toEqual({
      code: 1,
      output: expect.stringMatching(/^Cannot start: API_TOKEN is revoked: .*\n$/),
    });
    expect(await start(foreign)).toEqual({
      code: 1,
      output: expect.stringMatching(
        new RegExp(`^Cannot start: API_TOKEN is of organization ${organization}: .*\\n$`),
      ),
    });
  });
});

describe('records published below .test', () => {
  const records = async (service: BootedService, method: string, record: object) => {
    const answer = await fetch(`${service.url}/example-internet/records`, {
      method,
      body: JSON.stringify(record),
    });
    return { status: answer.status, body: await answer.text() };
  };
  const spf = async (api: ApiClient, domain: string) => {
    const { body } = await api.call('POST', '/api/spf-checker', { json: { domain } });
    return body.record;
  };
  const record = { name: 'kept.test', type: 'TXT', value: 'v=spf1 -all' };

  test('are there after a kill, and gone for good when they are taken back', async () => {
    const { service, api } = await boot();
    expect((await records(service, 'POST', record)).status).toBe(200);
    expect(await spf(api, 'kept.test')).toBe('v=spf1 -all');
    await service.end('SIGKILL');
    const again = await boot({ DATA_DIR: service.dataDir });
    expect(await spf(again.api, 'kept.test')).toBe('v=spf1 -all');
    expect((await records(again.service, 'DELETE', record)).status).toBe(200);
    expect((await records(again.service, 'DELETE', record)).status).toBe(404);
    await again.service.end('SIGKILL');
    const third = await boot({ DATA_DIR: service.dataDir });
    expect(await spf(third.api, 'kept.test')).toBeNull();
  });

  test('are refused with the reason', async () => {
    const { service } = await boot();
    for (const [changed, status, reason] of [
      [{ name: 'kept.example' }, 400, 'Only names below .test'],
      [{ name: '*.kept.test' }, 400, 'Wildcards are not served'],
      [{ value: 'x'.repeat(2001) }, 400, 'this one has 2001'],
      [{ type: 'MX' }, 400, 'must be JSON of the form'],
    ] as const) {
      const answer = await records(service, 'POST', { ...record, ...changed });
      expect(answer).toEqual({ status, body: expect.stringContaining(reason) });
    }
    expect((await records(service, 'PUT', record)).status).toBe(405);
  });
});

describe('a start that cannot succeed says why in one line and exits with 1', () => {
  const refusal = async (environment: Record<string, string>) => {
    const { code, output } = await runToEnd('start.ts', [], {
      PORT: '0',
      SMTP_PORT: '0',
      DATA_DIR: mkdtempSync(join(tmpdir(), 'service-')),
      ...environment,
    });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    return output;
  };

  test.each(['PORT', 'SMTP_PORT'])('for a port in use as %s', async (key) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    try {
      expect(await refusal({ [key]: String(port) })).toContain(`${key} ${port} is in use by another process`);
    } finally {
      server.close();
    }
  });

  test('for a data folder that is a file', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'service-')), 'file');
    writeFileSync(file, '');
    expect(await refusal({ DATA_DIR: file })).toContain(file);
  });

  const root = process.getuid?.() === 0;
  (root ? test.skip : test)(
    `for a data folder that cannot be written to${root ? ' (skipped: root may write everywhere)' : ''}`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'service-'));
      chmodSync(folder, 0o500);
      expect(await refusal({ DATA_DIR: folder })).toContain(folder);
    },
  );

  test('for a data folder that another service has', async () => {
    const { service } = await boot();
    expect(await refusal({ DATA_DIR: service.dataDir })).toContain('in use by another service');
  });

  const proc = existsSync('/proc/self');
  (proc ? test : test.skip)(
    `for a data folder below /proc${proc ? '' : ' (skipped: there is none)'}`,
    async () => {
      expect(await refusal({ DATA_DIR: '/proc/x' })).toContain('/proc/x cannot be used');
    },
  );

  test('for one domain that is to receive both reports and test messages', async () => {
    expect(await refusal({ REPORTS_DOMAIN: 'a.example', TESTER_DOMAIN: 'a.example' })).toContain('different');
  });

  test.each([
    ['PORT', 'http'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['SMTP_PORT', '65536'],
    // For documentation (RFC 5737), so of no machine.
    ['LISTEN_ADDRESS', '192.0.2.1'],
    ['DNS_SERVERS', 'dns.example.org'],
    ['HOST_URL', 'monitor'],
    ['API_TOKEN', 'short'],
    ['EXTRA_CA_FILE', '/nowhere/authorities.pem'],
  ])('for %s=%s', async (key, value) => {
    expect(await refusal({ [key]: value })).toContain(key === 'LISTEN_ADDRESS' ? value : key);
  });
});

test('what is printed names every domain of the example internet', async () => {
  const { service } = await boot();
  const names = ['good', 'weak', 'parked', 'broken-spf', 'send-only', 'receive-only', 'servfail'];
  expect(service.output()).toContain(`${names.join('.test, ')}.test`);
});

describe('a given API_TOKEN', () => {
  test('is the token of the default organization', async () => {
    const API_TOKEN = 'a-token-of-our-own-choice';
    const { service, api } = await boot({ API_TOKEN });
    expect(service.token).toBe(API_TOKEN);
    expect((await api.call('GET', '/api/v1/domains')).status).toBe(200);
  });
});
