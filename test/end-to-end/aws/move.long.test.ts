/** A service that moves from one machine to an emulated AWS account, and from there to another machine. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { openArchive } from '../../../lib/admin/move/archive.ts';
import { ADMIN_OUTPUT, adminEnvironment } from '../../../lib/cloud/admin-output.ts';
import { queueOutputs } from '../../../lib/cloud/queue-outputs.ts';
import { ensureTable } from '../../../lib/local/host/tables.ts';
import { queues } from '../../../shared/runtime/workers/trigger.ts';
import { MAX_BATCH, writeBatch } from '../../../shared/store/batch-write.ts';
import { domainPartition, organizationListKey, partitions, reportKey } from '../../../shared/store/keys.ts';
import { startingWith } from '../../../shared/store/query.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { type ApiClient, apiClient } from '../../kit/api-client.ts';
import { describeWith } from '../../kit/describe-with.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import { type BootedService, bootService, run, runToEnd } from '../../kit/service.ts';
import { serviceTable } from '../../kit/service-table.ts';
import { sendMail } from '../../kit/smtp-client.ts';
import { until } from '../../kit/until.ts';
import { useFolder } from '../../kit/use.ts';
import { type Emulator, missingForEmulator, REGION, startEmulator } from './emulator.ts';

/** How many reports move. */
const REPORTS = Number(process.env.MOVED_REPORTS ?? 2_000);

