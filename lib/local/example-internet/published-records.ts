/** What users change under `test`: which records are accepted, and where changes are stored. */
import { isIP } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import { parseLookupName } from '../../../shared/protocol/domain-name.ts';
import { openPrivateDatabase } from '../stores/private-file.ts';
import { fails, topZone } from './zone-data.ts';

export interface PublishedRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'TXT';
  readonly value: string;
}

export type ParsedRecord =
  | { readonly ok: true; readonly record: PublishedRecord }
  | { readonly ok: false; readonly problem: string };

const MAX_RECORDS = 1000;
const MAX_TXT_OCTETS = 2000;
/** Bytes of one record set; a message holds 65,535 with its signature (RFC 1035 section 4.2.2). */
const MAX_SET_OCTETS = 50_000;
/** Bytes of a record's type, class, TTL and lengths. */
const RECORD_OCTETS = 20;

/** The record with its name in canonical form, or the reason why it is rejected. */
export function parseRecord({ name: written, type, value }: PublishedRecord): ParsedRecord {
  const refused = (problem: string) => ({ ok: false, problem }) as const;
  const plain = written.replace(/\.$/, '').toLowerCase();
  if (!plain.endsWith(`.${topZone}`))
    return refused(`Only names under .${topZone} can be published here, not ${written}.`);
  if (plain.includes('*'))
    return refused(`Wildcards are not supported: publish each name instead of ${written}.`);
  const parsed = parseLookupName(written);
  if (!parsed.ok) return refused(`${written} is not a valid domain name: ${parsed.problem}.`);
  if (fails(parsed.name))
    return refused(
      `${parsed.name} is an example of a domain whose name servers fail: records cannot be published there.`,
    );
  const octets = Buffer.byteLength(value);
  if (type === 'TXT' && octets > MAX_TXT_OCTETS)
    return refused(`A TXT value can have at most ${MAX_TXT_OCTETS} bytes; this one has ${octets}.`);
  const family = { A: 4, AAAA: 6, TXT: undefined }[type];
  if (family !== undefined && isIP(value) !== family)
    return refused(`The value of an ${type} record must be an IPv${family} address.`);
  return { ok: true, record: { name: parsed.name, type, value } };
}

/** Why the record does not fit beside the others; undefined if it fits. */
export function crowding(record: PublishedRecord, others: readonly PublishedRecord[]): string | undefined {
  if (others.length >= MAX_RECORDS)
    return `The maximum of ${MAX_RECORDS} records is reached: remove some with DELETE first.`;
  const octets = [record, ...others.filter(({ name, type }) => name === record.name && type === record.type)]
    .map(({ name, value }) => RECORD_OCTETS + name.length + Buffer.byteLength(value))
    .reduce((a, b) => a + b);
  return octets > MAX_SET_OCTETS
    ? `The ${record.type} records of ${record.name} would be too large for a DNS response.`
    : undefined;
}

/** Opens or creates the file. A record is on disk when `add` returns. `:memory:` keeps nothing. */
export function openRecordStore(path: string) {
  const database = openPrivateDatabase(path);
  return {
    /** Records in addition to those of the zones. */
    published: recordSet(database, 'records'),
    /** Records of the zones that are no longer served. */
    withdrawn: recordSet(database, 'withdrawn'),
    close: (): void => database.close(),
  };
}

function recordSet(database: DatabaseSync, table: 'records' | 'withdrawn') {
  database.exec(`CREATE TABLE IF NOT EXISTS ${table} (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (name, type, value))`);
  const select = database.prepare(`SELECT name, type, value FROM ${table} ORDER BY id`);
  const insert = database.prepare(`INSERT INTO ${table} (name, type, value) VALUES (?, ?, ?)`);
  const remove = database.prepare(`DELETE FROM ${table} WHERE name = ? AND type = ? AND value = ?`);
  return {
    all: (): PublishedRecord[] =>
      select.all().map(({ name, type, value }) => ({ name, type, value }) as unknown as PublishedRecord),
    add({ name, type, value }: PublishedRecord): void {
      insert.run(name, type, value);
    },
    /** Returns false if there is no such record. */
    remove: ({ name, type, value }: PublishedRecord): boolean => remove.run(name, type, value).changes > 0,
  };
}
