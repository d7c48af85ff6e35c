/** A table that counts the capacity units that DynamoDB charges for its operations. */
import type { Table } from '../../shared/store/table.ts';
import { sendingThrough } from './table.ts';

export interface Capacity {
  /** Units by command name. */
  readonly by: Map<string, number>;
  /** The number of requests. */
  calls(): number;
  /** How many items each read asked for: the limit of a query, or the number of keys. */
  readonly sizes: (number | undefined)[];
  /** The total of read and write units. */
  units(): { readonly reads: number; readonly writes: number };
}

interface Input {
  ReturnConsumedCapacity?: string;
  readonly Limit?: number;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly unknown[] }>>;
}

const isRead = (command: string): boolean => /^(?:Get|Query|BatchGet)/.test(command);

export function counted<T extends Table>(table: T): { readonly table: T; readonly capacity: Capacity } {
  const by = new Map<string, number>();
  const { client } = table;
  let calls = 0;
  const sizes: (number | undefined)[] = [];
  const send = async (command: { input: Input }) => {
    calls += 1;
    const { Limit, RequestItems } = command.input;
    if (isRead(command.constructor.name)) sizes.push(Limit ?? RequestItems?.[table.name]?.Keys?.length);
    command.input.ReturnConsumedCapacity = 'TOTAL';
    const answer = await client.send(command as Parameters<typeof client.send>[0]);
    const { ConsumedCapacity = [] } = answer as { ConsumedCapacity?: { CapacityUnits: number } };
    const used = [ConsumedCapacity].flat().reduce((sum, one) => sum + one.CapacityUnits, 0);
    by.set(command.constructor.name, (by.get(command.constructor.name) ?? 0) + used);
    return answer;
  };
  const sum = (ofReads: boolean) =>
    [...by].filter(([name]) => isRead(name) === ofReads).reduce((all, [, units]) => all + units, 0);
  return {
    table: { ...table, ...sendingThrough(table, send) },
    capacity: { by, calls: () => calls, sizes, units: () => ({ reads: sum(true), writes: sum(false) }) },
  };
}
