import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { environmentKeys, readSettings } from '../../../lib/cloud/config.ts';
import { environmentSchema } from '../../../shared/runtime/config/config.ts';
import { queues } from '../../../shared/runtime/workers/trigger.ts';
import { useFolder } from '../../kit/use.ts';

const needed = { reportsDomain: 'reports.acme.org', testerDomain: 'tester.acme.org' };

const certificate = (region: string) =>
  `arn:aws${/^cn/.test(region) ? '-cn' : ''}:acm:${region}:111122223333:certificate/0b1c`;

const vault = 'arn:aws:backup:eu-central-1:444455556666:backup-vault:copies';
const canary = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:canary-AbCdEf';
const api = { apiDomain: 'monitor.acme.org', region: 'eu-west-1' };

const inChina = { ...api, certificateArn: certificate('cn-north-1') };
const taken = { receiptRuleSetName: 'theirs', takeOverActiveRuleSet: true };

const firewall = {
  region: 'eu-west-1',
  apiDomain: 'origin.acme.org',
  certificateArn: certificate('eu-west-1'),
  hostUrl: 'https://monitor.acme.org',
  edgeCertificateArn: certificate('us-east-1'),
  wafRequestsPer5Minutes: 1000,
};

/** Environment keys that the stack sets. */
const filledByStack = [
  'EVENTS_BUS',
  'TABLE_NAME',
  'MAIL_BUCKET',
  'SECRETS_KEY',
  'SIGNING_KEY',
  ...Object.values(queues).map((queue) => queue.urlKey),
];

/** Environment keys that follow from other settings of a deployment. */
const following = [
  'FORMER_REPORTS_DOMAINS',
  'FORMER_TESTER_DOMAINS',
  'PROBE_SMTP',
  'ALERT_SENDER',
  'METRICS_NAMESPACE',
  'ORIGIN_SECRET',
  'SECOND_MAIL_BUCKET',
  'SECOND_MAIL_REGION',
  'OIDC_CLIENT_SECRET',
];

/** Keys that have no use in the cloud: they direct probes to the example internet, or are about one machine. */
const localOnly = [
  'EVENTS_FILE',
  'PRIVATE_ADDRESSES',
  'DIAL_MAP',
  'EXTRA_CA_FILE',
  'BIMI_TRUST_ANCHORS_FILE',
  'IP_DATA',
  'MAIL_TRANSPORT',
];

