/** Records that somebody publishes below `test`: which ones are taken, and where they are kept. */
import { isIP } from 'node:net';
import { parseLookupName } from '../../../shared/protocol/domain-name.ts';
import { openPrivateDatabase } from '../private-file.ts';
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
/** Octets of one name's records of one type; a message holds 65,535, signature included (RFC 1035 section 4.2.2). */
const MAX_SET_OCTETS = 50_000;
/** Type, class, TTL and lengths of a record, beside its name and value. */
const RECORD_OCTETS = 20;

/** The record with its name in the form in which names are compared, or a sentence that says why it is refused. */
export function parseRecord({ name: written, type, value }: PublishedRecord): ParsedRecord {
  const refused = (problem: string) => ({ ok: false, problem }) as const;
  const plain = written.replace(/\.$/, '').toLowerCase();
  if (!plain.endsWith(`.${topZone}`))
    return refused(`Only names below .${topZone} can be published here, not ${written}.`);
  if (plain.includes('*'))
    return refused(`Wildcards are not served here: publish each name, not ${written}.`);
  const parsed = parseLookupName(written);
  if (!parsed.ok) return refused(`${written} is no name that can be looked up: ${parsed.problem}.`);
  if (fails(parsed.name))
    return refused(`The name servers of ${parsed.name} never answer; that is what it is for.`);
  const octets = Buffer.byteLength(value);
  if (type === 'TXT' && octets > MAX_TXT_OCTETS)
    return refused(`A TXT value holds at most ${MAX_TXT_OCTETS} octets here, and this one has ${octets}.`);
  const family = { A: 4, AAAA: 6, TXT: undefined }[type];
  if (family !== undefined && isIP(value) !== family)
    return refused(`An ${type} record holds an IPv${family} address.`);
  return { ok: true, record: { name: parsed.name, type, value } };
}

/** Why there is no room for one more record beside the others. */
export function crowding(record: PublishedRecord, others: readonly PublishedRecord[]): string | undefined {
  if (others.length >= MAX_RECORDS)
    return `${MAX_RECORDS} records are published, which is the most: DELETE some first.`;
  const octets = [record, ...others.filter(({ name, type }) => name === record.name && type === record.type)]
    .map(({ name, value }) => RECORD_OCTETS + name.length + Buffer.byteLength(value))
    .reduce((a, b) => a + b);
  return octets > MAX_SET_OCTETS
    ? `No more records of type ${record.type} would fit into an answer about ${record.name}.`
    : undefined;
}

export type RecordStore = ReturnType<typeof openRecordStore>;

/** Opens or creates the file; what is added is on the disk when that returns. `:memory:` keeps nothing. */
export function openRecordStore(path: string) {
  const database = openPrivateDatabase(path);
  database.exec(`CREATE TABLE IF NOT EXISTS records (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (name, type, value))`);
  const select = database.prepare('SELECT name, type, value FROM records ORDER BY id');
  const insert = database.prepare('INSERT INTO records (name, type, value) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM records WHERE name = ? AND type = ? AND value = ?');
  return {
    all: (): PublishedRecord[] =>
      select.all().map(({ name, type, value }) => ({ name, type, value }) as unknown as PublishedRecord),
    add({ name, type, value }: PublishedRecord): void {
      insert.run(name, type, value);
    },
    /** False where there is no such record. */
    remove: ({ name, type, value }: PublishedRecord): boolean => remove.run(name, type, value).changes > 0,
    close: (): void => database.close(),
  };
}
