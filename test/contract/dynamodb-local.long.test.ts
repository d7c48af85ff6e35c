import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startDynamoDb } from '../../lib/local/stores/dynamodb/endpoint.ts';
import { type DynamoDbLocal, findDynamoDbLocal, startDynamoDbLocal } from '../kit/dynamodb-local.ts';
import { use } from '../kit/use.ts';
import { compareEngines } from './dynamodb/compare-engines.ts';
import { dynamoDbContract } from './dynamodb.contract.ts';
import { localDeviations } from './dynamodb-local.deviations.ts';

const found = await findDynamoDbLocal();

if ('missing' in found) {
  test.skip(`DynamoDB Local (skipped: ${found.missing})`, () => undefined);
} else {
  describe('DynamoDB Local', () => {
    let local: DynamoDbLocal | undefined;
    beforeAll(async () => {
      local = await use(startDynamoDbLocal(found.folder));
    });
    /** Each access key has its own tables. */
    const connect = () => ({
      region: 'eu-west-1',
      credentials: { accessKeyId: randomUUID().replaceAll('-', ''), secretAccessKey: 'local' },
      endpoint: local?.endpoint ?? '',
    });

    dynamoDbContract(async () => connect(), localDeviations);

    test('random requests get the same responses from the embedded endpoint', async () => {
      const embedded = await startDynamoDb({ path: ':memory:' });
      const engines = [{ ...connect(), endpoint: embedded.endpoint }, connect()] as const;
      const { differences, succeeded } = await compareEngines(engines, { count: 3000, seed: 1 });
      await embedded.stop();
      expect(differences).toEqual([]);
      expect(succeeded).toBeGreaterThan(1000);
    });
  });
}
