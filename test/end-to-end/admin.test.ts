import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { ADMIN_OUTPUT, adminEnvironment } from '../../lib/cloud/admin-output.ts';
import { QUEUES_FILE } from '../../lib/local/stores/files.ts';
import { deadLettersOf, openQueueStore } from '../../lib/local/stores/queues/queue-store.ts';
import { startQueuesAndObjects } from '../../lib/local/stores/queues-and-objects.ts';
import { shownResults } from '../../shared/api/checks.ts';
import { batchOutcome } from '../../shared/api/domains.ts';
import { layoutProblem } from '../../shared/store/migrations/layout.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { adminInProcess } from '../kit/admin.ts';
import { dmarcXml } from '../kit/report-mails.ts';
import { itemsOf, registeredDomain } from '../kit/reports.ts';
import { runToEnd } from '../kit/service.ts';
import type { EmptyTable } from '../kit/table.ts';
import { atEnd, use, useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';
import { useTable } from '../kit/use-table.ts';

const { service, api } = await useApi();

async function admin(...args: string[]): Promise<string> {
  const { code, output } = await adminInProcess(args, { DATA_DIR: service.dataDir });
  expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  return output.trim();
}

const listWith = async (token: string) => (await api.call('GET', '/api/v1/domains', { token })).status;

describe('npm run admin, next to a running service', () => {
  test('creates an organization and a token that works immediately and sees no other organization', async () => {
    const { output } = await runToEnd('admin.ts', ['org', 'create', 'Another', 'organization'], {
      DATA_DIR: service.dataDir,
    });
    const [organization = ''] = output.split(' ');
    const token = await admin('token', 'create', organization, '--name', 'ci');
    await api.call('POST', '/api/v1/domains', { json: { domain: 'ours.example', usageType: 'parked' } });
    expect((await api.call('GET', '/api/v1/domains', { token })).body.data).toEqual([]);

    await admin('org', 'limit', organization, '1');
    expect(await admin('org', 'threshold', organization, '80')).toBe(
      `${organization} is alerted below a score of 80`,
    );
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

  test('deletes a saved result, whose page is then gone', async () => {
    const { body } = await api.call('POST', '/api/spf-checker', {
      ...{ json: { domain: 'good.test', save: true }, token: null },
    });
    const visit = async () => (await fetch(body.shareUrl)).status;
    expect(await visit()).toBe(200);
    expect(await admin('share', 'delete', 'spf', body.shareId)).toBe(`deleted /s/spf/${body.shareId}`);
    expect(await visit()).toBe(404);
  });

  test.each([
    [['token', 'create', 'nowhere'], 'organization not found'],
    [['token', 'revoke', 'default', 'ffffffffffff'], 'no token'],
    [['domain', 'check', 'nobody.example'], 'domain not found: nobody.example'],
    [['notify', 'mail', 'default', 'x@reports.localhost'], 'this service itself receives the mail for'],
    [['notify', 'webhook', 'default', 'https://127.0.0.1/'], 'it points to a private address'],
  ])('%j fails with the reason in one line and exit code 1', async (args, reason) => {
    const { code, output } = await adminInProcess(args, { DATA_DIR: service.dataDir });
    expect([code, output]).toEqual([1, expect.stringMatching(/^error: .+\n$/)]);
    expect(output).toContain(reason);
  });

  test.each([
    [['org', 'limit', 'default', 'many'], 'many is not a number, or "default"'],
    [['org', 'limit', 'default', '-1'], '-1 is not a number'],
    [['org', 'create', '\u001b[31mRed'], 'must not contain control characters'],
    [['org', 'limit', 'default', '1000001'], 'domains: must be a number of domains from 0 to 1000000'],
    [['org', 'limit', 'default', '0x10'], '0x10 is not a number'],
    [['token', 'create', 'default', '--expires', 'soon'], '--expires must be a number of days'],
    [['token', 'create', 'default', '--expires', '-1'], '--expires must be a number of days: -1'],
    [['token', 'create', 'default', '--scope', 'all'], 'scope: must be one of read, write, admin'],
    [['domain', 'add', 'default', 'example.org', '--usage', 'none'], 'usageType: must be one of'],
    [['alerts', 'default', '--severity', 'high'], 'severity: must be one of'],
    [['alerts', 'default', '--limit', '0'], 'limit: must be a whole number from 1 to 100'],
    [['domain', 'fixes', 'weak.test', '--format', 'xml'], '--format must be one of zone, route53, terraform'],
    [['--outputs', 'outputs.json', 'verify-data'], '--outputs has no effect here'],
    [['--bucket', 'mail', 'org', 'list'], '--bucket has an effect only with --outputs or --table'],
  ])('%j is wrong usage, with the reason in one line and exit code 2', async (args, reason) => {
    const { code, output } = await adminInProcess(args, { DATA_DIR: service.dataDir });
    expect([code, output]).toEqual([2, expect.stringMatching(/^error: .+\n$/)]);
    expect(output).toContain(reason);
  });

  test('escapes control characters of what was not found', async () => {
    const { output } = await adminInProcess(['token', 'list', '\u001b[31m'], { DATA_DIR: service.dataDir });
    expect(output).toBe('error: organization not found: \\x1b[31m\n');
  });

  test('rejects a folder without a service, and does not create it', async () => {
    const folder = join(service.dataDir, 'mistyped');
    const { code, output } = await adminInProcess(['org', 'list'], { DATA_DIR: folder });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^error: DATA_DIR .*mistyped contains no service.*\n$/),
    ]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('npm run admin -- domain, and alerts', () => {
  const json = async (...args: string[]) => JSON.parse(await admin(...args, '--json'));
  const data = async (method: string, path: string) => (await api.call(method, path)).body.data;

  test('register domains and list them in the format of the API', async () => {
    const tags = ['--tags', 'shop,production'];
    const outcomes = await adminInProcess(
      ['domain', 'add', 'default', 'Added.example', 'com', '--usage', 'parked', ...tags, '--json'],
      { DATA_DIR: service.dataDir },
    );
    // One was refused.
    expect(outcomes.code).toBe(1);
    expect(z.parse(z.array(batchOutcome), JSON.parse(outcomes.output))).toMatchObject([
      { status: 201, domain: { domain: 'added.example', usageType: 'parked', tags: ['shop', 'production'] } },
      { status: 400, error: { code: 'invalid_request' } },
    ]);
    expect(await json('domain', 'list', 'default')).toEqual(await data('GET', '/api/v1/domains?limit=100'));
    expect(await admin('domain', 'list', 'default')).toMatch(/added\.example {2}not verified {2}parked/);
  });

  test('check a domain as the service does, and recommend changes', async () => {
    const added = await admin('domain', 'add', 'default', 'weak.test', '--test-mailbox', 'postmaster');
    const { id } = (await json('domain', 'list', 'default')).find(
      ({ domain }: { domain: string }) => domain === 'weak.test',
    );
    const { verificationRecord } = await data('GET', `/api/v1/domains/${id}/verify`);
    expect(added).toContain(`publish ${verificationRecord.hostname} TXT "${verificationRecord.value}"`);
    expect(await admin('domain', 'fixes', 'weak.test')).toContain('weak.test was not checked yet');

    const { results, checkedAt } = await json('domain', 'check', 'weak.test');
    expect(z.parse(shownResults, results)).toEqual(results);
    // What is below .test was looked up at the service, which serves it.
    expect(results.dnssec.state).not.toBe('unknown');
    expect(results.spf.record).toMatch(/^v=spf1/);
    const stored = await data('GET', `/api/v1/domains/${id}`);
    expect([stored.lastCheckedAt, stored.checks]).toEqual([checkedAt, results]);
    expect(await admin('domain', 'check', 'weak.test')).toMatch(/of 100[\s\S]*Fix: /);

    const plan = await data('GET', `/api/v1/domains/${id}/fixes`);
    expect(await json('domain', 'fixes', 'weak.test')).toEqual(plan);
    const { body: zone } = await api.call('GET', `/api/v1/domains/${id}/fixes.zone`);
    expect(`${await admin('domain', 'fixes', 'weak.test', '--format', 'zone')}\n`).toBe(zone);
    expect(await admin('domain', 'fixes', 'weak.test')).toContain(plan.changes[0].name);
  });

  test('list alerts, tokens and notification settings in the format of the API', async () => {
    expect(await json('alerts', 'default')).toEqual(await data('GET', '/api/v1/alerts'));
    expect(await json('token', 'list', 'default')).toEqual(await data('GET', '/api/v1/tokens'));
    expect(await json('notify', 'show', 'default')).toEqual(await data('GET', '/api/v1/notifications'));
    expect(await json('org', 'list')).toContainEqual(expect.objectContaining({ id: 'default' }));
    expect(await json('dead-letters', 'list', 'reports')).toEqual([
      { queue: 'reports', count: 0, messages: [] },
    ]);
  });
});

describe('npm run admin, on a deployment', () => {
  let deployed: EmptyTable;
  let folder: string;
  let organization: string;
  beforeAll(async () => {
    deployed = await useTable();
    expect(await layoutProblem(deployed)).toBeUndefined();
    folder = useFolder('deployed');
    organization = (await organizationStore(deployed).create('Deployed', new Date())).id;
  });

  /** Writes a file in the format of `cdk deploy --outputs-file`. */
  function outputsFile(settings: Record<string, string> = {}): string {
    const environment = {
      REPORTS_DOMAIN: 'reports.acme.org',
      TESTER_DOMAIN: 'tester.acme.org',
      SERVICE_LABEL: 'acme',
      ...settings,
    };
    const where = {
      AWS_REGION: 'eu-west-1',
      TABLE_NAME: deployed.name,
      MAIL_BUCKET: 'mail',
      SECRETS_KEY: 'key',
    };
    const service = { [ADMIN_OUTPUT]: JSON.stringify(adminEnvironment(where, environment)) };
    const path = join(folder, 'outputs.json');
    writeFileSync(path, JSON.stringify({ 'domain-monitor-dev-service': service }));
    return path;
  }

  const on = (args: readonly string[], environment: Record<string, string> = {}) => {
    const access = {
      AWS_ENDPOINT_URL_DYNAMODB: deployed.endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
    };
    // The AWS SDK reads them itself.
    Object.assign(process.env, access, environment);
    return adminInProcess(args, { DATA_DIR: '/nowhere/at/all', ...access, ...environment });
  };
  const onTable = (args: readonly string[]) => on(['--table', deployed.name, ...args]);

  test('uses the table that the AWS SDK finds, and ignores the data folder', async () => {
    const created = await onTable(['org', 'create', 'Another']);
    expect([created.code, created.output]).toEqual([0, expect.stringContaining('Another')]);
    expect((await onTable(['org', 'list'])).output).toContain('Deployed');
  });

  test('finds table, region and settings in the stack outputs', async () => {
    const token = await on(['--outputs', outputsFile(), 'token', 'create', organization]);
    expect([token.code, token.output]).toEqual([0, expect.stringMatching(/^acme_/)]);
    const own = await on(['--outputs', outputsFile(), 'notify', 'mail', organization, 'a@reports.acme.org']);
    expect([own.code, own.output]).toEqual([
      1,
      expect.stringContaining('mail.address: this service itself receives the mail for reports.acme.org'),
    ]);
  });

  test.each([
    ['token', 'create', 'SERVICE_LABEL'],
    ['notify', 'mail', 'REPORTS_DOMAIN', 'ops@acme.org'],
  ])('%s %s is rejected if %s is not known', async (topic, verb, key, ...rest) => {
    const { code, output } = await onTable([topic, verb, organization, ...rest]);
    expect([code, output]).toEqual([
      1,
      `error: the setting ${key} of the deployment is unknown: use --outputs, or set the environment variable\n`,
    ]);
  });

  test('lists and redrives dead letters of the queues in the stack outputs', async () => {
    const definition = { name: 'deletions', maxReceiveCount: 5, visibilityTimeoutSeconds: 60 };
    const queues = await use(
      startQueuesAndObjects({
        dataFolder: join(folder, 'queues'),
        buckets: [],
        queues: [definition],
      }),
    );
    const store = openQueueStore(join(folder, 'queues', QUEUES_FILE), [definition]);
    atEnd(() => store.close());
    store.send(deadLettersOf('deletions'), JSON.stringify({ domainId: 'd1' }), 0);
    const path = outputsFile();
    const outputs = JSON.parse(readFileSync(path, 'utf8'));
    outputs['domain-monitor-dev-service'].DeletionsQueueUrl = queues.queueUrl('deletions');
    outputs['domain-monitor-dev-service'].DeletionsDeadLettersUrl = queues.queueUrl(
      deadLettersOf('deletions'),
    );
    writeFileSync(path, JSON.stringify(outputs));
    const where = { AWS_ENDPOINT_URL_SQS: queues.endpoint };
    const listed = await on(['--outputs', path, 'dead-letters', 'list', 'deletions'], where);
    expect([listed.code, listed.output]).toEqual([0, expect.stringContaining('the deletion of domain d1')]);
    const redriven = await on(['--outputs', path, 'dead-letters', 'redrive', 'deletions', '--all'], where);
    expect([redriven.code, redriven.output]).toEqual([0, 'deletions: 1 message sent back to the queue\n']);
    expect([store.counts('deletions').ready, store.counts(deadLettersOf('deletions')).ready]).toEqual([1, 0]);
    const unknown = await onTable(['dead-letters', 'list']);
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('give --outputs')]);
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
