/** A key of the account that encrypts the table, received mail, and the queues, instead of keys that AWS manages. */
import { Aws, type RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { AnyPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/** The services that use the key for those who may use their resources. */
const services = ['dynamodb', 's3', 'sqs', 'sns'];

/**
 * Makes the key. Its policy admits, as those of the keys that AWS manages, everyone in the account who is allowed to use what it
 * encrypts, through the service of that resource only; SES and SNS also use it for themselves.
 */
export function makeCustomerKey(stack: Stack, removalPolicy: RemovalPolicy): Key {
  const key = new Key(stack, 'CustomerKey', {
    description: 'The table, received mail, and queues',
    enableKeyRotation: true,
    removalPolicy,
  });
  key.addToResourcePolicy(
    new PolicyStatement({
      actions: [
        'kms:CreateGrant',
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey*',
        'kms:ReEncrypt*',
      ],
      principals: [new AnyPrincipal()],
      resources: ['*'],
      conditions: {
        StringEquals: {
          'kms:CallerAccount': Aws.ACCOUNT_ID,
          'kms:ViaService': services.map((service) => `${service}.${stack.region}.${Aws.URL_SUFFIX}`),
        },
      },
    }),
  );
  key.addToResourcePolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      principals: ['ses', 'sns'].map((service) => new ServicePrincipal(`${service}.amazonaws.com`)),
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  return key;
}

/** The key of the bucket, if it has one, for resources of another stack: as an imported one, whose policy they do not change. */
export function customerKeyOf(scope: Construct, { encryptionKey }: IBucket): IKey | undefined {
  return encryptionKey && Key.fromKeyArn(scope, 'CustomerKey', encryptionKey.keyArn);
}
