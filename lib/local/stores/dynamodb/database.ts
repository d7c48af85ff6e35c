/** What every operation works on: the storage, the clock and the tables by name. */
import type { Clock } from '../../../../shared/network/ports.ts';
import { noSuchTable, tableExists } from './errors.ts';
import { openStorage, type Storage } from './storage.ts';
import { expiryOf, type Table } from './tables.ts';

/** Whether a crash of the machine may lose the latest updates of items in a partition. */
export type IsFleeting = (partition: string) => boolean;

export interface Database {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly isFleeting: IsFleeting;
  /** In the order of their creation. */
  tables(): readonly Table[];
  /** Throws `ResourceNotFoundException`. */
  table(name: string): Table;
  /** Throws `ResourceInUseException`. */
  create(table: Omit<Table, 'id'>): Table;
  /** Changes the attribute that says when items expire; undefined disables expiry. */
  expireBy(table: Table, attribute: string | undefined): void;
  drop(table: Table): void;
}

/** `path` is a file or `:memory:`. */
export function openDatabase(path: string, clock: Clock, isFleeting: IsFleeting): Database {
  const storage = openStorage(path);
  const tables = new Map<string, Table>();
  let version: number | undefined;
  /** The tables, reloaded after another process changed the file. */
  const current = (): ReadonlyMap<string, Table> => {
    const found = storage.version();
    if (found === version) return tables;
    tables.clear();
    for (const { id, definition } of storage.tables()) {
      const table: Table = { ...JSON.parse(definition), id };
      tables.set(table.name, table);
    }
    version = found;
    return tables;
  };
  return {
    storage,
    clock,
    isFleeting,
    tables: () => [...current().values()],
    table(name) {
      const table = current().get(name);
      if (!table) throw noSuchTable(name);
      return table;
    },
    create(definition) {
      return storage.transaction(() => {
        if (current().has(definition.name)) throw tableExists(definition.name);
        const table = { ...definition, id: storage.createTable(JSON.stringify(definition)) };
        tables.set(table.name, table);
        return table;
      });
    },
    expireBy({ id, ...definition }, attribute) {
      const table = { ...definition, id, timeToLive: attribute };
      storage.transaction(() => {
        storage.redefineTable(id, JSON.stringify({ ...definition, timeToLive: attribute }));
        storage.reschedule(id, (item) => expiryOf(table, item));
      });
      tables.set(table.name, table);
    },
    drop(table) {
      storage.transaction(() => storage.deleteTable(table.id));
      tables.delete(table.name);
    },
  };
}
