/** Looks into the databases of a booted service from outside. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How many rows there are: `rowsIn(dataDir, 'queues.sqlite', 'messages')`. */
export function rowsIn(dataDir: string, file: string, from: string): number {
  return Number(query(dataDir, file, `SELECT count(*) AS n FROM ${from}`)[0]?.n);
}

/** The items of the table in which a text occurs, as DynamoDB writes them: `{ pk: { S: '...' } }`. */
// biome-ignore lint/suspicious/noExplicitAny: items of several shapes, read freely by tests
export function itemsWith(dataDir: string, text: string): any[] {
  const rows = query(dataDir, 'table.sqlite', 'SELECT body FROM items WHERE instr(body, ?) > 0', text);
  return rows.map(({ body }) => JSON.parse(String(body)));
}

function query(dataDir: string, file: string, sql: string, ...values: string[]): Record<string, unknown>[] {
  const database = new DatabaseSync(join(dataDir, file), { readOnly: true });
  try {
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}
