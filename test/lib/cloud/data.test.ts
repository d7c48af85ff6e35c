import { describe, expect, test } from '@jest/globals';
import { tableDefinition } from '../../../shared/store/keys.ts';
import type { Deployed } from './deployed.ts';
import { everything, prod as prodContext, synthesize } from './synthesize.ts';

const dev = synthesize({});
const prod = synthesize(prodContext);

/** Logical IDs. */
const [TABLE, MAIL, KEY] = ['TableCD117FA1', 'Mail6A3D1F64', 'SecretsKey317DCF94'];

describe('the table', () => {
  test('has the keys, the index and the TTL of its definition, and on-demand billing', () => {
    const { partitionKey, sortKey, timeToLive, index } = tableDefinition;
    const schema = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];
    expect(dev.all('AWS::DynamoDB::GlobalTable')).toEqual([
      expect.objectContaining({
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: schema(partitionKey, sortKey),
        GlobalSecondaryIndexes: [
          {
            IndexName: index.name,
            KeySchema: schema(index.partitionKey, index.sortKey),
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
      }),
    ]);
  });

  test.each([
    ['prod keeps the table, unless its creation fails', () => prod, true, ['RetainExceptOnCreate', 'Retain']],
    ['dev deletes the table', () => dev, false, ['Delete', 'Delete']],
  ] as const)('%s', (_title, deployed, isProtected, [policy, onReplacement]) => {
    const [table] = deployed().resources('AWS::DynamoDB::GlobalTable');
    const replica = {
      DeletionProtectionEnabled: isProtected,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: isProtected },
    };
    expect(table).toMatchObject({
      DeletionPolicy: policy,
      UpdateReplacePolicy: onReplacement,
      Properties: { Replicas: [replica] },
    });
  });
});

describe('the mail bucket', () => {
  test('is private, encrypted, and reachable only through TLS', () => {
    expect(dev.all('AWS::S3::Bucket')).toEqual([
      expect.objectContaining({
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: expect.anything(),
      }),
    ]);
    expect(JSON.stringify(dev.all('AWS::S3::BucketPolicy'))).toContain('"aws:SecureTransport":"false"');
  });

  test('keeps mail one day longer than reports, and test messages for three days', () => {
    const kept = (deployed: Deployed) =>
      deployed.all('AWS::S3::Bucket').flatMap((bucket) => {
        const { Rules } = bucket.LifecycleConfiguration as {
          Rules: { Prefix?: string; ExpirationInDays?: number }[];
        };
        return Rules.flatMap(({ Prefix, ExpirationInDays }) =>
          ExpirationInDays === undefined ? [] : [[Prefix, ExpirationInDays]],
        );
      });
    expect(kept(dev)).toEqual([['tester/', 3]]);
    expect(kept(synthesize({ ...prodContext, retentionDays: 90 }))).toEqual([
      ['tester/', 3],
      ['reports/', 91],
    ]);
  });

  test('keeps what was deleted for 30 days, if the stage keeps its data', () => {
    const [bucket] = prod.all('AWS::S3::Bucket');
    expect(bucket).toMatchObject({ VersioningConfiguration: { Status: 'Enabled' } });
    expect(JSON.stringify(bucket)).toContain('"NoncurrentVersionExpiration":{"NoncurrentDays":30}');
    expect(dev.all('AWS::S3::Bucket')[0]?.VersioningConfiguration).toBeUndefined();
  });

  test('accepts objects only from SES, for this account, each kind with its prefix', () => {
    const statements = dev.all('AWS::S3::BucketPolicy').flatMap(({ PolicyDocument }) => {
      const { Statement } = PolicyDocument as { Statement: { Principal: unknown }[] };
      return Statement;
    });
    const fromSes = statements.filter((one) => JSON.stringify(one.Principal).includes('ses.amazonaws.com'));
    expect(fromSes).toEqual([
      {
        Action: 's3:PutObject',
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        Effect: 'Allow',
        Principal: { Service: 'ses.amazonaws.com' },
        Resource: ['/reports/*', '/tester/*'].map((end) => ({
          'Fn::Join': ['', [{ 'Fn::GetAtt': [MAIL, 'Arn'] }, end]],
        })),
      },
    ]);
  });
});

describe('the keys of secrets and of evidence', () => {
  test('are kept in prod, and that of secrets is rotated', () => {
    const signs = { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' };
    expect(prod.resources('AWS::KMS::Key')).toMatchObject([
      { DeletionPolicy: 'RetainExceptOnCreate', Properties: { EnableKeyRotation: true } },
      { DeletionPolicy: 'RetainExceptOnCreate', Properties: signs },
    ]);
    const deleted = { DeletionPolicy: 'Delete' };
    expect(dev.resources('AWS::KMS::Key')).toMatchObject([deleted, deleted]);
  });
});

describe('the resources with data', () => {
  test('cannot be replaced or deleted while another stack uses them', () => {
    const exported = Object.values(prod.template('data').Outputs ?? {}).filter((one) => one.Export);
    expect(exported.map(({ Value }) => Value)).toEqual(
      expect.arrayContaining([{ Ref: TABLE }, { Ref: MAIL }, { 'Fn::GetAtt': [KEY, 'Arn'] }]),
    );
  });

  test('are emptied when a dev deployment is deleted', () => {
    expect(JSON.stringify(dev.all('Custom::S3AutoDeleteObjects'))).toContain(MAIL);
    expect(prod.all('Custom::S3AutoDeleteObjects')).toEqual([]);
  });
});

describe('daily backups', () => {
  const deployed = synthesize(everything);

  test('have the table and the bucket, are kept as long as point-in-time recovery, and are copied elsewhere', () => {
    const days = { DeleteAfterDays: 35 };
    const rule = {
      ...{ Lifecycle: days, ScheduleExpression: 'cron(0 3 * * ? *)' },
      CopyActions: [{ DestinationBackupVaultArn: everything.backupCopyVaultArn, Lifecycle: days }],
    };
    expect(deployed.all('AWS::Backup::BackupPlan')).toMatchObject([
      { BackupPlan: { BackupPlanRule: [rule] } },
    ]);
    const keys = JSON.stringify(deployed.template('backup').Resources);
    expect(keys).toContain(':iam::444455556666:root');
    const [selection] = deployed.all('AWS::Backup::BackupSelection');
    expect(selection?.BackupSelection).toMatchObject({
      Resources: [expect.anything(), expect.anything()],
    });
    expect(prod.all('AWS::Backup::BackupPlan')).toEqual([]);
  });
});