describeWith(await missingForEmulator(), 'a service that moves', () => {
  const folder = useFolder('move');
  const outputs = join(folder, 'outputs.json');
  const [there, back] = [join(folder, 'there'), join(folder, 'back')];
  let emulator: Emulator;
  let client: DynamoDBClient;
  let table: Table;
  let first: BootedService;
  let second: BootedService | undefined;
  let api: ApiClient;
  let domainId: string;

  const onAws = (...args: string[]) =>
    runToEnd('admin.ts', ['--outputs', outputs, ...args], emulator.environment);
  const onMachine = ({ dataDir }: BootedService, ...args: string[]) =>
    runToEnd('admin.ts', args, { DATA_DIR: dataDir });

  beforeAll(async () => {
    first = await bootService();
    api = await apiClient(first);
    emulator = await startEmulator('alerts@alerts.example.org');
    await createAccount();
  });

  afterAll(async () => {
    client?.destroy();
    await first?.remove();
    await second?.remove();
    await emulator?.stop();
  });

  /** What a deployment makes of what an import needs. */
  async function createAccount(): Promise<void> {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const account = { endpoint: emulator.url, region: REGION, credentials };
    const [s3, sqs, kms] = [
      new S3Client({ ...account, forcePathStyle: true }),
      new SQSClient(account),
      new KMSClient(account),
    ];
    client = new DynamoDBClient(account);
    await ensureTable(client, 'service-table');
    table = openTable('service-table', client);
    await s3.send(new CreateBucketCommand({ Bucket: 'service-mail' }));
    const { KeyMetadata } = await kms.send(new CreateKeyCommand());
    const stacks = await Promise.all(
      Object.keys(queues).map(async (name) => {
        const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
        return queueOutputs(name, { queue: QueueUrl, deadLetters: QueueUrl });
      }),
    );
    const where = {
      ...{ AWS_REGION: REGION, TABLE_NAME: 'service-table', MAIL_BUCKET: 'service-mail' },
      SECRETS_KEY: KeyMetadata?.Arn ?? '',
    };
    const settings = { REPORTS_DOMAIN: 'reports.example.org', RETENTION_DAYS: '400' };
    const output = JSON.stringify(adminEnvironment(where, settings));
    writeFileSync(
      outputs,
      JSON.stringify({ service: { ...Object.assign({}, ...stacks), [ADMIN_OUTPUT]: output } }),
    );
    for (const one of [s3, sqs, kms]) one.destroy();
  }

  /** Stores as many reports like the one that arrived. */
  async function multiplyReports(): Promise<void> {
    const stored = await serviceTable(first);
    const [report] = await stored.query(
      startingWith({ pk: domainPartition(domainId), prefix: 'DMARC#' }),
      anyItem,
    );
    expect(report).toBeDefined();
    const copies = Array.from({ length: REPORTS }, (_, n) => {
      return { PutRequest: { Item: { ...report, ...copyKey(n) } } };
    });
    for (let at = 0; at < copies.length; at += MAX_BATCH)
      await writeBatch(stored, copies.slice(at, at + MAX_BATCH));
    await stored.stop();
  }

  const copyKey = (n: number) =>
    reportKey('DMARC', domainId, new Date(Date.parse('2010-01-01') + n * 60_000).toISOString(), `copy-${n}`);

  /** Checksums by the key of what they are of, without those of the audit log, which moving adds to. */
  const sumsOf = (file: string): Map<string, string> => {
    const archive = openArchive(file);
    const sums = [...archive.ranges()].filter(({ pk }) => !pk.startsWith(partitions.audit));
    archive.close();
    return new Map(sums.map(({ pk, prefix, sha256 }) => [`${pk} ${prefix}`, sha256]));
  };

  test('takes everything along, although its import was killed', async () => {
    const path = '/api/v1/domains';
    const created = await api.call('POST', path, { json: { domain: 'weak.test', usageType: 'parked' } });
    const { id, reporting } = created.body.data;
    domainId = id;
    const to = [reporting.ruaAddress.replace('mailto:', '')];
    const message = dmarcMail({ domain: 'weak.test', id: 'original' });
    expect(await sendMail(first.smtpPort, { to, message })).toMatch(/^250/);
    const mails = `${path}/${id}/reports/mails`;
    await until(async () => (await api.call('GET', mails)).body.data[0]?.outcomes.length > 0);
    // Later than the alerts: nothing waits to be sent while the service stops.
    const webhook = { url: 'https://hooks.example.org/secret', threshold: 'info' };
    expect((await api.call('PUT', '/api/v1/notifications', { json: { mail: null, webhook } })).status).toBe(
      200,
    );
    const before = await api.call('GET', `${path}/${id}`);
    await first.end('SIGTERM');
    await multiplyReports();

    const exported = await onMachine(first, 'export', there, '--secrets');
    expect([exported.code, exported.output]).toEqual([0, expect.stringContaining('1 mail\n')]);
    expect(exported.output).not.toContain('queues');

    const killed = run('admin.ts', ['--outputs', outputs, 'import', there], emulator.environment);
    await until(async () => (await table.get(copyKey(REPORTS / 2), anyItem)) !== undefined, {
      timeoutMilliseconds: PATIENCE_MILLISECONDS,
    });
    killed.process.kill('SIGKILL');
    // Nobody can use the half that is there.
    expect(await table.query(startingWith({ pk: organizationListKey('').pk, prefix: '' }), anyItem)).toEqual(
      [],
    );
    const imported = await onAws('import', there);
    expect([imported.code, imported.output]).toEqual([0, expect.stringContaining('1 organization')]);
    expect((await onAws('import', there)).output).toContain('was imported before');

    expect(await onAws('export', back, '--secrets')).toMatchObject({ code: 0 });
    expect(sumsOf(back)).toEqual(sumsOf(there));
    expect(sumsOf(back).size).toBeGreaterThan(5);

    second = await bootService();
    await second.end('SIGTERM');
    expect(await onMachine(second, 'import', back)).toMatchObject({ code: 0 });
    second = await bootService({ DATA_DIR: second.dataDir });
    // The token of the first machine.
    const moved = await apiClient({ url: second.url, token: first.token });
    expect((await moved.call('GET', `${path}/${id}`)).body.data).toEqual(before.body.data);
    expect((await moved.call('GET', '/api/v1/notifications')).body.data.webhook).toMatchObject({
      url: 'https://hooks.example.org',
    });
    const [mail] = (await moved.call('GET', mails)).body.data;
    const raw = await moved.call('GET', `${mails}/${mail.id}/raw`);
    expect(raw.status).toBe(200);
    const { body } = await moved.call('GET', `${path}/${id}/reports/dmarc`);
    expect(body.data.reports[0]).toMatchObject({ reportId: 'original' });
  }, 3_600_000);
});

const anyItem = z.record(z.string(), z.unknown());

/** Many reports take minutes. */
const PATIENCE_MILLISECONDS = 1_800_000;
