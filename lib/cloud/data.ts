import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { inboundMail } from '../../functions/triggers.ts';
import { tableDefinition } from '../../shared/store/keys.ts';
import { makeCustomerKey } from './customer-key.ts';
import { originSecretName } from './edge.ts';
import { EDGE_REGION, type Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { isProtected, keeping, stackProps } from './stage.ts';

/** Test messages are deleted after analysis; this limit applies to those that were never analyzed. */
const TESTER_DAYS = 3;

/**
 * The data that must survive everything else: the table, with on-demand billing, the key of the secrets in it, and the
 * bucket of received mail.
 *
 * Other stacks use strong references (exports), so that CloudFormation refuses to replace or delete what they use.
 */
export class DataStack extends Stack {
  readonly table: TableV2;
  /** Raw messages, which contain personal data: private, and kept no longer than the data read from them. */
  readonly mail: Bucket;
  /** Encrypts secrets in the table, such as the URLs of webhooks. */
  readonly secretsKey: Key;
  /** Signs evidence; what it signed is worth as much as the key, which AWS shows to nobody. */
  readonly signingKey: Key;

  constructor(scope: Construct, settings: Settings) {
    super(
      scope,
      stackName(settings, 'data'),
      stackProps(settings, 'data', 'the table and the bucket of received mail'),
    );
    const { keepData, environment } = settings;
    const { partitionKey, sortKey, timeToLive, index } = tableDefinition;
    const { removalPolicy } = keeping(settings);
    const key = settings.customerKey ? makeCustomerKey(this, removalPolicy) : undefined;
    this.table = new TableV2(this, 'Table', {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      timeToLiveAttribute: timeToLive,
      globalSecondaryIndexes: [
        { indexName: index.name, partitionKey: text(index.partitionKey), sortKey: text(index.sortKey) },
      ],
      billing: Billing.onDemand(),
      ...(key && { encryption: TableEncryptionV2.customerManagedKey(key) }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: keepData },
      deletionProtection: isProtected(settings, 'data'),
      removalPolicy,
    });
    this.mail = new Bucket(this, 'Mail', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      ...(key === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : // A key of the bucket saves a request to KMS for each message.
          { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }),
      enforceSSL: true,
      versioned: keepData,
      lifecycleRules: [
        ...lifecycle(Number(environment.RETENTION_DAYS ?? 0)),
        ...(keepData ? [formerVersions] : []),
      ],
      removalPolicy,
      autoDeleteObjects: !keepData,
    });
    Validations.of(this.mail).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'Access logs would need a separate bucket; only SES writes to this bucket, and only three functions access it.',
    });
    this.secretsKey = new Key(this, 'SecretsKey', {
      description: 'Secrets of organizations in the table',
      enableKeyRotation: true,
      removalPolicy,
    });
    this.signingKey = new Key(this, 'SigningKey', {
      description: 'Signatures of evidence',
      // The CDK does not know Ed25519 keys, and KMS signs only 4,096 bytes with them.
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy,
    });
    if (settings.wafRequestsPer5Minutes > 0) makeOriginSecret(this, settings);
    const { table, mail, secretsKey, signingKey } = this;
    for (const one of [table, mail, secretsKey, signingKey, ...(key ? [key] : [])])
      CrossStackReferences.of(one).produce(ReferenceStrength.STRONG);
    // A stack that stops using an export is deployed after this one, so the export must still exist at that time.
    const used = [
      ...[table.tableName, table.tableArn, mail.bucketName, mail.bucketArn],
      ...[secretsKey.keyArn, signingKey.keyArn, ...(key ? [key.keyArn] : [])],
    ];
    for (const name of used) this.exportValue(name);

    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'MailBucketName', { value: this.mail.bucketName });
  }
}

/** The secret between CloudFront and the functions. It is here, because both are deployed after this stack. */
function makeOriginSecret(scope: Construct, settings: Settings): void {
  const secret = new Secret(scope, 'OriginSecret', {
    secretName: originSecretName(settings),
    description: 'Shows the functions that a request passed CloudFront',
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    ...(settings.region !== EDGE_REGION && { replicaRegions: [{ region: EDGE_REGION }] }),
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions::AwsSolutions-SMG4',
    reason: 'A new value reaches CloudFront and the functions only with a deployment.',
  });
}

/** How long a deleted message can be brought back. Whoever deletes a domain is told. */
const FORMER_DAYS = 30;

const formerVersions: LifecycleRule = {
  id: 'deleted',
  noncurrentVersionExpiration: Duration.days(FORMER_DAYS),
  expiredObjectDeleteMarker: true,
};

function lifecycle(retentionDays: number): LifecycleRule[] {
  return [
    { id: 'unfinished', abortIncompleteMultipartUploadAfter: Duration.days(1) },
    { id: 'tester', prefix: inboundMail.tester.prefix, expiration: Duration.days(TESTER_DAYS) },
    ...(retentionDays > 0
      ? [{ id: 'reports', prefix: inboundMail.reports.prefix, expiration: Duration.days(retentionDays + 1) }]
      : []),
  ];
}

const text = (name: string) => ({ name, type: AttributeType.STRING });