describe('the settings of a deployment', () => {
  test('default to dev and validating resolvers, with no other environment keys', () => {
    expect(readSettings(needed)).toEqual({
      stage: 'dev',
      keepData: false,
      firstStacks: [''],
      requestsPerSecond: 100,
      checkWorkers: 2,
      mailWorkers: 2,
      notificationWorkers: 2,
      otherWorkers: 2,
      lambdaConcurrency: 0,
      disableExecuteApiEndpoint: false,
      wafRequestsPer5Minutes: 0,
      formerReportsDomains: [],
      formerTesterDomains: [],
      hostedZones: [],
      takeOverActiveRuleSet: false,
      existingAlertIdentity: false,
      testerAllowAllIps: false,
      monthlyBudget: 0,
      mailsPerHour: 5000,
      noMailHours: 0,
      xray: false,
      smtpProbe: false,
      natPerZone: false,
      customerKey: false,
      tags: {},
      environment: {
        REPORTS_DOMAIN: 'reports.acme.org',
        TESTER_DOMAIN: 'tester.acme.org',
        DNS_SERVERS: '1.1.1.1,8.8.8.8,9.9.9.9',
        PROBE_SMTP: 'off',
        METRICS_NAMESPACE: 'EmailDomainSecurity/dev',
      },
    });
  });

  test('keep the data of every stage but dev, unless they say otherwise', () => {
    const keeps = (given: object) => readSettings({ ...needed, ...given }).keepData;
    expect(keeps({ stage: 'prod' })).toBe(true);
    expect(keeps({ stage: 'staging-2' })).toBe(true);
    expect(keeps({ stage: 'staging-2', keepData: false })).toBe(false);
    expect(keeps({ keepData: true })).toBe(true);
  });

  test('accept numbers and booleans, and strings from the command line', () => {
    const natural = readSettings({ ...needed, domainLimit: 5, requestsPerSecond: 20, smtpProbe: true });
    const typed = { domainLimit: '5', requestsPerSecond: '20', smtpProbe: 'true' };
    expect(natural).toEqual(readSettings({ ...needed, ...typed }));
    expect(natural).toMatchObject({
      requestsPerSecond: 20,
      smtpProbe: true,
      environment: { DOMAIN_LIMIT: '5', PROBE_SMTP: 'on' },
    });
  });

  test('use the domain of the API in links, unless another origin is set', () => {
    const given = { ...needed, ...api, certificateArn: certificate('eu-west-1') };
    expect(readSettings(given).environment.HOST_URL).toBe('https://monitor.acme.org');
    const before = readSettings({ ...given, hostUrl: 'https://www.acme.org' });
    expect(before.environment.HOST_URL).toBe('https://www.acme.org');
  });

  test('parse hosted zones with their IDs', () => {
    const { hostedZones } = readSettings({ ...needed, hostedZones: 'acme.org=Z123, tester.acme.org=Z4' });
    expect(hostedZones).toEqual([
      { name: 'acme.org', id: 'Z123' },
      { name: 'tester.acme.org', id: 'Z4' },
    ]);
  });

  test("ignore CDK's own context", () => {
    const own = { '@aws-cdk/core:checkSecretUsage': true, 'aws:cdk:toolkit': 1, 'cli-telemetry': false };
    expect(readSettings({ ...needed, ...own })).toEqual(readSettings(needed));
  });

  test.each([
    [{ stage: 'Prod' }, 'stage must be up to 20 lower-case letters, digits and hyphens'],
    [{ stage: null }, 'stage must be a string, a number, a boolean, or a list or map of these'],
    [{ keepData: 'yes' }, 'keepData must be "true" or "false"'],
    [{ account: '1234' }, 'account must be the 12 digits of an AWS account'],
    [{ tags: { 'aws:x': 'y' } }, 'tags must be a comma-separated list of key=value; invalid: aws:x=y'],
    [{ permissionsBoundary: 'a b' }, 'permissionsBoundary must be the name or the ARN of a policy'],
    [{ qualifier: 'too-long-qualifier' }, 'qualifier must be a qualifier of "cdk bootstrap"'],
    [{ backupCopyVaultArn: vault }, 'backupCopyVaultArn requires keepData'],
    [{ backupCopyVaultArn: 'copies' }, 'backupCopyVaultArn must be the ARN of a backup vault'],
    [{ natPerZone: true }, 'natPerZone requires smtpProbe'],
    [{ dnsServers: ['1.1.1.1,x'] }, 'an element of a list must not contain a comma: 1.1.1.1,x'],
    [{ reportDomain: 'x.org' }, 'unknown settings: reportDomain; available: stage, '],
    [{ toString: 'x' }, 'unknown settings: toString'],
    [{ reportsDomain: '' }, 'reportsDomain and testerDomain are required'],
    [{ reportsDomain: 'Reports' }, 'reportsDomain must be a host name in lowercase'],
    [{ reportsDomain: needed.testerDomain }, 'reportsDomain and testerDomain must be different'],
    [{ stage: 'prod', testerDomain: 'a.example.org' }, 'a.example.org is a reserved example domain'],
    [{ hostUrl: 'monitor.acme.org' }, 'hostUrl must be an origin'],
    [{ hostUrl: 'http://monitor.acme.org' }, 'hostUrl must start with https://'],
    [{ dnsServers: 'one.one.one.one' }, 'dnsServers must be a comma-separated list of ip or ip:port'],
    [{ domainLimit: '-1' }, 'domainLimit must be a whole number'],
    [{ requestsPerSecond: 0 }, 'requestsPerSecond must be a whole number from 1'],
    [{ checkWorkers: 1 }, 'checkWorkers must be a whole number from 2 to 1000'],
    [{ mailWorkers: '1001' }, 'mailWorkers must be a whole number from 2 to 1000'],
    [{ notificationWorkers: 1 }, 'notificationWorkers must be a whole number from 2 to 1000'],
    [{ region: 'Ireland' }, 'region must be a region such as eu-west-1'],
    [{ region: 'cn-north-1' }, 'region must be in the standard AWS partition'],
    [{ region: 'us-isob-east-1' }, 'region must be in the standard AWS partition'],
    [{ smtpProbe: 'yes' }, 'smtpProbe must be "true" or "false"'],
    [{ alertSender: 'acme.org' }, 'alertSender must be an address'],
    [{ alertSender: 'a@reports.acme.org' }, 'alertSender must be in another domain'],
    [{ alertSender: 'a@acme.org', reportsDomain: 'mail.acme.org' }, 'alertSender must be in another domain'],
    [{ existingAlertIdentity: true }, 'existingAlertIdentity requires alertSender'],
    [{ alarmEmail: 'me@tester.acme.org' }, 'alarmEmail must be in another domain'],
    [{ ticketEmail: 'me@tester.acme.org' }, 'ticketEmail must be in another domain'],
    [{ canarySecretArn: canary }, 'canarySecretArn requires alertSender'],
    [{ canarySecretArn: 'canary' }, 'canarySecretArn must be the ARN of a secret'],
    [{ noMailHours: 25 }, 'noMailHours must be a whole number from 0 to 24'],
    [{ monthlyBudget: 100 }, 'monthlyBudget requires alarmEmail or ticketEmail'],
    [{ stage: 'prod', alertSender: 'a@example.org' }, 'example.org is a reserved example domain'],
    [{ apiDomain: 'monitor.acme.org' }, 'apiDomain and certificateArn must be set together'],
    [{ certificateArn: certificate('eu-west-1') }, 'apiDomain and certificateArn must be set together'],
    [{ certificateArn: 'arn:aws:iam::1:x' }, 'certificateArn must be the ARN of an ACM certificate'],
    [
      { ...api, certificateArn: certificate('us-east-1') },
      'certificateArn is in us-east-1, but the certificate must be in the region of the API, eu-west-1',
    ],
    [inChina, 'certificateArn must be in the standard AWS partition'],
    [{ disableExecuteApiEndpoint: true }, 'disableExecuteApiEndpoint requires apiDomain'],
    [{ wafRequestsPer5Minutes: 1000 }, 'wafRequestsPer5Minutes requires region, apiDomain, hostUrl and'],
    [
      { ...firewall, edgeCertificateArn: '' },
      'wafRequestsPer5Minutes requires region, apiDomain, hostUrl and',
    ],
    [{ ...firewall, wafRequestsPer5Minutes: 9 }, 'wafRequestsPer5Minutes must be 0 or at least 10'],
    [{ ...firewall, wafRequestsPer5Minutes: 0 }, 'edgeCertificateArn requires wafRequestsPer5Minutes'],
    [{ ...firewall, hostUrl: '' }, 'wafRequestsPer5Minutes requires a hostUrl that differs from apiDomain'],
    [
      { ...firewall, edgeCertificateArn: certificate('eu-west-1') },
      'edgeCertificateArn must be in us-east-1',
    ],
    [{ receiptRuleSetName: 'a b' }, 'receiptRuleSetName must be the name of a receipt rule set'],
    [taken, 'takeOverActiveRuleSet conflicts with receiptRuleSetName'],
    [{ formerReportsDomains: 'a.org=kept' }, 'formerReportsDomains must be a list of name=accepted'],
    [
      { formerTesterDomains: 'reports.acme.org' },
      'reports.acme.org is in reportsDomain, testerDomain, formerReportsDomains and formerTesterDomains twice',
    ],
    [{ alertSender: 'a@old.org', formerReportsDomains: 'old.org' }, 'alertSender must be in another domain'],
    [{ hostedZones: 'acme.org' }, 'hostedZones must be a comma-separated list of name=id'],
    [
      { hostedZones: 'acme.net=Z1' },
      'hostedZones contains acme.net, but no domain of this deployment is in that zone',
    ],
    [
      { logLevel: 'loud', stage: 'X' },
      'stage must be up to 20 lower-case letters, digits and hyphens; logLevel must be',
    ],
  ])('reject %j in one line', (context, message) => {
    const refused = () => readSettings({ ...needed, ...context });
    expect(refused).toThrow(message);
    expect(refused).toThrow(/^.*$/);
  });

  describe('in a file', () => {
    const folder = useFolder('settings');
    const settings = join(folder, 'stage.jsonc');
    const read = (text: string, others: object = {}) => {
      writeFileSync(settings, text);
      return readSettings({ settings, ...others });
    };

    test('can have comments, lists, maps and trailing commas', () => {
      const text = `{
        // A comment
        "reportsDomain": "reports.acme.org", "testerDomain": "tester.acme.org", /* another */
        "dnsServers": ["192.0.2.1", "192.0.2.2"],
        "hostedZones": { "acme.org": "Z1" },
        "tags": { "team": "mail", "cost-center": 4711 },
      }`;
      expect(read(text, { 'aws:cdk:toolkit': 1 })).toMatchObject({
        hostedZones: [{ name: 'acme.org', id: 'Z1' }],
        tags: { team: 'mail', 'cost-center': '4711' },
        environment: { DNS_SERVERS: '192.0.2.1,192.0.2.2' },
      });
    });

    test.each([
      ['{ "stage": "dev" ', {}, 'stage.jsonc: CloseBraceExpected in line 1'],
      ['{\n"stage": dev }', {}, 'stage.jsonc: InvalidSymbol in line 2'],
      ['[]', {}, 'stage.jsonc must contain an object with settings'],
      ['{ "stages": "dev" }', {}, 'unknown settings: stages'],
      ['{}', { logLevel: 'info' }, 'write these settings into'],
    ])('%s with %j is rejected', (text, others, message) => {
      expect(() => read(text, others)).toThrow(message);
    });

    test('are required, from one place', () => {
      expect(() => readSettings({})).toThrow('which deployment? Use -c settings=<file>');
      expect(() => readSettings({ settings: join(folder, 'none') })).toThrow('the settings cannot be read');
    });

    test.each(['dev', 'example'])('of the project, docs/stages/%s.jsonc, are valid', (name) => {
      const path = fileURLToPath(new URL(`../../../docs/stages/${name}.jsonc`, import.meta.url));
      const read = () => readSettings({ settings: path });
      // The domains of the example are reserved, so that nobody deploys it unchanged.
      if (name === 'example') expect(read).toThrow('is a reserved example domain');
      else expect(read()).toMatchObject({ stage: name });
    });
  });

  test('cover every environment key except those that the stack sets and those of the local host', () => {
    const covered = [...Object.values(environmentKeys), ...filledByStack, ...following, ...localOnly];
    expect(covered.toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());
  });
});
