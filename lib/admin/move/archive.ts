/**
 * The file in which organizations move: a SQLite database with items, raw mails, and a checksum of each range of items.
 * Writing it can be interrupted and continued.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import {
  type About,
  type ArchivedItem,
  type ReadableArchive,
  type Sum,
  Summing,
  type WritableArchive,
} from '../../../shared/operations/move/archive.ts';
import { octets } from '../../../shared/store/item-schema.ts';
import { openPrivateDatabase } from '../../local/stores/private-file.ts';
import { CommandError } from '../../terminal/command-line.ts';

/** Distinguishes archives from other databases: "edsm" in ASCII (SQLite, "PRAGMA application_id"). */
const APPLICATION = 0x6564736d;

const SCHEMA = `
  PRAGMA application_id = ${APPLICATION};
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE about (
    id TEXT NOT NULL,
    layout INTEGER NOT NULL,
    version TEXT NOT NULL,
    createdAt TEXT NOT NULL,
    organizations TEXT NOT NULL,
    hasSecrets INTEGER NOT NULL,
    isComplete INTEGER NOT NULL
  );
  CREATE TABLE items (
    pk TEXT NOT NULL,
    sk TEXT NOT NULL,
    step INTEGER NOT NULL,
    item TEXT NOT NULL,
    PRIMARY KEY (pk, sk)
  ) WITHOUT ROWID;
  CREATE INDEX steps ON items (step) WHERE step > 0;
  CREATE TABLE ranges (
    pk TEXT NOT NULL,
    prefix TEXT NOT NULL,
    items INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (pk, prefix)
  ) WITHOUT ROWID;
  CREATE TABLE mails (key TEXT PRIMARY KEY, sha256 TEXT NOT NULL, content BLOB NOT NULL);
`;

const aboutRow = z.object({
  ...{ id: z.string(), layout: z.number(), version: z.string(), createdAt: z.string() },
  ...{ organizations: z.string(), hasSecrets: z.number(), isComplete: z.number() },
});
const itemRow = z.object({ pk: z.string(), sk: z.string(), step: z.number(), item: z.string() });
const rangeRow = z.object({ pk: z.string(), prefix: z.string(), items: z.number(), sha256: z.string() });
const mailRow = z.object({ key: z.string(), sha256: z.string(), content: octets });

/** Creates an archive, or continues one that was begun with the same options. @throws CommandError */
export function createArchive(file: string, about: Omit<About, 'id' | 'isComplete'>): WritableArchive {
  const isNew = !existsSync(file);
  const database = openPrivateDatabase(file);
  if (isNew) {
    database.exec(SCHEMA);
    database
      .prepare(
        'INSERT INTO about VALUES (:id, :layout, :version, :createdAt, :organizations, :hasSecrets, 0)',
      )
      .run({ id: randomUUID(), ...about });
  }
  const archive = archiveIn(database);
  const { organizations, hasSecrets, version } = archive.about;
  if (organizations === about.organizations && hasSecrets === about.hasSecrets && version === about.version)
    return archive;
  archive.close();
  throw new CommandError(`${file} was begun with other options or by another version: delete it`);
}

/** Opens an archive. @throws CommandError if it is not complete or something else. */
export function openArchive(file: string): ReadableArchive & Pick<WritableArchive, 'close'> {
  const database = existsSync(file) ? new DatabaseSync(file, { readOnly: true }) : undefined;
  if (database !== undefined && isArchive(database)) {
    const archive = archiveIn(database);
    if (archive.about.isComplete === 1) return archive;
  }
  database?.close();
  throw new CommandError(`${file} is no archive that "export" wrote to its end`);
}

function isArchive(database: DatabaseSync): boolean {
  try {
    return database.prepare('PRAGMA application_id').get()?.application_id === APPLICATION;
  } catch {
    return false;
  }
}

/** Rows that are written in one transaction. */
const TOGETHER = 500;

function archiveIn(database: DatabaseSync): WritableArchive {
  const select = <Row>(schema: z.ZodMiniType<Row>, sql: string) => {
    const statement = database.prepare(sql);
    return function* (...given: readonly string[]): Generator<Row> {
      for (const row of statement.iterate(...given)) yield schema.parse(row);
    };
  };
  const within = 'pk = ? AND sk >= ? AND sk < ?';
  const boundsOf = ({ pk, prefix }: Pick<Sum, 'pk' | 'prefix'>) =>
    [pk, prefix, `${prefix}\u{10ffff}`] as const;
  const items = select(itemRow, `SELECT * FROM items WHERE ${within} ORDER BY sk`);
  const idle = select(itemRow, 'SELECT * FROM items WHERE step = 0 AND (pk, sk) > (?, ?) ORDER BY pk, sk');
  const acting = select(itemRow, 'SELECT * FROM items WHERE step > 0 ORDER BY step, pk DESC, sk');
  const step = database.prepare('SELECT step FROM items WHERE pk = ? AND sk = ?');
  const ranges = select(rangeRow, 'SELECT * FROM ranges ORDER BY pk, prefix');
  const range = database.prepare('SELECT 1 FROM ranges WHERE pk = ? AND prefix = ?');
  const mails = select(mailRow, 'SELECT * FROM mails WHERE key > ? ORDER BY key');
  const mail = database.prepare('SELECT 1 FROM mails WHERE key = ?');
  const clear = database.prepare(`DELETE FROM items WHERE ${within}`);
  const addItem = database.prepare('INSERT INTO items VALUES (:pk, :sk, :step, :item)');
  const addRange = database.prepare('INSERT INTO ranges VALUES (:pk, :prefix, :items, :sha256)');
  const addMail = database.prepare('INSERT INTO mails VALUES (?, ?, ?)');
  const inTransaction = (work: () => void): void => {
    database.exec('BEGIN');
    work();
    database.exec('COMMIT');
  };
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);

  return {
    about: aboutRow.parse(database.prepare('SELECT * FROM about').get()),
    counts: () => ({ items: count('items'), ranges: count('ranges'), mails: count('mails') }),
    hasRange: ({ pk, prefix }) => range.get(pk, prefix) !== undefined,
    async addRange({ pk, prefix }, given) {
      clear.run(...boundsOf({ pk, prefix }));
      const sum = new Summing();
      let waiting: ArchivedItem[] = [];
      const write = () => {
        for (const one of waiting) addItem.run({ ...one });
        waiting = [];
      };
      for await (const one of given) {
        sum.add(one.item);
        waiting.push(one);
        if (waiting.length === TOGETHER) inTransaction(write);
      }
      inTransaction(() => {
        write();
        addRange.run({ pk, prefix, ...sum.end() });
      });
    },
    ranges: () => ranges(),
    itemsIn: (of) => items(...boundsOf(of)),
    idleAfter: ({ pk, sk }) => idle(pk, sk),
    acting: () => acting(),
    hasIdle: ({ pk, sk }) => step.get(pk, sk)?.step === 0,
    hasMail: (key) => mail.get(key) !== undefined,
    addMail(key, content) {
      addMail.run(key, sha256(content), content);
    },
    mailsAfter: (key) => mails(key),
    *damaged() {
      for (const { pk, prefix, ...said } of ranges()) {
        const sum = new Summing();
        for (const { item } of items(...boundsOf({ pk, prefix }))) sum.add(item);
        if (!isDeepStrictEqual(sum.end(), said)) yield pk;
      }
      for (const { key, sha256: said, content } of mails('')) if (sha256(content) !== said) yield key;
    },
    finish: () => database.exec('UPDATE about SET isComplete = 1; PRAGMA journal_mode = DELETE'),
    close: () => database.close(),
  };
}

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
