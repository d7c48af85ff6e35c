/** The file behind the endpoint: SQLite with a write-ahead log. Each request is one SQLite transaction. */
import { giveBackSpace } from '../free-space.ts';
import { openPrivateDatabase } from '../private-file.ts';
import { transactionsOf } from '../transaction.ts';
import type { Item } from './attribute-value.ts';

export interface StoredItem {
  readonly id: number;
  readonly item: Item;
}

/** Keys from `from` (inclusive) to `to` (exclusive), in reverse if `forward` is false. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly forward: boolean;
}

/** A stored table; `definition` is the JSON of `tables.ts`. */
interface StoredTable {
  readonly id: number;
  readonly definition: string;
}

/** `expires` is the second after which the sweeper may delete an item; null for never. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tables (id INTEGER PRIMARY KEY AUTOINCREMENT, definition TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS items (
    id INTEGER PRIMARY KEY,
    tableId INTEGER NOT NULL,
    key BLOB NOT NULL,
    body TEXT NOT NULL,
    expires INTEGER,
    UNIQUE (tableId, key)
  );
  CREATE INDEX IF NOT EXISTS expiring ON items (tableId, expires) WHERE expires IS NOT NULL;
  CREATE TABLE IF NOT EXISTS entries (
    tableId INTEGER NOT NULL,
    indexName TEXT NOT NULL,
    key BLOB NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (tableId, indexName, key)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, request TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ageing ON tokens (expires);
`;

const SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA cache_size = -16384;
`;

export type Storage = ReturnType<typeof openStorage>;

/** Opens or creates the file; `:memory:` keeps everything in memory. Throws if the file is not such a database. */
export function openStorage(path: string) {
  const database = openPrivateDatabase(path);
  database.exec(SETTINGS + SCHEMA);
  const transaction = transactionsOf(database, path);
  const prepare = (sql: string) => database.prepare(sql);

  const version = prepare('PRAGMA data_version');
  const selectItem = prepare('SELECT id, body FROM items WHERE tableId = ? AND key = ?');
  const insertItem = prepare('INSERT INTO items (tableId, key, body, expires) VALUES (?, ?, ?, ?)');
  const updateItem = prepare('UPDATE items SET body = ?, expires = ? WHERE id = ?');
  const deleteItem = prepare('DELETE FROM items WHERE id = ?');
  const insertEntry = prepare('INSERT INTO entries (tableId, indexName, key, item) VALUES (?, ?, ?, ?)');
  const deleteEntry = prepare('DELETE FROM entries WHERE tableId = ? AND indexName = ? AND key = ?');
  const itemsBy = (order: string) =>
    prepare(`SELECT body FROM items WHERE tableId = ? AND key >= ? AND key < ? ORDER BY key ${order}`);
  const entriesBy = (order: string) =>
    prepare(`SELECT body FROM entries JOIN items ON items.id = entries.item
      WHERE entries.tableId = ? AND indexName = ? AND entries.key >= ? AND entries.key < ? ORDER BY entries.key ${order}`);
  const items = { forward: itemsBy('ASC'), backward: itemsBy('DESC') };
  const entries = { forward: entriesBy('ASC'), backward: entriesBy('DESC') };
  const selectExpired = prepare(
    'SELECT id, body FROM items WHERE tableId = ? AND expires BETWEEN ? AND ? ORDER BY expires LIMIT ?',
  );
  const selectToken = prepare('SELECT request FROM tokens WHERE token = ? AND expires > ?');
  const replaceToken = prepare('INSERT OR REPLACE INTO tokens (token, request, expires) VALUES (?, ?, ?)');
  const deleteTokens = prepare('DELETE FROM tokens WHERE expires <= ?');

  const stored = (row: Record<string, unknown> | undefined): StoredItem | undefined =>
    row && { id: Number(row.id), item: JSON.parse(String(row.body)) };

  return {
    /** Runs `work` in one transaction; rolls it back if `work` throws. */
    transaction,

    /** Gives space back that expired items left. */
    giveBackSpace: () => giveBackSpace(database),

    /** A number that changes when another process changes the file. */
    version: (): number => Number(version.get()?.data_version),

    tables: (): readonly StoredTable[] =>
      prepare('SELECT id, definition FROM tables ORDER BY id')
        .all()
        .map(({ id, definition }) => ({ id: Number(id), definition: String(definition) })),
    createTable: (definition: string): number =>
      Number(prepare('INSERT INTO tables (definition) VALUES (?)').run(definition).lastInsertRowid),
    redefineTable(table: number, definition: string): void {
      prepare('UPDATE tables SET definition = ? WHERE id = ?').run(definition, table);
    },
    /** Recomputes when each item of a table expires. */
    reschedule(table: number, expiryOf: (item: Item) => number | null): void {
      database.function('expiry', (body) => expiryOf(JSON.parse(String(body))));
      prepare('UPDATE items SET expires = expiry(body) WHERE tableId = ?').run(table);
    },
    deleteTable(table: number): void {
      for (const from of ['entries', 'items']) prepare(`DELETE FROM ${from} WHERE tableId = ?`).run(table);
      prepare('DELETE FROM tables WHERE id = ?').run(table);
    },
    count: (table: number): number =>
      Number(prepare('SELECT count(*) AS items FROM items WHERE tableId = ?').get(table)?.items),

    read: (table: number, key: Uint8Array): StoredItem | undefined => stored(selectItem.get(table, key)),
    /** The items of a key range, read lazily. */
    *range(table: number, { from, to, forward }: KeyRange): Generator<Item> {
      const rows = items[forward ? 'forward' : 'backward'].iterate(table, from, to);
      for (const { body } of rows) yield JSON.parse(String(body));
    },
    /** The same in the order of an index; the items are complete. */
    *indexRange(table: number, index: string, { from, to, forward }: KeyRange): Generator<Item> {
      const rows = entries[forward ? 'forward' : 'backward'].iterate(table, index, from, to);
      for (const { body } of rows) yield JSON.parse(String(body));
    },

    /** Returns the new item's id. */
    insert: (table: number, key: Uint8Array, item: Item, expires: number | null): number =>
      Number(insertItem.run(table, key, JSON.stringify(item), expires).lastInsertRowid),
    update(id: number, item: Item, expires: number | null): void {
      updateItem.run(JSON.stringify(item), expires, id);
    },
    delete(id: number): void {
      deleteItem.run(id);
    },
    insertEntry(table: number, index: string, key: Uint8Array, item: number): void {
      insertEntry.run(table, index, key, item);
    },
    deleteEntry(table: number, index: string, key: Uint8Array): void {
      deleteEntry.run(table, index, key);
    },

    expired: (
      table: number,
      { from, to, limit }: { from: number; to: number; limit: number },
    ): readonly StoredItem[] => selectExpired.all(table, from, to, limit).flatMap((row) => stored(row) ?? []),

    /** The request that had this token, while the token is valid. */
    requestOf: (token: string, now: number): string | undefined => {
      const row = selectToken.get(token, now);
      return row && String(row.request);
    },
    keepToken(token: string, request: string, expires: number): void {
      replaceToken.run(token, request, expires);
    },
    dropTokens(now: number): void {
      deleteTokens.run(now);
    },
    close(): void {
      database.close();
    },
  };
}
