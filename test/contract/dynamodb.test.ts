import { env } from 'node:process';
import { afterAll, describe, test } from '@jest/globals';
import { type DynamoDb, startDynamoDb } from '../../lib/local/dynamodb/endpoint.ts';
import { dynamoDbContract } from './dynamodb.contract.ts';

const ANYONE = { region: 'eu-west-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

describe('the embedded endpoint', () => {
  let running: DynamoDb | undefined;
  dynamoDbContract(async () => {
    running = await startDynamoDb({ path: ':memory:' });
    return { ...ANYONE, endpoint: running.endpoint };
  });
  afterAll(() => running?.stop());
});

/** `AWS_REGION` and credentials in the environment make this real AWS: `https://dynamodb.eu-west-1.amazonaws.com`. */
const { CONTRACT_DYNAMODB_ENDPOINT: endpoint } = env;
describe('the endpoint of CONTRACT_DYNAMODB_ENDPOINT', () => {
  if (endpoint) dynamoDbContract(async () => ({ ...(env.AWS_ACCESS_KEY_ID ? {} : ANYONE), endpoint }));
  else test.skip('skipped: not set', () => undefined);
});
