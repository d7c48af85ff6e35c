/** The objects of all buckets in one SQLite file. Writes are atomic. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { presenceOf } from '../files.ts';
import { giveBackSpace } from '../free-space.ts';
import { openPrivateDatabase } from '../private-file.ts';

export interface ObjectFacts {
  readonly key: string;
  readonly size: number;
  /** MD5 of the content in hexadecimal. */
  readonly md5: string;
  /** CRC-32 of the content. */
  readonly crc32: number;
  readonly modified: Date;
  /** Headers that are returned with the object: its content type and `x-amz-meta-...`. */
  readonly headers: Readonly<Record<string, string>>;
}

interface StoredObject extends ObjectFacts {
  readonly content: Uint8Array;
}

/** What the store keeps about a content. */
export const contentFacts = (content: Uint8Array): Pick<ObjectFacts, 'size' | 'md5' | 'crc32'> => ({
  size: content.length,
  md5: createHash('md5').update(content).digest('hex'),
  crc32: crc32(content),
});

export type ObjectStore = ReturnType<typeof openObjectStore>;

/** The size to which the write-ahead log is truncated after a large object. */
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA journal_size_limit = 67108864;
  CREATE TABLE IF NOT EXISTS objects (
    id INTEGER PRIMARY KEY,
    bucket TEXT NOT NULL,
    key TEXT NOT NULL,
    size INTEGER NOT NULL,
    md5 TEXT NOT NULL,
    crc32 INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    headers TEXT NOT NULL,
    content BLOB NOT NULL,
    UNIQUE (bucket, key)
  );
`;
const FACTS = 'key, size, md5, crc32, modified, headers';

/** Opens or creates the file. Objects in buckets that are no longer named remain. */
export function openObjectStore(path: string, buckets: readonly string[]) {
  const database = openPrivateDatabase(path);
  database.exec(SCHEMA);
  const requirePresence = presenceOf(path);
  const replace =
    database.prepare(`INSERT INTO objects (bucket, ${FACTS}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (bucket, key) DO UPDATE SET size = excluded.size, md5 = excluded.md5, crc32 = excluded.crc32,
      modified = excluded.modified, headers = excluded.headers, content = excluded.content`);
  const select = database.prepare(`SELECT ${FACTS}, content FROM objects WHERE bucket = ? AND key = ?`);
  const selectFacts = database.prepare(`SELECT ${FACTS} FROM objects WHERE bucket = ? AND key = ?`);
  const remove = database.prepare('DELETE FROM objects WHERE bucket = ? AND key = ?');
  const expire = database.prepare('DELETE FROM objects WHERE modified < ?');

  return {
    hasBucket: (bucket: string): boolean => buckets.includes(bucket),
    put(bucket: string, { key, size, md5, crc32, modified, headers, content }: StoredObject): void {
      requirePresence();
      replace.run(bucket, key, size, md5, crc32, modified.getTime(), JSON.stringify(headers), content);
    },
    get(bucket: string, key: string): StoredObject | undefined {
      const row = select.get(bucket, key);
      return row && { ...facts(row), content: row.content as Uint8Array };
    },
    head(bucket: string, key: string): ObjectFacts | undefined {
      const row = selectFacts.get(bucket, key);
      return row && facts(row);
    },
    delete(bucket: string, key: string): void {
      remove.run(bucket, key);
    },
    /** Removes objects that were last written before `time`, like a bucket's lifecycle rule. */
    expire(time: Date): void {
      expire.run(time.getTime());
    },
    /** Gives space back that removed objects left. */
    giveBackSpace: () => giveBackSpace(database),
    close(): void {
      database.close();
    },
  };
}

const facts = (row: Readonly<Record<string, unknown>>): ObjectFacts => ({
  key: String(row.key),
  size: Number(row.size),
  md5: String(row.md5),
  crc32: Number(row.crc32),
  modified: new Date(Number(row.modified)),
  headers: JSON.parse(String(row.headers)),
});
