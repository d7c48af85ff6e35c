import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_OUTPUT, adminEnvironment } from '../../lib/cloud/admin-output.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { dmarcXml } from '../kit/report-mails.ts';
import { itemsOf, registeredDomain } from '../kit/reports.ts';
import { type BootedService, bootService, runToEnd } from '../kit/service.ts';
import { type EmptyTable, emptyTable } from '../kit/table.ts';

let service: BootedService;
let api: ApiClient;

beforeAll(async () => {
  service = await bootService();
  api = await apiClient(service);
});
afterAll(() => service.remove());

async function admin(...args: string[]): Promise<string> {
  const { code, output } = await runToEnd('admin.ts', args, { DATA_DIR: service.dataDir });
  expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  return output.trim();
}

const listWith = async (token: string) => (await api.call('GET', '/api/v1/domains', { token })).status;

describe('npm run admin, beside a running service', () => {
  test('makes an organization and a token that works at once, apart from all others', async () => {
    const organization = (await admin('org', 'create', 'Another', 'organization')).split(' ')[0] ?? '';
    const token = await admin('token', 'create', organization, '--name', 'ci');
    await api.call('POST', '/api/v1/domains', { json: { domain: 'ours.example', usageType: 'parked' } });
    expect((await api.call('GET', '/api/v1/domains', { token })).body.data).toEqual([]);

    await admin('org', 'limit', organization, '1');
    expect(await admin('org', 'threshold', organization, '80')).toBe(`${organization} is alerted below 80`);
    const register = (domain: string) =>
      api.call('POST', '/api/v1/domains', { token, json: { domain, usageType: 'parked' } });
    expect((await register('one.example')).status).toBe(201);
    const second = await register('two.example');
    expect([second.status, second.body.error.code]).toEqual([403, 'domain_limit_reached']);

    const listed = await admin('token', 'list', organization);
    expect(listed).toContain('ci');
    expect(listed).not.toContain(token);
    await admin('token', 'revoke', organization, listed.slice(0, 12));
    expect(await listWith(token)).toBe(401);
    expect(await listWith(service.token)).toBe(200);
    expect(await admin('org', 'list')).toContain(organization);
  });

  test.each([
    [['token', 'create', 'nowhere'], 'no such organization'],
    [['token', 'revoke', 'default', 'ffffffffffff'], 'no token'],
    [['org', 'limit', 'default', 'many'], 'not a number'],
    [['org', 'limit', 'default', '-1'], 'not a number of domains from 0 to 1000000: -1'],
    [['org', 'create', '\u001b[31mRed'], 'no control characters'],
    [['token', 'create', 'default', '--expires', 'soon'], 'not a number of days'],
    [['token', 'create', 'default', '--expires', '-1'], 'not a number of days: -1'],
    [['token', 'create', 'default', '--name'], '--name needs a value'],
    [['token', 'create', 'default', '--unknown'], 'unknown option: --unknown; there is --name'],
    [['token', 'list', '\u001b[31m'], 'no such organization: \\x1b[31m'],
    [['org'], 'unknown command: org; there is org create, org list'],
    [['nonsense', 'at', 'all'], 'unknown command: nonsense at'],
  ])('refuses %j and says why in one line', async (args, reason) => {
    const { code, output } = await runToEnd('admin.ts', args, { DATA_DIR: service.dataDir });
    expect([code, output]).toEqual([1, expect.stringMatching(/^error: .+\n$/)]);
    expect(output).toContain(reason);
  });

  test('shows what there is when it is given nothing', async () => {
    const { code, output } = await runToEnd('admin.ts', [], { DATA_DIR: service.dataDir });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^Usage: [\s\S]+\n\nerror: a command is missing\n$/),
    ]);
  });

  test.each([['admin.ts'], ['dns.ts'], ['smoke.ts'], ['inspect.ts']])(
    '%s --help shows what there is',
    async (main) => {
      const { code, output } = await runToEnd(main, ['--help'], { DATA_DIR: '/nowhere/at/all' });
      expect([code, output]).toEqual([0, expect.stringMatching(/^Usage: npm run /)]);
      expect(output).not.toContain('error');
    },
  );

  test('refuses a folder that holds no service, and makes none', async () => {
    const folder = join(service.dataDir, 'mistyped');
    const { code, output } = await runToEnd('admin.ts', ['org', 'list'], { DATA_DIR: folder });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^error: DATA_DIR .*mistyped holds no service.*\n$/),
    ]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('npm run admin, on a deployment', () => {
  let deployed: EmptyTable;
  let folder: string;
  let organization: string;
  beforeAll(async () => {
    deployed = await emptyTable();
    folder = mkdtempSync(join(tmpdir(), 'deployed-'));
    organization = (await organizationStore(deployed).create('Deployed', new Date())).id;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await deployed.stop();
  });

  /** A file as `cdk deploy --outputs-file` writes it. */
  function outputsFile(settings: Record<string, string> = {}): string {
    const environment = {
      REPORTS_DOMAIN: 'reports.acme.org',
      TESTER_DOMAIN: 'tester.acme.org',
      SERVICE_LABEL: 'acme',
      ...settings,
    };
    const where = { AWS_REGION: 'eu-west-1', TABLE_NAME: deployed.name, MAIL_BUCKET: 'mail' };
    const service = { [ADMIN_OUTPUT]: JSON.stringify(adminEnvironment(where, environment)) };
    const path = join(folder, 'outputs.json');
    writeFileSync(path, JSON.stringify({ 'domain-monitor-dev-service': service }));
    return path;
  }

  const on = (args: readonly string[], environment: Record<string, string> = {}) =>
    runToEnd('admin.ts', args, {
      DATA_DIR: '/nowhere/at/all',
      AWS_ENDPOINT_URL_DYNAMODB: deployed.endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      ...environment,
    });
  const onTable = (args: readonly string[], environment: Record<string, string> = {}) =>
    on(['--table', deployed.name, ...args], { AWS_REGION: 'us-east-1', ...environment });

  test('works on the table that the AWS SDK finds, and leaves the data folder alone', async () => {
    const created = await onTable(['org', 'create', 'Another']);
    expect([created.code, created.output]).toEqual([0, expect.stringContaining('Another')]);
    expect((await onTable(['org', 'list'])).output).toContain('Deployed');
  });

  test('finds table, region and settings in the outputs', async () => {
    const token = await on(['--outputs', outputsFile(), 'token', 'create', organization]);
    expect([token.code, token.output]).toEqual([0, expect.stringMatching(/^acme_/)]);
    const own = await on(['--outputs', outputsFile(), 'notify', 'mail', organization, 'a@reports.acme.org']);
    expect([own.code, own.output]).toEqual([1, expect.stringContaining('a@reports.acme.org is refused')]);
  });

  test.each([
    ['token', 'create', 'SERVICE_LABEL'],
    ['notify', 'mail', 'REPORTS_DOMAIN', 'ops@acme.org'],
  ])('%s %s is refused where nobody says what %s is', async (topic, verb, key, ...rest) => {
    const { code, output } = await onTable([topic, verb, organization, ...rest]);
    expect([code, output]).toEqual([
      1,
      `error: ${key} of the deployment is not known: give --outputs, or set it in the environment\n`,
    ]);
  });

  test('stores imported reports for as long as the deployment keeps them', async () => {
    const domain = await registeredDomain(deployed);
    const report = join(folder, 'report.xml');
    writeFileSync(report, dmarcXml({ domain: domain.domain }));
    const imported = ['import-reports', domain.domain, report];
    const unknown = await onTable(imported);
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('RETENTION_DAYS of the')]);
    const outputs = outputsFile({ RETENTION_DAYS: '90' });
    const { code } = await on(['--outputs', outputs, ...imported], { RETENTION_DAYS: '0' });
    expect(code).toBe(0);
    const kept = (await itemsOf(deployed, domain)).filter(({ sk }) => String(sk).startsWith('DMARC'));
    expect(kept.length).toBeGreaterThan(0);
    for (const item of kept) expect(item).toHaveProperty('expiresAt');
  });
});
