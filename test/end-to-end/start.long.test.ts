/** What starts the service several times, kills it, or refuses to start; see `start.test.ts` for a usual start. */
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { adminInProcess } from '../kit/admin.ts';
import type { ApiClient } from '../kit/api-client.ts';
import { publishTxt } from '../kit/example-internet.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import { type BootedService, run, runToEnd } from '../kit/service.ts';
import { sendMail } from '../kit/smtp-client.ts';
import { until } from '../kit/until.ts';
import { atEnd, useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const parked = (domain: string) => ({ json: { domain, usageType: 'parked' } });

describe('a restart', () => {
  test('after kill -9 during requests keeps every confirmed registration, and no partial one', async () => {
    const { service, api } = await useApi({ DOMAIN_LIMIT: '10000', API_RATE_PER_MINUTE: '0' });
    const confirmed: { id: string; domain: string }[] = [];
    const requested = new Set<string>();
    let killed = false;
    const client = async (number: number) => {
      for (let n = 0; !killed; n += 1) {
        const domain = `d${number}-${n}.example`;
        requested.add(domain);
        const answer = await api.call('POST', '/api/v1/domains', parked(domain)).catch(() => undefined);
        if (answer?.status === 201) confirmed.push(answer.body.data);
      }
    };
    const clients = Array.from({ length: 8 }, (_, number) => client(number));
    await until(() => confirmed.length > 10);
    await service.end('SIGKILL');
    killed = true;
    await Promise.all(clients);

    const again = await useApi({
      DATA_DIR: service.dataDir,
      DOMAIN_LIMIT: '10000',
      API_RATE_PER_MINUTE: '0',
    });
    const kept = new Map<string, string>();
    for (let page = 1, more = true; more; page += 1) {
      const { body } = await again.api.call('GET', `/api/v1/domains?limit=100&page=${page}`);
      for (const { domain, id } of body.data) kept.set(domain, id);
      more = body.meta.pagination.hasMore;
    }
    for (const { domain, id } of confirmed) expect([domain, kept.get(domain)]).toEqual([domain, id]);
    // A partial registration would hold a name without its domain, or a domain without its name.
    for (const domain of requested) {
      const { status } = await again.api.call('POST', '/api/v1/domains', parked(domain));
      expect([domain, status]).toEqual([domain, kept.has(domain) ? 409 : 201]);
    }
  });
});

describe('a revoked token', () => {
  const admin = async (service: BootedService, ...args: string[]) => {
    const { code, output } = await adminInProcess(args, { DATA_DIR: service.dataDir });
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

  test('stays revoked after a restart, which creates and announces a new one', async () => {
    const { service } = await useApi();
    await revokeOwn(service);
    await service.end('SIGTERM');
    const again = await useApi({ DATA_DIR: service.dataDir });
    expect(again.service.token).not.toBe(service.token);
    expect(again.service.output()).toContain('(new; the previous token was revoked)');
    const status = async (token: string) =>
      (await again.api.call('GET', '/api/v1/domains', { token })).status;
    expect([await status(again.service.token), await status(service.token)]).toEqual([200, 401]);

    await again.service.end('SIGTERM');
    const third = await useApi({ DATA_DIR: service.dataDir });
    expect(third.service.token).toBe(again.service.token);
    expect(third.service.output()).not.toContain('(new; ');
  });

  test('is rejected as API_TOKEN, as is one of another organization', async () => {
    const given = { PORT: '0', SMTP_PORT: '0', API_TOKEN: 'a-token-of-our-own-choice' };
    const { service } = await useApi(given);
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
        new RegExp(`^Cannot start: API_TOKEN is a token of the organization ${organization}: .*\\n$`),
      ),
    });
  });
});

