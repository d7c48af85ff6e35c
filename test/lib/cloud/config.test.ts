import { describe, expect, test } from '@jest/globals';
import { queues } from '../../../functions/triggers.ts';
import { environmentKeys, readSettings } from '../../../lib/cloud/config.ts';
import { environmentSchema } from '../../../shared/runtime/config.ts';

const needed = { reportsDomain: 'reports.acme.org', testerDomain: 'tester.acme.org' };

const certificate = (region: string) => `arn:aws:acm:${region}:111122223333:certificate/0b1c`;

/** Keys of the environment that the stack itself fills. */
const filledByStack = ['TABLE_NAME', 'MAIL_BUCKET', ...Object.values(queues).map((queue) => queue.urlKey)];

/** Keys that follow from other settings of a deployment. */
const following = ['PROBE_SMTP', 'ALERT_SENDER', 'METRICS_NAMESPACE'];

/** Keys that have no place in the cloud: they lead probes to the example internet, or name files of one machine. */
const localOnly = ['PRIVATE_ADDRESSES', 'DIAL_MAP', 'EXTRA_CA_FILE', 'BIMI_TRUST_ANCHORS_FILE'];

describe('the settings of a deployment', () => {
  test('are dev, resolvers that validate, and no more than was given', () => {
    expect(readSettings(needed)).toEqual({
      stage: 'dev',
      requestsPerSecond: 100,
      checkWorkers: 5,
      mailWorkers: 5,
      lambdaConcurrency: 1000,
      disableExecuteApiEndpoint: false,
      hostedZones: [],
      takeOverActiveRuleSet: false,
      existingAlertIdentity: false,
      testerAllowAllIps: false,
      smtpProbe: false,
      environment: {
        REPORTS_DOMAIN: 'reports.acme.org',
        TESTER_DOMAIN: 'tester.acme.org',
        DNS_SERVERS: '1.1.1.1,8.8.8.8,9.9.9.9',
        PROBE_SMTP: 'off',
        METRICS_NAMESPACE: 'EmailDomainSecurity/dev',
      },
    });
  });

  test('take numbers and truth values from cdk.json, and strings from the command line, alike', () => {
    const fromFile = readSettings({ ...needed, domainLimit: 5, requestsPerSecond: 20, smtpProbe: true });
    const typed = { domainLimit: '5', requestsPerSecond: '20', smtpProbe: 'true' };
    expect(fromFile).toEqual(readSettings({ ...needed, ...typed }));
    expect(fromFile).toMatchObject({
      requestsPerSecond: 20,
      smtpProbe: true,
      environment: { DOMAIN_LIMIT: '5', PROBE_SMTP: 'on' },
    });
  });

  test('make links name the domain of the API, unless another origin stands before it', () => {
    const api = { ...needed, apiDomain: 'monitor.acme.org', certificateArn: certificate('eu-west-1') };
    expect(readSettings(api).environment.HOST_URL).toBe('https://monitor.acme.org');
    const before = readSettings({ ...api, hostUrl: 'https://www.acme.org' });
    expect(before.environment.HOST_URL).toBe('https://www.acme.org');
  });

  test('name hosted zones with their ids', () => {
    const { hostedZones } = readSettings({ ...needed, hostedZones: 'acme.org=Z123, tester.acme.org=Z4' });
    expect(hostedZones).toEqual([
      { name: 'acme.org', id: 'Z123' },
      { name: 'tester.acme.org', id: 'Z4' },
    ]);
  });

  test("leave CDK's own context alone", () => {
    const own = { '@aws-cdk/core:checkSecretUsage': true, 'aws:cdk:toolkit': 1, 'cli-telemetry': false };
    expect(readSettings({ ...needed, ...own })).toEqual(readSettings(needed));
  });

  test.each([
    [{ stage: 'production' }, 'stage must be dev or prod'],
    [{ stage: true }, 'stage must be dev or prod'],
    [{ stage: ['dev'] }, 'stage must be text, a number, true or false'],
    [{ reportDomain: 'x.org' }, 'unknown context: reportDomain; there is stage, '],
    [{ toString: 'x' }, 'unknown context: toString'],
    [{ reportsDomain: '' }, 'reportsDomain and testerDomain are needed'],
    [{ reportsDomain: 'Reports' }, 'reportsDomain must be a host name in lower case'],
    [{ reportsDomain: needed.testerDomain }, 'reportsDomain and testerDomain must be different'],
    [{ stage: 'prod', testerDomain: 'tester.example.org' }, 'tester.example.org is only an example'],
    [{ hostUrl: 'monitor.acme.org' }, 'hostUrl must be an origin'],
    [{ hostUrl: 'http://monitor.acme.org' }, 'hostUrl must begin with https://'],
    [{ dnsServers: 'one.one.one.one' }, 'dnsServers must hold addresses'],
    [{ domainLimit: '-1' }, 'domainLimit must be a whole number'],
    [{ requestsPerSecond: 0 }, 'requestsPerSecond must be a whole number from 1'],
    [{ checkWorkers: 1 }, 'checkWorkers must be a whole number from 2 to 1000'],
    [{ checkWorkers: '1001' }, 'checkWorkers must be a whole number from 2 to 1000'],
    [{ mailWorkers: 1 }, 'mailWorkers must be a whole number from 2 to 1000'],
    [{ region: 'Ireland' }, 'region must be a region such as eu-west-1'],
    [{ region: 'cn-north-1' }, "region must be of AWS's commercial partition"],
    [{ region: 'us-gov-west-1' }, "region must be of AWS's commercial partition"],
    [{ region: 'us-isob-east-1' }, "region must be of AWS's commercial partition"],
    [{ smtpProbe: 'yes' }, 'smtpProbe must be true or false'],
    [{ alertSender: 'acme.org' }, 'alertSender must be an address'],
    [{ alertSender: 'a@reports.acme.org' }, 'alertSender must be of another domain'],
    [{ alertSender: 'a@acme.org', reportsDomain: 'mail.acme.org' }, 'alertSender must be of another domain'],
    [{ existingAlertIdentity: true }, 'existingAlertIdentity needs alertSender'],
    [{ alarmEmail: 'me@tester.acme.org' }, 'alarmEmail must be of another domain'],
    [{ stage: 'prod', alertSender: 'a@example.org' }, 'example.org is only an example'],
    [{ apiDomain: 'monitor.acme.org' }, 'apiDomain and certificateArn are needed together'],
    [{ certificateArn: certificate('eu-west-1') }, 'apiDomain and certificateArn are needed together'],
    [{ certificateArn: 'arn:aws:iam::1:x' }, 'certificateArn must be the ARN of a certificate in ACM'],
    [
      { apiDomain: 'monitor.acme.org', certificateArn: certificate('us-east-1'), region: 'eu-west-1' },
      "certificateArn is of us-east-1; the API's certificate must be of eu-west-1",
    ],
    [
      {
        apiDomain: 'monitor.acme.org',
        certificateArn: 'arn:aws-cn:acm:cn-north-1:111122223333:certificate/0b1c',
      },
      "certificateArn must be of AWS's commercial partition",
    ],
    [{ disableExecuteApiEndpoint: true }, 'disableExecuteApiEndpoint needs apiDomain'],
    [{ receiptRuleSetName: 'a b' }, 'receiptRuleSetName must be the name of a receipt rule set'],
    [
      { receiptRuleSetName: 'theirs', takeOverActiveRuleSet: true },
      'takeOverActiveRuleSet does not go with receiptRuleSetName',
    ],
    [{ hostedZones: 'acme.org' }, 'hostedZones must hold name=id with commas between'],
    [{ hostedZones: 'acme.net=Z1' }, 'hostedZones names acme.net, in which no domain of this deployment'],
    [{ logLevel: 'loud', stage: 'x' }, 'stage must be dev or prod; logLevel must be'],
  ])('refuse %j in one line', (context, message) => {
    const refused = () => readSettings({ ...needed, ...context });
    expect(refused).toThrow(message);
    expect(refused).toThrow(/^.*$/);
  });

  test('cover every key of the environment that neither the stack fills nor only the local host knows', () => {
    const covered = [...Object.values(environmentKeys), ...filledByStack, ...following, ...localOnly];
    expect(covered.toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());
  });
});
