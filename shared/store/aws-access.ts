/** How the clients of DynamoDB, S3, SQS and KMS reach them. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Options that all clients of the SDK have. */
export interface AwsAccess extends Pick<DynamoDBClientConfig, 'requestHandler' | 'signer'> {
  /** Stores an object without the SDK, whose request takes a tenth of the time that a report mail takes. */
  readonly putObject?: (bucket: string, key: string, content: Uint8Array) => Promise<void>;
  /** Has the commands of a client reach the table without most of the SDK, which takes a third of the time of an API request. */
  readonly documents?: ((client: DynamoDBDocumentClient, endpoint?: string) => void) | undefined;
}

let access: AwsAccess = {};

/** The options for a new client. In the cloud there are none: the SDK takes everything from the environment. */
export const awsAccess = (): AwsAccess => access;

/** Sets the options of the clients that this process creates from now on. */
export function reachAwsBy(options: AwsAccess): void {
  access = options;
}

/** The client without what copies each request and response for a logger, which it does even if there is none. */
export function unlogged<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
