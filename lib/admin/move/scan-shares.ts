/** Results that anybody saved. They are permanent and in no list, so only a scan of the table finds them. */
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { keyOf } from '../../../shared/operations/move/portable.ts';
import { owners } from '../../../shared/operations/move/what-moves.ts';
import { partitions, type Range, signingKeys, spfShareKey } from '../../../shared/store/keys.ts';
import type { Table } from '../../../shared/store/table.ts';

/** The partitions of the saved results, in no order, after that of the public keys that signed evidence. */
export async function* scanShares({ name, client }: Table): AsyncGenerator<Range> {
  yield signingKeys();
  const kinds = (Object.keys(owners) as (keyof typeof owners)[]).filter(
    (kind) => owners[kind] === 'everybody',
  );
  const pages = paginateScan(
    { client },
    {
      TableName: name,
      FilterExpression: `sk = :share AND (${kinds.map((_, at) => `begins_with(pk, :prefix${at})`).join(' OR ')})`,
      ExpressionAttributeValues: {
        ':share': spfShareKey('').sk,
        ...Object.fromEntries(kinds.map((kind, at) => [`:prefix${at}`, partitions[kind]])),
      },
    },
  );
  for await (const { Items = [] } of pages)
    for (const item of Items) {
      const { pk, sk } = keyOf(item);
      yield { pk, prefix: sk };
    }
}
