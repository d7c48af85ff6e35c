/** How the clients of DynamoDB, S3, SQS and KMS reach them. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** Options that all clients of the SDK have. */
export type AwsAccess = Pick<DynamoDBClientConfig, 'requestHandler' | 'signer'>;

let access: AwsAccess = {};

/** The options for a new client. In the cloud there are none: the SDK takes everything from the environment. */
export const awsAccess = (): AwsAccess => access;

/** Sets the options of the clients that this process creates from now on. */
export function reachAwsBy(options: AwsAccess): void {
  access = options;
}
