import { env } from 'node:process';
import { afterAll, describe, test } from '@jest/globals';
import { accessTo } from '../../lib/local/stores/access.ts';
import { type DynamoDb, startDynamoDb } from '../../lib/local/stores/dynamodb/endpoint.ts';
import { anyone } from '../kit/aws-client.ts';
import { dynamoDbContract } from './dynamodb.contract.ts';

describe.each([
  ['the embedded endpoint', () => ({})],
  ['the embedded endpoint, for clients of the same process', (server: DynamoDb) => accessTo([server])],
])('%s', (_, accessOf) => {
  let running: DynamoDb | undefined;
  dynamoDbContract(async () => {
    running = await startDynamoDb({ path: ':memory:' });
    return { ...anyone(running.endpoint), ...accessOf(running) };
  });
  afterAll(() => running?.stop());
});

/**
 * To test against AWS, set this to an endpoint such as `https://dynamodb.eu-west-1.amazonaws.com`, and set `AWS_REGION`
 * and credentials.
 */
const { CONTRACT_DYNAMODB_ENDPOINT: endpoint } = env;
describe('the endpoint of CONTRACT_DYNAMODB_ENDPOINT', () => {
  if (endpoint) dynamoDbContract(async () => (env.AWS_ACCESS_KEY_ID ? { endpoint } : anyone(endpoint)));
  else test.skip('skipped: CONTRACT_DYNAMODB_ENDPOINT is not set', () => undefined);
});
