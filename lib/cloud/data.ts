import { Duration, Validations } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  ObjectOwnership,
  StorageClass,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { tableDefinition } from '../../shared/store/keys.ts';
import type { Settings } from './config.ts';
import { keeping } from './stage.ts';

/** Read once when they arrive, and after that only when a reader was mended. */
const DAYS_UNTIL_RARELY_READ = 30;

/** The one table, paid by request, and the bucket of received mail. */
export class Data extends Construct {
  readonly table: TableV2;
  /** Raw messages, which hold personal data: private, and kept no longer than what was read from them. */
  readonly mail: Bucket;

  constructor(scope: Construct, id: string, { stage, environment }: Settings) {
    super(scope, id);
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
    const retentionDays = Number(environment.RETENTION_DAYS ?? 0);
    this.mail = new Bucket(this, 'Mail', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [
        {
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          transitions: [
            {
              storageClass: StorageClass.INFREQUENT_ACCESS,
              transitionAfter: Duration.days(DAYS_UNTIL_RARELY_READ),
            },
          ],
          ...(retentionDays > 0 ? { expiration: Duration.days(retentionDays + 1) } : {}),
        },
      ],
      removalPolicy,
    });
    Validations.of(this.mail).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'Access logs would need a bucket of their own; only two functions of this stack reach the mail.',
    });
  }
}

const text = (name: string) => ({ name, type: AttributeType.STRING });
