import { describe, expect, test } from '@jest/globals';
import { queues } from '../../../functions/triggers.ts';
import { environmentKeys, readSettings } from '../../../lib/cloud/config.ts';
import { environmentSchema } from '../../../shared/runtime/config.ts';

const needed = { reportsDomain: 'reports.acme.org', testerDomain: 'tester.acme.org' };

/** Keys of the environment that the stack itself fills. */
const filledByStack = ['TABLE_NAME', 'MAIL_BUCKET', ...Object.values(queues).map((queue) => queue.urlKey)];

/** Keys that have no place in the cloud: they lead probes to the example internet, or name files of one machine. */
const localOnly = ['PRIVATE_ADDRESSES', 'DIAL_MAP', 'EXTRA_CA_FILE', 'BIMI_TRUST_ANCHORS_FILE'];

describe('the settings of a deployment', () => {
  test('are dev, resolvers that validate, and no more than was given', () => {
    expect(readSettings(needed)).toEqual({
      stage: 'dev',
      requestsPerSecond: 100,
      environment: {
        REPORTS_DOMAIN: 'reports.acme.org',
        TESTER_DOMAIN: 'tester.acme.org',
        DNS_SERVERS: '1.1.1.1,8.8.8.8,9.9.9.9',
      },
    });
  });

  test('take numbers from cdk.json and strings from the command line alike', () => {
    const fromFile = readSettings({ ...needed, domainLimit: 5, requestsPerSecond: 20 });
    expect(fromFile).toEqual(readSettings({ ...needed, domainLimit: '5', requestsPerSecond: '20' }));
    expect(fromFile).toMatchObject({ requestsPerSecond: 20, environment: { DOMAIN_LIMIT: '5' } });
  });

  test("leave CDK's own context alone", () => {
    const own = { '@aws-cdk/core:checkSecretUsage': true, 'aws:cdk:toolkit': 1, 'cli-telemetry': false };
    expect(readSettings({ ...needed, ...own })).toEqual(readSettings(needed));
  });

  test.each([
    [{ stage: 'production' }, 'stage must be dev or prod'],
    [{ stage: true }, 'stage must be text or a number'],
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
    [{ logLevel: 'loud', stage: 'x' }, 'stage must be dev or prod; logLevel must be'],
  ])('refuse %j in one line', (context, message) => {
    const refused = () => readSettings({ ...needed, ...context });
    expect(refused).toThrow(message);
    expect(refused).toThrow(/^.*$/);
  });

  test('cover every key of the environment that neither the stack fills nor only the local host knows', () => {
    const covered = [...Object.values(environmentKeys), ...filledByStack, ...localOnly];
    expect(covered.toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());
  });
});
