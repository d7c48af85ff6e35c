/** What a deployment asks an account, and what it refuses; the account is a fake, and the CDK is not run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Account } from '../../../../lib/admin/deploy/account.ts';
import { runDeploy, runPreflight } from '../../../../lib/admin/deploy/deploy.ts';
import { ADMIN_OUTPUT, adminEnvironment } from '../../../../lib/cloud/admin-output.ts';
import { CommandError } from '../../../../lib/terminal/command-line.ts';
import { useFolder } from '../../../kit/use.ts';

const folder = useFolder('deploy');
const file = join(folder, 'stage.jsonc');

const ACCOUNT = '111122223333';
const CERTIFICATE = `arn:aws:acm:eu-west-1:${ACCOUNT}:certificate/0b1c`;

/** Writes the settings of a stage that keeps its data. */
function stage(given: object = {}): string {
  const needed = {
    stage: 'prod',
    account: ACCOUNT,
    region: 'eu-west-1',
    reportsDomain: 'reports.acme.org',
    testerDomain: 'tester.acme.org',
    lambdaConcurrency: 1000,
  };
  writeFileSync(file, JSON.stringify({ ...needed, ...given }));
  return file;
}

/** An account in which nothing is in the way. */
const ready: Account = {
  region: 'eu-west-1',
  identity: async () => ACCOUNT,
  stack: async (name) => (name === 'CDKToolkit' ? { status: 'CREATE_COMPLETE', outputs: {} } : undefined),
  template: async () => ({ Resources: {} }),
  mailLimits: async () => ({ isSandbox: false, perSecond: 200 }),
  hasMailIdentity: async () => false,
  activeRuleSet: async () => undefined,
  lambdaConcurrency: async () => 1000,
  certificate: async () => ({ status: 'ISSUED', names: ['monitor.acme.org'] }),
  hostedZone: async () => 'acme.org',
  publishers: async () => new Map(),
};

const preflight = (given: object, account: Partial<Account>) =>
  runPreflight([stage(given)], async () => ({ ...ready, ...account }));

/** The account has these stacks, beside the bootstrap resources. */
const having =
  (stacks: Readonly<Record<string, string>>): Account['stack'] =>
  async (name, region) => {
    const part = name.replace('domain-monitor-prod-', '');
    const status = name === 'CDKToolkit' ? 'CREATE_COMPLETE' : stacks[part];
    if (part === 'edge' && region !== 'us-east-1') throw new Error(`edge is not in ${region}`);
    return status === undefined ? undefined : { status, outputs: { RuleSetName: 'ours' } };
  };

