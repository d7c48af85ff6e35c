import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import { refusal, type Subject } from './subject.ts';

export function tableContract(subject: () => Subject, test: ContractTest): void {
  describe('tables', () => {
    test('a table is described with its keys, its indexes and their projections', async () => {
      const { client, table } = subject();
      const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
      expect(Table).toMatchObject({
        TableName: table,
        TableStatus: 'ACTIVE',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      });
      const indexes = Table?.GlobalSecondaryIndexes?.map((index) => [
        index.IndexName,
        index.Projection?.ProjectionType,
      ]);
      expect(new Map(indexes as [string, string][])).toEqual(
        new Map([
          ['places', 'ALL'],
          ['keepers', 'ALL'],
        ]),
      );
    });

    test('a table that exists cannot be created', async () => {
      const { client, table, definition } = subject();
      expect(await refusal(client.send(new CreateTableCommand(definition(table))))).toMatchObject({
        name: 'ResourceInUseException',
      });
    });

    test('reads, writes and DescribeTable fail for a table that does not exist', async () => {
      const { client, get, put } = subject();
      const TableName = 'contract-no-such-table';
      for (const request of [
        () => client.send(new DescribeTableCommand({ TableName })),
        () => get({ pk: 'a', sk: 'b' }, { TableName } as object),
        () => put({ pk: 'a', sk: 'b' }, { TableName } as object),
      ]) {
        expect(await refusal(request())).toMatchObject({
          name: 'ResourceNotFoundException',
          $metadata: { httpStatusCode: 400 },
        });
      }
    });

    test.each<[string, Partial<CreateTableCommandInput>]>([
      [
        'an attribute that no key uses',
        { AttributeDefinitions: [{ AttributeName: 'more', AttributeType: 'S' }] },
      ],
      ['a key that is not defined', { KeySchema: [{ AttributeName: 'other', KeyType: 'HASH' }] }],
    ])('a definition with %s is rejected', async (_, wrong) => {
      const { client, definition } = subject();
      const right = definition('contract-wrong');
      const request = {
        ...right,
        ...wrong,
        AttributeDefinitions: [...(right.AttributeDefinitions ?? []), ...(wrong.AttributeDefinitions ?? [])],
      };
      expect(await refusal(client.send(new CreateTableCommand(request)))).toMatchObject({
        name: 'ValidationException',
      });
    });
  });
}
