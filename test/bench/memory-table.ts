/**
 * A minimal table in memory with only the operations that storing reports needs. It creates many items fast, which are
 * then written elsewhere in one go.
 */
import type { Table } from '../../shared/store/table.ts';
import { sendingThrough } from '../kit/table.ts';

type Item = Record<string, unknown>;

interface Input {
  readonly Key?: Item;
  readonly TransactItems?: readonly {
    readonly Put?: { readonly Item: Item };
    readonly Update?: {
      readonly Key: Item;
      readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
      readonly ExpressionAttributeValues: Item;
    };
  }[];
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Item[] }>>;
}

const ADDED = ['reports', 'passed', 'failed', 'dkimAligned', 'spfAligned', 'quarantined', 'rejected'];

export function memoryTable(): { table: Table; items: () => Item[] } {
  const items = new Map<string, Item>();
  const name = ({ pk, sk }: Item) => `${pk} ${sk}`;

  /** Counters are added and all other attributes are set; no other kinds of updates occur. */
  function update(Key: Item, names: Readonly<Record<string, string>>, values: Item): void {
    const before = items.get(name(Key)) ?? Key;
    const change = Object.entries(values).map(([key, value]) => {
      // The name and the value of an attribute have placeholders with the same end.
      const attribute = names[`#${key.slice(1)}`] ?? key.slice(1);
      return [attribute, ADDED.includes(attribute) ? Number(before[attribute] ?? 0) + Number(value) : value];
    });
    items.set(name(Key), { ...before, ...Object.fromEntries(change) });
  }

  const send = async ({ input }: { input: Input }) => {
    for (const { Put, Update } of input.TransactItems ?? []) {
      if (Put !== undefined) items.set(name(Put.Item), Put.Item);
      if (Update !== undefined)
        update(Update.Key, Update.ExpressionAttributeNames ?? {}, Update.ExpressionAttributeValues);
    }
    const Responses = Object.fromEntries(
      Object.entries(input.RequestItems ?? {}).map(([table, { Keys }]) => [
        table,
        Keys.flatMap((key) => items.get(name(key)) ?? []),
      ]),
    );
    return { Responses, Item: input.Key && items.get(name(input.Key)) };
  };
  return {
    table: sendingThrough({ name: 'memory' }, send),
    items: () => [...items.values()],
  };
}