describe('preflight', () => {
  test('finds nothing in an account that is ready', async () => {
    const given = { apiDomain: 'monitor.acme.org', certificateArn: CERTIFICATE, alertSender: 'a@acme.org' };
    expect(await preflight({ ...given, hostedZones: { 'acme.org': 'Z1' } }, {})).toEqual({
      output: 'Nothing is in the way of a deployment.',
      code: 0,
    });
  });

  const rejects = async () => {
    throw new Error('The security token is expired');
  };

  const mailStack = (status: string) => ({ stack: having({ mail: status }) });
  const alertSender = 'a@acme.org';
  const api = { apiDomain: 'monitor.acme.org', certificateArn: CERTIFICATE };
  const hostedZones = { 'acme.org': 'Z1' };
  const certificate = (status: string, ...names: string[]) => ({
    certificate: async () => ({ status, names }),
  });
  const ruleSet = (name: string, of?: string) => ({
    activeRuleSet: async (region: string) => (of === undefined || region === of ? name : undefined),
  });
  const identityOf = (domain: string) => ({ hasMailIdentity: async (name: string) => name === domain });
  const mailLimits = (isSandbox: boolean, perSecond: number) => ({
    mailLimits: async () => ({ isSandbox, perSecond }),
  });
  const canRun = (functions: number) => ({ lambdaConcurrency: async () => functions });
  const bootstrap = `npx cdk bootstrap aws://${ACCOUNT}/eu-west-1`;
  const second = { secondMailRegion: 'eu-central-1' };
  const inSecond = ruleSet('theirs', second.secondMailRegion);
  const shared = { receiptRuleSetName: 'shared' };
  const newAccount = { lambdaConcurrency: 10 };

  test.each<[what: string, fix: string, given: object, account: Partial<Account>]>([
    ['AWS does not accept the credentials', 'aws sso login', {}, { identity: rejects }],
    ['the credentials are of the account 4', 'AWS_PROFILE', {}, { identity: async () => '4' }],
    ['no bootstrap resources', bootstrap, {}, { stack: async () => undefined }],
    ['prod-mail is in the state UPDATE_IN_PROGRESS', 'wait', {}, mailStack('UPDATE_IN_PROGRESS')],
    ['prod-mail is in the state DELETE_FAILED', 'delete-stack', {}, mailStack('DELETE_FAILED')],
    ['could not be rolled back', 'continue-update-rollback', {}, mailStack('UPDATE_ROLLBACK_FAILED')],
    ['the receipt rule set theirs is active', 'set receiptRuleSetName to theirs', {}, ruleSet('theirs')],
    ['the receipt rule set theirs is active in eu-central-1', 'another secondMailRegion', second, inSecond],
    ['the receipt rule set shared is not active', 'set-active-receipt-rule-set', shared, {}],
    ['SES has an identity for reports.acme.org', 'delete-email-identity', {}, identityOf('reports.acme.org')],
    ['SES has an identity for acme.org', 'existingAlertIdentity', { alertSender }, identityOf('acme.org')],
    ['sandbox of SES', 'production access', { alertSender }, mailLimits(true, 1)],
    ['lambdaConcurrency is 1000, but the account can run 10', 'set lambdaConcurrency to 10', {}, canRun(10)],
    ['not issued: PENDING_VALIDATION', 'validation record', api, certificate('PENDING_VALIDATION')],
    ['is not for monitor.acme.org', 'request one', api, certificate('ISSUED', 'acme.org')],
    ['the zone Z1 is acme.net', 'list-hosted-zones', { hostedZones }, { hostedZone: async () => 'acme.net' }],
    [
      'there is no hosted zone Z1',
      'list-hosted-zones',
      { hostedZones },
      { hostedZone: async () => undefined },
    ],
  ])('finds a problem, and says the fix: %s, %s', async (what, fix, given, account) => {
    const { output, code } = await preflight(given, account);
    expect([code, output]).toEqual([1, expect.stringMatching(/^problem: /)]);
    expect(output).toContain(what);
    expect(output).toContain(fix);
  });

  test.each<[what: string, given: object, account: Partial<Account>]>([
    ['SES may not receive mail in eu-south-2', { region: 'eu-south-2' }, { region: 'eu-south-2' }],
    ['SES sends 14 mails a second', { alertSender }, mailLimits(false, 14)],
    ['background jobs can use 18 functions at once, and the account can run 10', newAccount, canRun(10)],
    ['background jobs use 18 functions at once, and the account can run 1000', { lambdaConcurrency: 0 }, {}],
    ['AWS did not say: Error: The security token is expired', {}, { activeRuleSet: rejects }],
  ])('warns of what is no problem: %s', async (what, given, account) => {
    const { output, code } = await preflight(given, account);
    expect([code, output]).toEqual([0, expect.stringMatching(/^warning: /)]);
    expect(output).toContain(what);
  });

  describe('for another domain of reports', () => {
    const where = { AWS_REGION: 'eu-west-1', TABLE_NAME: 'table', MAIL_BUCKET: 'mail', SECRETS_KEY: 'key' };
    const deployed = (former: string): Partial<Account> => ({
      stack: async (name) => {
        const settings = {
          REPORTS_DOMAIN: 'reports.acme.org',
          FORMER_REPORTS_DOMAINS: former,
          TESTER_DOMAIN: 'tester.acme.org',
        };
        const outputs = { [ADMIN_OUTPUT]: JSON.stringify(adminEnvironment(where, settings)) };
        return name === 'CDKToolkit' || name.endsWith('-service')
          ? { status: 'UPDATE_COMPLETE', outputs }
          : undefined;
      },
    });

    test('asks to accept the present one for now', async () => {
      const { output } = await preflight({ reportsDomain: 'new.acme.org' }, deployed(''));
      expect(output).toContain('add "reports.acme.org": "accepted" to formerReportsDomains');
      const formerReportsDomains = { 'reports.acme.org': 'accepted' };
      const changed = await preflight({ reportsDomain: 'new.acme.org', formerReportsDomains }, deployed(''));
      expect(changed.code).toBe(0);
    });

    test('refuses to drop a former one that somebody still publishes', async () => {
      const formerReportsDomains = { 'old.acme.org': 'removed' };
      const asked: unknown[] = [];
      const publishers = async (...given: unknown[]) => {
        asked.push(given);
        return new Map([['old.acme.org', ['a.org', 'b.org']]]);
      };
      const before = deployed('old.acme.org');
      const refused = await preflight({ formerReportsDomains }, { ...before, publishers });
      expect(refused.output).toContain('2 domains still publish addresses at old.acme.org: a.org, b.org');
      expect(asked).toEqual([['table', ['old.acme.org']]]);
      expect((await preflight({ formerReportsDomains }, before)).code).toBe(0);
    });
  });

  test('accepts the rule set and the identities of the stage itself, and what is created anew', async () => {
    const account = {
      stack: having({ data: 'UPDATE_COMPLETE', mail: 'CREATE_COMPLETE', service: 'ROLLBACK_COMPLETE' }),
      activeRuleSet: async () => 'ours',
      hasMailIdentity: async () => true,
    };
    expect((await preflight({}, account)).output).toBe('Nothing is in the way of a deployment.');
  });
});