describe('the data folder is accessible only to its owner', () => {
  /** Returns a folder and everything in it. Omits symbolic links and their targets. */
  function tree(folder: string): { path: string; isFolder: boolean; mode: number }[] {
    const below = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return tree(path);
      return entry.isFile() ? [{ path, isFolder: false, mode: statSync(path).mode & 0o777 }] : [];
    });
    return [{ path: folder, isFolder: true, mode: statSync(folder).mode & 0o777 }, ...below];
  }

  const openToOthers = (folder: string) =>
    tree(folder)
      .filter(({ isFolder, mode }) => mode !== (isFolder ? 0o700 : 0o600))
      .map(({ path, mode }) => `${path} ${mode.toString(8)}`);

  /** Writes to every kind of storage. */
  async function use({ service, api }: Awaited<ReturnType<typeof useApi>>): Promise<void> {
    const address = async () => {
      const { body } = await api.call('GET', '/api/v1/domains');
      return body.data[0].reporting.ruaAddress.replace('mailto:', '');
    };
    await api.call('POST', '/api/v1/domains', parked('owner.example'));
    await sendMail(service.smtpPort, {
      to: [await address()],
      message: dmarcMail({ domain: 'owner.example' }),
    });
    await until(async () => (await api.call('GET', '/api/v1/alerts')).body.data.length > 0);
    await publishTxt(service, 'kept.test', 'x');
    const notify = (...args: string[]) => adminInProcess(['notify', ...args], { DATA_DIR: service.dataDir });
    await notify('mail', 'default', 'ops@example.org');
    const mails = () => readdirSync(join(service.dataDir, 'outbox')).length;
    const before = mails();
    await notify('test', 'default');
    await until(() => mails() > before);
  }

  let umask: number;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
  });

  test('whatever the umask, and whatever its permissions before the start', async () => {
    const DATA_DIR = join(useFolder('service'), 'made', 'by itself');
    // Notifications go out as often as checks run.
    const environment = { DATA_DIR, CHECK_INTERVAL_SECONDS: '1' };
    const first = await useApi(environment);
    await use(first);
    const names = [
      'objects.sqlite-wal',
      'queues.sqlite-wal',
      'table.sqlite-wal',
      'api-token',
      'authorities.pem',
    ];
    expect(readdirSync(DATA_DIR)).toEqual(expect.arrayContaining(names));
    expect(openToOthers(DATA_DIR)).toEqual([]);
    await first.service.end('SIGKILL');

    // A careless restore from a backup sets such permissions.
    const outside = useFolder('service');
    writeFileSync(join(outside, 'file'), '');
    chmodSync(outside, 0o755);
    chmodSync(join(outside, 'file'), 0o644);
    mkdirSync(join(DATA_DIR, 'folder', 'below'), { recursive: true });
    writeFileSync(join(DATA_DIR, 'folder', 'below', 'file'), '');
    symlinkSync(outside, join(DATA_DIR, 'link'));
    symlinkSync(join(outside, 'file'), join(DATA_DIR, 'folder', 'link'));
    for (const { path, isFolder } of tree(DATA_DIR)) chmodSync(path, isFolder ? 0o755 : 0o644);
    const again = await useApi(environment);
    expect(openToOthers(DATA_DIR)).toEqual([]);
    await use(again);
    expect(openToOthers(DATA_DIR)).toEqual([]);
    expect([outside, join(outside, 'file')].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o755, 0o644,
    ]);
  });

  test('if DATA_DIR is a symbolic link', async () => {
    const folder = useFolder('service');
    chmodSync(folder, 0o755);
    const DATA_DIR = join(useFolder('service'), 'link');
    symlinkSync(folder, DATA_DIR);
    await useApi({ DATA_DIR });
    expect(openToOthers(folder)).toEqual([]);
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

  test('survive a kill, and are gone permanently after their deletion', async () => {
    const { service, api } = await useApi();
    expect((await records(service, 'POST', record)).status).toBe(200);
    expect(await spf(api, 'kept.test')).toBe('v=spf1 -all');
    await service.end('SIGKILL');
    const again = await useApi({ DATA_DIR: service.dataDir });
    expect(await spf(again.api, 'kept.test')).toBe('v=spf1 -all');
    expect((await records(again.service, 'DELETE', record)).status).toBe(200);
    expect((await records(again.service, 'DELETE', record)).status).toBe(404);
    await again.service.end('SIGKILL');
    const third = await useApi({ DATA_DIR: service.dataDir });
    expect(await spf(third.api, 'kept.test')).toBeNull();
  });

  test('are rejected with the reason', async () => {
    const { service } = await useApi();
    for (const [changed, status, reason] of [
      [{ name: 'kept.example' }, 400, 'Only names under .test'],
      [{ name: '*.kept.test' }, 400, 'Wildcards are not supported'],
      [{ value: 'x'.repeat(2001) }, 400, 'this one has 2001'],
      [{ type: 'MX' }, 400, 'type must be TXT'],
    ] as const) {
      const answer = await records(service, 'POST', { ...record, ...changed });
      expect(answer).toEqual({ status, body: expect.stringContaining(reason) });
    }
    expect((await records(service, 'PATCH', record)).status).toBe(405);
  });
});

