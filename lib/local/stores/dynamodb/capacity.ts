/** Capacity units (AWS, "DynamoDB read and write operations"): what a request would cost on AWS. */
import { isDeepStrictEqual } from 'node:util';
import type { Item } from './attribute-value.ts';
import { itemSize } from './item-size.ts';
import { entryKey, type Table } from './tables.ts';

type CapacityMode = 'NONE' | 'TOTAL';

/** Units consumed by a table and its indexes, computed only for requests that ask for them. */
export interface Usage {
  readonly table: Table;
  readonly units: () => number;
}

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
  const units = () => {
    let sum = factor * writeUnits(before, after);
    for (const index of table.indexes) {
      const from = before && entryKey(table, index, before);
      const to = after && entryKey(table, index, after);
      if (from && to && !from.equals(to)) sum += writeUnits(before) + writeUnits(after);
      else if ((from || to) && !isDeepStrictEqual(before, after))
        sum += writeUnits(from && before, to && after);
    }
    return sum;
  };
  return { table, units };
}

/** The `ConsumedCapacity` of a response about one table; undefined if the request did not ask for it. */
export function consumed(mode: CapacityMode | undefined, usages: readonly Usage[]) {
  const [first] = usages;
  if (mode !== 'TOTAL' || !first) return undefined;
  return { TableName: first.table.name, CapacityUnits: usages.reduce((sum, { units }) => sum + units(), 0) };
}

/** The same for requests about several tables: one entry per table. */
export function consumedByTable(mode: CapacityMode | undefined, usages: readonly Usage[]) {
  if (mode !== 'TOTAL') return undefined;
  return [...Map.groupBy(usages, ({ table }) => table).values()].map((group) => consumed(mode, group));
}

const writeUnits = (...images: readonly (Item | undefined)[]): number =>
  Math.max(1, ...images.map((image) => (image ? Math.ceil(itemSize(image) / WRITE_UNIT) : 0)));
