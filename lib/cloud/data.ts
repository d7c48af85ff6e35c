import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { inboundMail } from '../../functions/triggers.ts';
import { tableDefinition } from '../../shared/store/keys.ts';
import type { Settings } from './config.ts';
import { keeping, stackName, stackProps } from './stage.ts';

/** A test message is removed as soon as it is analysed; this is for those that never were. */
const TESTER_DAYS = 3;

/**
 * What must outlive everything else: the one table, paid by request, and the bucket of received mail.
 *
 * Other stacks import its names by exports, so that CloudFormation itself refuses to replace or delete what they use.
 */
export class DataStack extends Stack {
  readonly table: TableV2;
  /** Raw messages, which hold personal data: private, and kept no longer than what was read from them. */
  readonly mail: Bucket;

  constructor(scope: Construct, settings: Settings) {
    super(scope, stackName(settings, 'data'), stackProps(settings, 'the table and the received mail'));
    const { stage, environment } = settings;
    const { partitionKey, sortKey, timeToLive, index } = tableDefinition;
    const { protectData, removalPolicy } = keeping[stage];
    this.table = new TableV2(this, 'Table', {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      timeToLiveAttribute: timeToLive,
      globalSecondaryIndexes: [
        { indexName: index.name, partitionKey: text(index.partitionKey), sortKey: text(index.sortKey) },
      ],
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: protectData },
      deletionProtection: protectData,
      removalPolicy,
    });
    this.mail = new Bucket(this, 'Mail', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: lifecycle(Number(environment.RETENTION_DAYS ?? 0)),
      removalPolicy,
      autoDeleteObjects: !protectData,
    });
    Validations.of(this.mail).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'Access logs would need a bucket of their own; SES writes the mail, and three functions reach it.',
    });
    CrossStackReferences.of(this.table).produce(ReferenceStrength.STRONG);
    CrossStackReferences.of(this.mail).produce(ReferenceStrength.STRONG);
    // Whoever lets go of a name is deployed after this stack, which may not take back what is still imported then.
    const { table, mail } = this;
    for (const name of [table.tableName, table.tableArn, mail.bucketName, mail.bucketArn]) {
      this.exportValue(name);
    }

    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'MailBucketName', { value: this.mail.bucketName });
  }
}

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
