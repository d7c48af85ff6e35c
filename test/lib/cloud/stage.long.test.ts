import { describe, expect, test } from '@jest/globals';
import { everything, prod, synthesize } from './synthesize.ts';

describe('a stage', () => {
  const given = {
    ...prod,
    stage: 'staging-2',
    account: '111122223333',
    region: 'eu-west-1',
    tags: 'team=mail,cost-center=4711',
    qualifier: 'acme',
  };
  const deployed = synthesize(given);

  test('has stacks of its own name, in its account, with its tags', () => {
    for (const { stackName, environment, tags } of deployed.assembly.stacks) {
      expect(stackName).toMatch(/^domain-monitor-staging-2-/);
      expect(environment).toMatchObject({ account: '111122223333', region: 'eu-west-1' });
      const own = { service: 'email-domain-security-monitor', stage: 'staging-2' };
      expect(tags).toEqual({ ...own, team: 'mail', 'cost-center': '4711' });
    }
  });

  test('is deployed through the bootstrap resources of its qualifier', () => {
    for (const { assumeRoleArn } of deployed.assembly.stacks) expect(assumeRoleArn).toContain('cdk-acme-');
  });

  test.each(['limits', 'arn:aws:iam::111122223333:policy/limits'])(
    'can limit all its roles, by %s',
    (permissionsBoundary) => {
      const roles = synthesize({ ...given, permissionsBoundary }).all('AWS::IAM::Role');
      const boundaries = new Set(roles.map((role) => JSON.stringify(role.PermissionsBoundary)));
      expect([...boundaries]).toEqual([expect.stringContaining('policy/limits')]);
    },
  );

  test('is not protected in the deployment that creates it, so that this one can be repeated', () => {
    const first = synthesize({
      ...prod,
      'deploy:first': 'domain-monitor-prod-data,domain-monitor-prod-mail',
    });
    const isProtected = first.assembly.stacks.map(({ stackName, terminationProtection }) => [
      stackName.replace('domain-monitor-prod-', ''),
      terminationProtection,
    ]);
    expect(Object.fromEntries(isProtected)).toMatchObject({ data: false, mail: false, service: true });
    expect(JSON.stringify(first.template('data'))).toContain('"DeletionProtectionEnabled":false');
  });

  test('has the same network whether its account is given or not, without asking the account', () => {
    const withAccount = synthesize({ ...everything, account: '111122223333' }).template('probes');
    expect(withAccount.Resources).toEqual(synthesize(everything).template('probes').Resources);
  });

  test('can have a NAT gateway and an address in each zone', () => {
    const probes = synthesize({ ...everything, natPerZone: true });
    expect(probes.all('AWS::EC2::NatGateway')).toHaveLength(2);
    expect(Object.keys(probes.template('probes').Resources)).toEqual(
      expect.arrayContaining(['Address', 'SecondAddress']),
    );
    expect(synthesize(everything).all('AWS::EC2::NatGateway')).toHaveLength(1);
  });
});

describe('a key of the account', () => {
  const deployed = synthesize({ ...prod, region: 'eu-west-1', customerKey: true });
  const data = JSON.stringify(deployed.template('data'));

  test('encrypts the table, the bucket, all queues and the topics of mail', () => {
    expect(data).toContain('"SSEType":"KMS"');
    const rule = { BucketKeyEnabled: true, ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' } };
    expect(deployed.all('AWS::S3::Bucket')).toMatchObject([
      { BucketEncryption: { ServerSideEncryptionConfiguration: [rule] } },
    ]);
    for (const queue of deployed.all('AWS::SQS::Queue')) expect(queue.KmsMasterKeyId).toBeDefined();
    const ofMail = Object.values(deployed.template('mail').Resources).filter(
      ({ Type }) => Type === 'AWS::SNS::Topic',
    );
    expect(ofMail.map(({ Properties }) => Properties.KmsMasterKeyId !== undefined)).toEqual([true, true]);
  });

  test('can be used through these services, and by SES and SNS for this account', () => {
    const keys = Object.values(deployed.template('data').Resources).filter(
      ({ Type }) => Type === 'AWS::KMS::Key',
    );
    const text = JSON.stringify(keys);
    for (const service of ['dynamodb', 's3', 'sqs', 'sns']) expect(text).toContain(`${service}.eu-west-1.`);
    expect(text).toContain('"Service":["ses.amazonaws.com","sns.amazonaws.com"]');
    expect(text).toContain('"kms:CallerAccount":{"Ref":"AWS::AccountId"}');
    expect(text).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
  });
});
