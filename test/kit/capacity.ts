/** A table that counts the capacity units that DynamoDB charges for its operations. */
import type { Table } from '../../shared/store/table.ts';
import { sendingThrough } from './table.ts';

export interface Capacity {
  /** Units by command name. */
  readonly by: Map<string, number>;
  /** The number of requests. */
  calls(): number;
  /** The total of read and write units. */
  units(): { readonly reads: number; readonly writes: number };
}

export function counted<T extends Table>(table: T): { readonly table: T; readonly capacity: Capacity } {
  const by = new Map<string, number>();
  const { client } = table;
  let calls = 0;
  const send = async (command: { input: { ReturnConsumedCapacity?: string } }) => {
    calls += 1;
    command.input.ReturnConsumedCapacity = 'TOTAL';
    const answer = await client.send(command as Parameters<typeof client.send>[0]);
    const { ConsumedCapacity = [] } = answer as { ConsumedCapacity?: { CapacityUnits: number } };
    const used = [ConsumedCapacity].flat().reduce((sum, one) => sum + one.CapacityUnits, 0);
    by.set(command.constructor.name, (by.get(command.constructor.name) ?? 0) + used);
    return answer;
  };
  const sum = (isRead: boolean) =>
    [...by]
      .filter(([name]) => /^(?:Get|Query|BatchGet)/.test(name) === isRead)
      .reduce((all, [, units]) => all + units, 0);
  return {
    table: { ...table, ...sendingThrough(table, send) },
    capacity: { by, calls: () => calls, units: () => ({ reads: sum(true), writes: sum(false) }) },
  };
}