describe('deploy', () => {
  let ran: string[];
  beforeEach(() => {
    ran = [];
  });
  const output = join(folder, 'cdk.out');
  const cdk = async (args: readonly string[]) => {
    ran.push(args.join(' ').replaceAll(folder, ''));
  };
  /** Those of a stage without optional ones. */
  const stackNames = ['data', 'mail', 'service', 'endpoints', 'people', 'routes', 'alarms'];
  const deploy = (account: Partial<Account>, ...args: string[]) =>
    runDeploy(
      [stage(), '--output', output, ...args],
      () => cdk,
      async () => ({ ...ready, ...account }),
    );

  test('refuses what preflight finds, before it changes anything', async () => {
    const refused = deploy({ identity: async () => '4' });
    await expect(refused).rejects.toThrow(CommandError);
    expect(ran).toEqual([]);
  });

  test('protects new stacks only when they exist', async () => {
    const first = stackNames.map((part) => `domain-monitor-prod-${part}`).join(',');
    await deploy({}, '--require-approval', 'never');
    const rest = '--outputs-file /cdk.out/outputs.json --require-approval never';
    expect(ran).toEqual([
      `synth --quiet -c settings=/stage.jsonc --output /cdk.out -c deploy:first=${first}`,
      `deploy --all --app /cdk.out ${rest}`,
      'synth --quiet -c settings=/stage.jsonc --output /cdk.out',
      `deploy --all --app /cdk.out ${rest}`,
    ]);
  });

  test('deploys once if all stacks exist', async () => {
    const stacks = Object.fromEntries(stackNames.map((part) => [part, 'UPDATE_COMPLETE']));
    await deploy({ stack: having(stacks), activeRuleSet: async () => 'ours' });
    expect(ran).toHaveLength(2);
    expect(ran[0]).toMatch(/deploy:first=$/);
    const alarm = `arn:aws:cloudwatch:eu-west-1:${ACCOUNT}:alarm:domain-monitor-prod-api`;
    expect(ran[1]).toBe(
      `deploy --all --app /cdk.out --outputs-file /cdk.out/outputs.json --rollback-trigger-alarm-arns ${alarm}-errors --rollback-trigger-alarm-arns ${alarm}-slow --monitoring-time-minutes 10`,
    );
  });

  test('watches no alarms on request, and those of its region only', async () => {
    const account = { stack: having({ alarms: 'UPDATE_COMPLETE' }) };
    await deploy(account, '--monitor', '0');
    expect(ran[1]).toContain('--rollback-trigger-alarm-arns none --monitoring-time-minutes 0');
    ran = [];
    const certificate = (region: string) => `arn:aws:acm:${region}:${ACCOUNT}:certificate/0b1c`;
    const firewall = {
      apiDomain: 'origin.acme.org',
      certificateArn: certificate('eu-west-1'),
      hostUrl: 'https://monitor.acme.org',
      edgeCertificateArn: certificate('us-east-1'),
      wafRequestsPer5Minutes: 1000,
    };
    const names = ['origin.acme.org', 'monitor.acme.org'];
    await runDeploy(
      [stage(firewall), '--output', output],
      () => cdk,
      async () => ({ ...ready, ...account, certificate: async () => ({ status: 'ISSUED', names }) }),
    );
    expect(ran[1]).toMatch(
      /^deploy domain-monitor-prod-data .*-routes domain-monitor-prod-alarms --exclusively --app .* 10$/,
    );
    expect(ran[2]).toMatch(/^deploy domain-monitor-prod-edge --exclusively --app /);
    expect(ran[2]).not.toContain('rollback');
  });

  test('deploys a second region of mail before the first, and keeps the outputs of all stacks', async () => {
    const run = async (given: readonly string[]) => {
      await cdk(given);
      mkdirSync(output, { recursive: true });
      const at = given.indexOf('--outputs-file');
      if (at > 0)
        writeFileSync(given[at + 1] ?? '', JSON.stringify({ [given[1] ?? '']: { At: String(at) } }));
    };
    const created = having(Object.fromEntries(stackNames.map((part) => [part, 'UPDATE_COMPLETE'])));
    const asked: string[] = [];
    const account = {
      ...ready,
      async stack(name: string, region: string) {
        asked.push(`${name} ${region}`);
        return created(name, region);
      },
    };
    const file = join(output, 'all.json');
    const args = [stage({ secondMailRegion: 'eu-central-1' }), '--output', output, '--outputs-file', file];
    await runDeploy(
      args,
      () => run,
      async () => account,
    );
    expect(asked).toContain('domain-monitor-prod-mail-second eu-central-1');
    expect(ran[1]).toMatch(/^deploy domain-monitor-prod-mail-second --exclusively --app /);
    expect(ran[1]).not.toContain('rollback');
    expect(ran[2]).toMatch(/^deploy domain-monitor-prod-data .* --exclusively .*--rollback/);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual([
      'domain-monitor-prod-mail-second',
      'domain-monitor-prod-data',
    ]);
  });

  describe('to remove', () => {
    const resource = (Type: string, Properties: object = {}) => ({ Type, Properties: { ...Properties } });
    const before = {
      Resources: {
        Sender: resource('AWS::SES::EmailIdentity', { EmailIdentity: 'acme.org' }),
        Alarm: resource('AWS::CloudWatch::Alarm'),
        Role: resource('AWS::IAM::Role'),
      },
    };
    const account = { stack: having({ mail: 'UPDATE_COMPLETE' }), template: async () => before };
    const withTemplate = async (Resources: object, ...args: string[]) => {
      const write = async (given: readonly string[]) => {
        writeFileSync(join(folder, 'domain-monitor-prod-mail.template.json'), JSON.stringify({ Resources }));
        await cdk(given);
      };
      return runDeploy(
        [stage(), '--output', folder, ...args],
        () => write,
        async () => ({ ...ready, ...account }),
      );
    };
    const { Sender, Alarm, Role } = before.Resources;

    const other = resource('AWS::SES::EmailIdentity', { EmailIdentity: 'b.org' });

    test.each([
      ['an identity', { Alarm, Role }, 'Sender (AWS::SES::EmailIdentity): the verification of the domain'],
      ['the identity of another domain', { Sender: other, Alarm }, 'Sender'],
      ['an alarm', { Sender }, 'Alarm (AWS::CloudWatch::Alarm)'],
      ['everything', {}, 'Alarm (AWS::CloudWatch::Alarm)'],
    ])('%s is refused', async (_title, after, usage) => {
      await expect(withTemplate(after)).rejects.toMatchObject({
        message: expect.stringContaining('the deployment would remove these'),
        usage: expect.stringContaining(usage),
      });
      expect(ran).toHaveLength(1);
    });

    test('it is done if it is confirmed, and nothing else', async () => {
      await expect(withTemplate({}, '--confirm-removal', 'Sender')).rejects.toThrow(
        '--confirm-removal Alarm',
      );
      await withTemplate({}, '--confirm-removal', 'Sender', 'Alarm');
      expect(ran.at(-1)).toContain('deploy --all');
    });

    test('what carries nothing needs no confirmation', async () => {
      await withTemplate({ Sender, Alarm });
      expect(ran.at(-1)).toContain('deploy --all');
    });
  });
});
