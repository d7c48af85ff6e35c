/** A second region that receives mail. */
import { describe, expect, test } from '@jest/globals';
import { triggers } from '../../../functions/triggers.ts';
import { readSettings } from '../../../lib/cloud/config.ts';
import { everything, prod, synthesize, withFirewall } from './synthesize.ts';

const account = '111122223333';
const second = { secondMailRegion: 'eu-central-1', account };
const deployed = synthesize({ ...everything, ...second });

type Json = Readonly<Record<string, unknown>>;

const inSecond = (type: string) =>
  Object.values(deployed.template('mail-second').Resources).flatMap(({ Type, Properties }) =>
    Type === type ? [(Properties ?? {}) as Json] : [],
  );
const [bucket] = inSecond('AWS::S3::Bucket').map(({ BucketName }) => String(BucketName));
const topics = inSecond('AWS::SNS::Topic').flatMap(({ TopicName }) => TopicName ?? []);

describe('mail in the second region', () => {
  test('is stored in a bucket there, whose name fits the longest name of a stage', () => {
    const actions = inSecond('AWS::SES::ReceiptRule').map(({ Rule }) =>
      JSON.stringify((Rule as Json).Actions),
    );
    expect(actions).toHaveLength(2);
    for (const action of actions) expect(action).toContain('S3Action');
    const longest = synthesize({ ...everything, ...second, stage: 'a'.repeat(20) });
    const [name] = longest.all('AWS::S3::Bucket').flatMap(({ BucketName }) => BucketName ?? []);
    expect(String(name).length).toBeLessThanOrEqual(63);
    expect(name).not.toBe(bucket);
  });

  test('is announced to the queue of the first region, across regions', () => {
    expect(topics).toEqual(['domain-monitor-prod-arrivals-reports', 'domain-monitor-prod-arrivals-tester']);
    const subscriptions = deployed
      .all('AWS::SNS::Subscription')
      .filter(({ Region }) => Region === 'eu-central-1');
    expect(subscriptions).toHaveLength(2);
    for (const { RawMessageDelivery, TopicArn, RedrivePolicy } of subscriptions) {
      expect(RawMessageDelivery).toBe(true);
      expect(JSON.stringify(TopicArn)).toContain(
        `:sns:eu-central-1:${account}:domain-monitor-prod-arrivals-`,
      );
      expect(JSON.stringify(RedrivePolicy)).toContain(
        `:sqs:eu-central-1:${account}:domain-monitor-prod-arrivals-refused`,
      );
    }
    const policies = JSON.stringify(deployed.template('mail').Resources);
    for (const topic of topics) expect(policies).toContain(`:sns:eu-central-1:${account}:${topic}`);
  });

  test('is moved by the function that takes the announcement, and by no other', () => {
    const { summary } = triggers.queueReceivedMail;
    expect(deployed.environment(summary)).toMatchObject({
      SECOND_MAIL_BUCKET: bucket,
      SECOND_MAIL_REGION: 'eu-central-1',
    });
    expect(deployed.permissions(summary).filter((one) => one.startsWith('s3:'))).toEqual([
      `s3:DeleteObject on arn:AWS::Partition:s3:::${bucket}/*`,
      `s3:GetObject on arn:AWS::Partition:s3:::${bucket}/*`,
      `s3:ListBucket on arn:AWS::Partition:s3:::${bucket}`,
      's3:PutObject on the mail/reports/* and the mail/tester/*',
    ]);
    const users = deployed
      .all('AWS::IAM::Policy')
      .filter((policy) => JSON.stringify(policy).includes(bucket ?? '?'));
    expect(users).toHaveLength(1);
  });

  test('has a rule set of its own, and alarms in its region', () => {
    expect(inSecond('Custom::ActiveReceiptRuleSet')).toHaveLength(1);
    expect(inSecond('AWS::CloudWatch::Alarm').map((alarm) => alarm.TreatMissingData)).toEqual([
      'breaching',
      'notBreaching',
    ]);
    expect(inSecond('AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: 'operators@acme.org' },
    ]);
  });

  test('has MX records after those of the first region, and DKIM records of its own', () => {
    const mx = deployed
      .all('AWS::Route53::RecordSet')
      .filter(({ Type, Name }) => Type === 'MX' && String(Name).startsWith('reports'));
    const hosts = ['10 inbound-smtp.eu-west-1', '20 inbound-smtp.eu-central-1'];
    const ResourceRecords = hosts.map((host) => `${host}.amazonaws.com`);
    expect(mx).toMatchObject([{ Name: 'reports.acme.org.', ResourceRecords }]);
    const keys = inSecond('AWS::Route53::RecordSet');
    expect(keys).toHaveLength(6);
    for (const { Type } of keys) expect(Type).toBe('CNAME');
  });
});

test('without the setting, nothing of it is there', () => {
  const without = synthesize(withFirewall);
  expect(JSON.stringify(without.all('AWS::IAM::Policy'))).not.toContain('s3:GetObject on domain-monitor');
  expect(without.environment(triggers.queueReceivedMail.summary).SECOND_MAIL_BUCKET).toBeUndefined();
});

test.each([
  [{ secondMailRegion: 'eu-central-1' }, 'secondMailRegion requires account and region'],
  [{ ...second, region: 'eu-central-1' }, 'secondMailRegion must be another region than region'],
  [{ ...second, region: 'eu-west-1', secondMailRegion: 'cn-north-1' }, 'standard AWS partition'],
  [{ ...second, region: 'eu-west-1', secondMailRegion: 'nowhere' }, 'secondMailRegion must be a region'],
])('refuses %j', (given, message) => {
  expect(() => readSettings({ ...prod, ...given })).toThrow(message);
});