describe('a start that cannot succeed prints the reason in one line and exits with 1', () => {
  const refusal = async (environment: Record<string, string>) => {
    const { code, output } = await runToEnd('start.ts', [], {
      PORT: '0',
      SMTP_PORT: '0',
      DATA_DIR: useFolder('service'),
      ...environment,
    });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    return output;
  };

  test('for a port in use for mail', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    atEnd(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await refusal({ SMTP_PORT: String(port) })).toContain(
      `SMTP_PORT ${port} is in use by another process`,
    );
  });

  test('for a data folder that is a file', async () => {
    const file = join(useFolder('service'), 'file');
    writeFileSync(file, '');
    expect(await refusal({ DATA_DIR: file })).toContain(file);
  });

  const root = process.getuid?.() === 0;
  (root ? test.skip : test)(
    `for a data folder that is not writable${root ? ' (skipped: root may write everywhere)' : ''}`,
    async () => {
      const folder = useFolder('service');
      chmodSync(folder, 0o500);
      expect(await refusal({ DATA_DIR: folder })).toContain(folder);
    },
  );

  test('for a data folder that another service uses', async () => {
    const { service } = await useApi();
    expect(await refusal({ DATA_DIR: service.dataDir })).toContain('in use by another service');
  });

  const proc = existsSync('/proc/self');
  (proc ? test : test.skip)(
    `for a data folder under /proc${proc ? '' : ' (skipped: there is none)'}`,
    async () => {
      expect(await refusal({ DATA_DIR: '/proc/x' })).toContain('/proc/x cannot be used');
    },
  );

  test.each([
    ['PORT', 'http'],
    // An address for documentation (RFC 5737), so no machine has it.
    ['LISTEN_ADDRESS', '192.0.2.1'],
    ['EXTRA_CA_FILE', '/nowhere/authorities.pem'],
    ['IP_DATA', '/nowhere/asn.mmdb'],
    ['IP_DATA', '/etc/hostname'],
  ])('for %s=%s', async (key, value) => {
    expect(await refusal({ [key]: value })).toContain(key === 'LISTEN_ADDRESS' ? value : key);
  });
});

describe('the startup output', () => {
  const link = /\/console\/sign-in\?link=([\w.-]+)/;

  const script = existsSync('/usr/bin/script');
  (script ? test : test.skip)(
    `has the token and a sign-in link in a terminal${script ? '' : ' (skipped: no script)'}`,
    async () => {
      const DATA_DIR = useFolder('service');
      const environment = { PORT: '0', SMTP_PORT: '0', LOG_LEVEL: 'error', DATA_DIR };
      const { process: terminal, output } = run('start.ts', [], environment, { inTerminal: true });
      try {
        await until(() => output().includes('Press Ctrl-C'));
        expect(output()).toContain(readFileSync(join(DATA_DIR, 'api-token'), 'utf8').trim());
        expect(output()).toMatch(link);
        const closed = once(terminal, 'close');
        terminal.stdin?.write('\u0003');
        expect((await closed)[0]).toBe(0);
      } finally {
        terminal.kill('SIGKILL');
      }
    },
  );
});
