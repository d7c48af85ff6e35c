/** Capacity units (AWS, "DynamoDB read and write operations"): what a request would cost on AWS. */
import { equalItems, type Item } from './attribute-value.ts';
import { itemSize } from './item-size.ts';
import { entryKey, projected, type Table } from './tables.ts';

export type CapacityMode = 'NONE' | 'TOTAL' | 'INDEXES';

/** Units consumed by a table and by each of its indexes. */
export interface Usage {
  readonly table: Table;
  readonly units: number;
  readonly indexes: ReadonlyMap<string, number>;
}

/** Transactions report their units a second time, under the name of their kind. */
export type TransactionKind = 'ReadCapacityUnits' | 'WriteCapacityUnits';

const WRITE_UNIT = 1024;
const READ_UNIT = 4096;
/** A transaction prepares and commits each item. Its index writes cost the same as outside a transaction. */
export const TRANSACTION_FACTOR = 2;

/** Units of reading this many bytes; an empty result costs the minimum. Eventually consistent reads cost half. */
export const readUnits = (octets: number, consistent: boolean): number =>
  Math.max(1, Math.ceil(octets / READ_UNIT)) * (consistent ? 1 : 0.5);

/** Units of replacing `before` by `after`; either is undefined if there is none. The larger one counts. */
export function writeUsage(
  table: Table,
  before: Item | undefined,
  after: Item | undefined,
  factor = 1,
): Usage {
  const indexes = new Map<string, number>();
  for (const index of table.indexes) {
    const from = before && entryKey(table, index, before);
    const to = after && entryKey(table, index, after);
    const old = from && before && projected(table, index, before);
    const next = to && after && projected(table, index, after);
    if (from && to && !from.equals(to)) indexes.set(index.name, writeUnits(old) + writeUnits(next));
    else if ((old || next) && !(old && next && equalItems(old, next))) {
      indexes.set(index.name, writeUnits(old, next));
    }
  }
  return { table, units: factor * writeUnits(before, after), indexes };
}

/** The `ConsumedCapacity` of a response about one table; undefined if the request did not ask for it. */
export function consumed(mode: CapacityMode | undefined, usages: readonly Usage[], kind?: TransactionKind) {
  const [first] = usages;
  if (mode === undefined || mode === 'NONE' || !first) return undefined;
  const indexes = new Map<string, number>();
  for (const [name, units] of usages.flatMap((usage) => [...usage.indexes])) {
    indexes.set(name, (indexes.get(name) ?? 0) + units);
  }
  const table = total(usages.map(({ units }) => units));
  const measure = (units: number) => ({ CapacityUnits: units, ...(kind && { [kind]: units }) });
  return {
    TableName: first.table.name,
    ...measure(table + total(indexes.values())),
    ...(mode === 'INDEXES' && {
      Table: measure(table),
      ...(indexes.size > 0 && {
        GlobalSecondaryIndexes: Object.fromEntries(
          [...indexes].map(([name, units]) => [name, measure(units)]),
        ),
      }),
    }),
  };
}

/** The same for requests about several tables: one entry per table. */
export function consumedByTable(
  mode: CapacityMode | undefined,
  usages: readonly Usage[],
  kind?: TransactionKind,
) {
  if (mode === undefined || mode === 'NONE') return undefined;
  return [...Map.groupBy(usages, ({ table }) => table).values()].map((group) => consumed(mode, group, kind));
}

const writeUnits = (...images: readonly (Item | undefined)[]): number =>
  Math.max(1, ...images.map((image) => (image ? Math.ceil(itemSize(image) / WRITE_UNIT) : 0)));

const total = (units: Iterable<number>): number => [...units].reduce((sum, unit) => sum + unit, 0);
