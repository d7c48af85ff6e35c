/** The commands that restore the table of a deployment, on an emulated account with its table and its bucket. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand, UpdateContinuousBackupsCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN_OUTPUT, adminEnvironment } from '../../../lib/cloud/admin-output.ts';
import { ensureTable } from '../../../lib/local/host/tables.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { mailOutcomeStore } from '../../../shared/store/reports/mail-outcomes.ts';
import { openTable } from '../../../shared/store/table.ts';
import { describeWith } from '../../kit/describe-with.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { runToEnd } from '../../kit/service.ts';
import { useFolder } from '../../kit/use.ts';
import { type Emulator, missingForEmulator, REGION, startEmulator } from './emulator.ts';

const [TABLE, RESTORED, BUCKET] = ['service-table', 'restored-table', 'service-mail'];

describeWith(await missingForEmulator(), 'restoring a table', () => {
  const folder = useFolder('restore');
  const outputs = join(folder, 'outputs.json');
  let emulator: Emulator;
  let client: DynamoDBClient;
  let s3: S3Client;
  let domain: Domain;

  const admin = (...args: string[]) =>
    runToEnd('admin.ts', ['--outputs', outputs, ...args], emulator.environment);

  beforeAll(async () => {
    emulator = await startEmulator('alerts@alerts.example.org');
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const account = { endpoint: emulator.url, region: REGION, credentials };
    client = new DynamoDBClient(account);
    s3 = new S3Client({ ...account, forcePathStyle: true });
    await ensureTable(client, TABLE);
    await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const where = { AWS_REGION: REGION, TABLE_NAME: TABLE, MAIL_BUCKET: BUCKET, SECRETS_KEY: 'key' };
    const settings = {
      REPORTS_DOMAIN: 'reports.example.org',
      TESTER_DOMAIN: 'tester.example.org',
      UNAUTHENTICATED_REPORTS: 'set-aside',
    };
    writeFileSync(
      outputs,
      JSON.stringify({ service: { [ADMIN_OUTPUT]: JSON.stringify(adminEnvironment(where, settings)) } }),
    );
    expect(await admin('org', 'list')).toEqual({ code: 0, output: '' });
    domain = await registeredDomain(openTable(TABLE, client));
  });

  afterAll(async () => {
    client?.destroy();
    s3?.destroy();
    await emulator?.stop();
  });

  /** Stores a report mail as SES does. Nobody signed it, and no name server answers, so nobody knows who sent it. */
  const arrive = (messageId: string) =>
    s3.send(
      new PutObjectCommand({
        Bucket: BUCKET,
        Key: `reports/${messageId}`,
        Body: [
          'Return-Path: <dmarc@[192.0.2.10]>',
          'Received: from mail (mail [192.0.2.10])',
          ` by inbound-smtp.${REGION}.amazonaws.com with SMTP id ${messageId}`,
          ` for ${domain.mailbox}@reports.example.org; ${new Date().toUTCString()}`,
          dmarcMail({ domain: domain.domain, id: messageId }, { from: 'dmarc@[192.0.2.10]' }),
        ].join('\r\n'),
      }),
    );

  test('is refused without point-in-time recovery', async () => {
    const { code, output } = await admin('drill');
    expect([code, output]).toEqual([1, `error: ${TABLE} has no point-in-time recovery\n`]);
  });

  test('is rehearsed on a copy, which is deleted afterwards', async () => {
    await client.send(
      new UpdateContinuousBackupsCommand({
        TableName: TABLE,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
    await arrive('rehearsed');
    const { code, output } = await admin('drill');
    expect([code, output]).toEqual([0, expect.stringContaining('the drill succeeded')]);
    expect(output).toContain('1 mail since');
    expect((await client.send(new ListTablesCommand())).TableNames).toEqual([TABLE]);
    const { domains } = await domainStore(openTable(TABLE, client)).list(domain.organization, 1, 10);
    expect(domains).toHaveLength(1);
  });

  test('leaves a revoked token revoked, and a mail of an unknown sender set aside', async () => {
    const { organization } = domain;
    await admin('token', 'create', organization, '--name', 'revoked');
    const at = new Date().toISOString();
    const started = await admin('table', 'restore', RESTORED, '--at', at);
    expect([started.code, started.output]).toEqual([0, expect.stringContaining(`${RESTORED} is restored`)]);
    // Repeating it goes on.
    expect(await admin('table', 'restore', RESTORED, '--at', at)).toEqual(started);
    const organizations = organizationStore(openTable(TABLE, client));
    for (const token of await organizations.listTokens(organization))
      await organizations.revokeToken(token, new Date());
    await arrive('later');
    const finished = await admin('table', 'finish', '--table', RESTORED, '--at', at, '--old-table', TABLE);
    expect(finished.output).toContain('1 token revoked again');
    expect(finished.code).toBe(0);
    const restored = openTable(RESTORED, client);
    const [token] = await organizationStore(restored).listTokens(organization);
    expect(token?.revokedAt).not.toBeNull();
    const kinds: string[] = [];
    for await (const { outcomes } of mailOutcomeStore(restored, { retentionDays: 0 }).all(domain.id))
      kinds.push(...outcomes.map(({ kind }) => kind));
    expect(kinds).toEqual(['set-aside', 'set-aside']);
  });
});
