/**
 * The stacks, deployed by the CDK to an emulated AWS account: what CloudFormation creates must work with the policies,
 * events and limits of an account.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { type ExampleInternet, startExampleInternet } from '../../../lib/local/example-internet/index.ts';
import { type ApiClient, apiClient } from '../../kit/api-client.ts';
import { compileCache } from '../../kit/compile-cache.ts';
import { describeWith } from '../../kit/describe-with.ts';
import { mailTester } from '../../kit/mail-tester.ts';
import { dmarcMail } from '../../kit/report-mails.ts';
import { bootService, runToEnd } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { use, useFolder } from '../../kit/use.ts';
import { type AwsAccount, awsAccount, serveApi } from './aws.ts';
import { ACCOUNT, type Emulator, missingForEmulator, REGION, startEmulator } from './emulator.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SENDER = 'alerts@alerts.example.org';
const OPERATOR = 'operator@good.test';
const DOMAIN = 'watched.test';

const COMMAND_MILLISECONDS = 60_000;
const DEPLOY_MILLISECONDS = 240_000;

/** Two turns of the schedules, which start functions once a minute, and their work. */
const SCHEDULE_MILLISECONDS = 150_000;

describeWith(await missingForEmulator(), 'a deployment to emulated AWS', () => {
  const folder = useFolder('deployment');
  const outputs = join(folder, 'outputs.json');
  let emulator: Emulator;
  let aws: AwsAccount;
  let internet: ExampleInternet;
  let served: Awaited<ReturnType<typeof serveApi>>;
  let token: string;
  let api: ApiClient;
  let id: string;
  let reportAddress: string;

  /** Runs a program of this project to its end. Rejects with its output if it fails or exceeds the time limit. */
  function run(timeout: number, ...args: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = {
        cwd: ROOT,
        // Without the template validator of CDK, which the documented synthesis includes.
        env: { ...emulator.environment, ...compileCache, TMPDIR: folder, CDK_VALIDATION: 'false' },
        timeout,
        maxBuffer: 2 ** 26,
      };
      execFile(process.execPath, args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr);
        else reject(new Error(`${args.join(' ')}:\n${stdout}${stderr}`, { cause: error }));
      });
    });
  }
  const cdk = (...args: string[]) =>
    run(
      DEPLOY_MILLISECONDS,
      'node_modules/aws-cdk/bin/cdk',
      ...args,
      '--ci',
      '--output',
      join(folder, 'cdk.out'),
    );
  const stage = join(folder, 'stage.jsonc');
  const settings = () => ({
    reportsDomain: 'reports.example.org',
    testerDomain: 'tester.example.org',
    alertSender: SENDER,
    checkIntervalSeconds: 4,
    dnsServers: internet.dnsServers,
    dnssecTrustAnchors: internet.trustAnchors,
  });
  const deploy = () => {
    const files = ['--outputs-file', outputs, '--output', join(folder, 'cdk.out')];
    return run(DEPLOY_MILLISECONDS, 'bin/deploy.ts', stage, ...files, '--require-approval', 'never');
  };
  const admin = async (...args: string[]) =>
    (await run(COMMAND_MILLISECONDS, 'bin/admin.ts', '--outputs', outputs, ...args)).trim();
  const publish = (name: string, value: string) =>
    expect(internet.publish({ name: `${name}.${DOMAIN}`, type: 'TXT', value })).toBeUndefined();

  beforeAll(async () => {
    internet = await use(startExampleInternet({ forwardTo: [] }));
    emulator = await use(startEmulator(SENDER));
    aws = awsAccount(emulator);
    writeFileSync(stage, JSON.stringify(settings()));
    await expect(run(COMMAND_MILLISECONDS, 'bin/preflight.ts', stage)).rejects.toThrow('npx cdk bootstrap');
    await cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`, '-c', `settings=${stage}`);
    // It fails late: the stack of the data exists by then.
    const wrong = Object.entries({ ...settings(), receiptRuleSetName: 'missing' });
    const given = wrong.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    await expect(cdk('deploy', '--all', '--require-approval', 'never', ...given)).rejects.toThrow(
      'domain-monitor-dev-mail',
    );
    await deploy();
    const stacks: Record<string, Record<string, string>> = JSON.parse(readFileSync(outputs, 'utf8'));
    const url = Object.values(stacks).find(({ ApiUrl }) => ApiUrl !== undefined)?.ApiUrl ?? '';
    served = await use(serveApi(emulator, url));
  }, 3 * DEPLOY_MILLISECONDS);

  test("obeys the operator's commands", async () => {
    const organization = (await admin('org', 'create', 'Example')).split(' ')[0] ?? '';
    token = await admin('token', 'create', organization);
    await admin('notify', 'mail', organization, OPERATOR);
    expect(await admin('notify', 'show', organization)).toContain(OPERATOR);
    expect(await admin('dead-letters', 'list')).toContain('none');
    api = await apiClient({ url: served.url, token });
  });

  test('verifies a domain', async () => {
    publish('_dmarc', 'v=DMARC1; p=reject');
    const { body } = await api.call('POST', '/api/v1/domains', {
      json: { domain: DOMAIN, usageType: 'parked' },
    });
    id = body.data.id;
    reportAddress = body.data.reporting.ruaAddress.replace('mailto:', '');
    publish('_svc', `svc-verify=${body.data.verificationToken}`);
    const { status } = await api.call('POST', `/api/v1/domains/${id}/verify`);
    expect(status).toBe(200);
    await until(
      async () => (await api.call('GET', `/api/v1/domains/${id}`)).body.data.lastCheckedAt !== null,
      {
        timeoutMilliseconds: SCHEDULE_MILLISECONDS,
        what: 'the first check',
      },
    );
    // The schedules find this change while the next tests run.
    internet.withdraw({ name: `_dmarc.${DOMAIN}`, type: 'TXT', value: 'v=DMARC1; p=reject' });
    publish('_dmarc', 'v=DMARC1; p=none');
  });

  test('passes the smoke test', async () => {
    const output = await run(COMMAND_MILLISECONDS, 'bin/smoke.ts', '--url', served.url, '--token', token);
    expect(output).toMatch(/^\d+ ok, 0 failed, 0 skipped$/m);
  });

  test('ingests a report mail', async () => {
    const report = dmarcMail({ domain: DOMAIN, rows: [{ count: 12, result: 'pass' }] });
    await aws.receiveMail('dmarc@reporter.test', reportAddress, report);
    const summary = async () =>
      (await api.call('GET', `/api/v1/domains/${id}/reports/dmarc`)).body.data.summary;
    await until(async () => (await summary()).totalMessages === 12, { what: 'that the report is counted' });
  });

  test('analyzes a test message', async () => {
    const tester = mailTester(api);
    const { testId, email } = await tester.open();
    const message = `From: me@good.test\r\nTo: ${email}\r\nSubject: Test\r\n\r\nHello\r\n`;
    await aws.receiveMail('me@good.test', email, message);
    expect((await tester.seen(testId)).status).toBe('completed');
  });

  test(
    'is not changed by a second deployment',
    async () => {
      const output = await deploy();
      const unchanged = [...output.matchAll(/(\w+) \(no changes\)/g)].map(([, part]) => part);
      expect(unchanged.toSorted()).toEqual([
        ...['alarms', 'data', 'endpoints', 'mail', 'people', 'routes', 'service'],
      ]);
    },
    DEPLOY_MILLISECONDS,
  );

  test(
    'finds a change on schedule, and mails the alert',
    async () => {
      const changes = async () =>
        (await api.call('GET', `/api/v1/alerts?domainId=${id}`)).body.data.filter(
          ({ type }: { type: string }) => type === 'dns_change',
        );
      await until(async () => (await changes()).length > 0, {
        timeoutMilliseconds: SCHEDULE_MILLISECONDS,
        what: 'the alert',
      });
      expect((await changes())[0].metadata).toMatchObject({
        check: 'dmarc',
        recordsAdded: ['v=DMARC1; p=none'],
      });
      const mailed = async () => (await aws.sentMail()).find(({ BodyText }) => BodyText.includes(DOMAIN));
      await until(async () => (await mailed()) !== undefined, {
        timeoutMilliseconds: SCHEDULE_MILLISECONDS,
        what: 'the alert mail',
      });
      const mail = await mailed();
      expect(mail?.To).toEqual([OPERATOR]);
      expect(mail?.Source).toContain(SENDER);
    },
    2 * SCHEDULE_MILLISECONDS,
  );

  test('refuses to lose the sender of alerts because its setting is missing', async () => {
    const { alertSender: _missing, ...rest } = settings();
    writeFileSync(stage, JSON.stringify(rest));
    await expect(deploy()).rejects.toThrow('--confirm-removal AlertSender');
    writeFileSync(stage, JSON.stringify(settings()));
  });

  test('fails on exactly the route whose role is denied access to the table', async () => {
    const statuses = () =>
      Promise.all(
        ['alerts', 'domains'].map(async (path) => (await api.call('GET', `/api/v1/${path}`)).status),
      );
    const allowAgain = await aws.deny(routes.listAlerts.summary, 'dynamodb:*');
    expect(await statuses()).toEqual([500, 200]);
    await allowAgain();
    expect(await statuses()).toEqual([200, 200]);
  });

  test('fails its check of the rule set while another one is active, or while it may not ask', async () => {
    const summary = 'Fails while the receipt rule set of this deployment is not active';
    expect(await aws.invoke(summary)).toBeUndefined();
    const giveBack = await aws.takeOver('theirs');
    expect(await aws.invoke(summary)).toMatch(/^The receipt rule set theirs is active instead of /);
    await giveBack();
    const allowAgain = await aws.deny(summary, 'ses:*');
    expect(await aws.invoke(summary)).toContain('ses:DescribeActiveReceiptRuleSet');
    await allowAgain();
    expect(await aws.invoke(summary)).toBeUndefined();
  });

  test('moves to a machine', async () => {
    const archive = join(folder, 'archive');
    expect(await admin('export', archive, '--secrets')).toContain('1 organization, ');
    const machine = await bootService();
    await machine.end('SIGTERM');
    const imported = await runToEnd('admin.ts', ['import', archive], { DATA_DIR: machine.dataDir });
    expect([imported.code, imported.output]).toEqual([
      0,
      expect.stringMatching(/1 organization, .* compared$/m),
    ]);
    const again = await bootService({ DATA_DIR: machine.dataDir });
    const moved = await apiClient({ url: again.url, token });
    expect((await moved.call('GET', `/api/v1/domains/${id}`)).body.data).toMatchObject({ domain: DOMAIN });
    await again.remove();
  });

  test(
    'is removed',
    async () => {
      await cdk('destroy', '--all', '--force', '-c', `settings=${stage}`);
      const stacks = await aws.stackNames();
      expect(stacks).toEqual(['CDKToolkit']);
    },
    DEPLOY_MILLISECONDS,
  );
});
