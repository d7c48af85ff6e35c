/** As much of a table as storing reports needs, in this process: to make many items fast, and put them elsewhere at once. */
import type { Table } from '../../shared/store/table.ts';

type Item = Record<string, unknown>;

interface Input {
  readonly Key?: Item;
  readonly TransactItems?: readonly {
    readonly Put?: { readonly Item: Item };
    readonly Update?: { readonly Key: Item; readonly ExpressionAttributeValues: Item };
  }[];
}

const ADDED = ['reports', 'passed', 'failed', 'dkimAligned', 'spfAligned', 'quarantined', 'rejected'];

export function memoryTable(): { table: Table; items: () => Item[] } {
  const items = new Map<string, Item>();
  const name = ({ pk, sk }: Item) => `${pk} ${sk}`;

  /** Counters add up, everything else is set: that is the only kind of update there is. */
  function update(Key: Item, values: Item): void {
    const before = items.get(name(Key)) ?? Key;
    const change = Object.entries(values).map(([key, value]) => {
      const attribute = key.slice(1);
      return [attribute, ADDED.includes(attribute) ? Number(before[attribute] ?? 0) + Number(value) : value];
    });
    items.set(name(Key), { ...before, ...Object.fromEntries(change) });
  }

  const send = async ({ input }: { input: Input }) => {
    for (const { Put, Update } of input.TransactItems ?? []) {
      if (Put !== undefined) items.set(name(Put.Item), Put.Item);
      if (Update !== undefined) update(Update.Key, Update.ExpressionAttributeValues);
    }
    return { Item: input.Key && items.get(name(input.Key)) };
  };
  return {
    table: { name: 'memory', client: { send } as unknown as Table['client'] },
    items: () => [...items.values()],
  };
}
