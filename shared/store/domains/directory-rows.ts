/**
 * What filters and orders of domains need to know about each domain, and how an organization's directory stores it: in
 * shards of compressed columns, because DynamoDB charges by size, and in items with changes that are not in a shard yet.
 */
import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import * as z from 'zod/mini';
import { type UsageType, usageTypes } from '../../checks/state.ts';
import { points } from '../../score/grade.ts';
import { packed } from '../item-schema.ts';
import { type ListedPolicy, listedPolicies, listedPolicy, type ScoreBefore } from './listed.ts';

export interface DirectoryRow {
  readonly id: string;
  readonly domain: string;
  readonly usageType: UsageType;
  readonly verified: boolean;
  /** The score for each usage type, in the order of `usageTypes`, because the usage type can change. */
  readonly scores: readonly (number | null)[];
  readonly tags: readonly string[];
  /** The DMARC policy that applies to it; null if it is not known. */
  readonly policy: ListedPolicy | null;
  /** The scores before its changes of the last days, for the usage type at that time; oldest first. */
  readonly week: readonly ScoreBefore[];
  /** Of the 30 days up to the last one with DMARC reports; null without reports. */
  readonly mail: SummedMail | null;
  /** The statuses for compliance profiles (`shared/compliance/listed.ts`); empty if they are not known. */
  readonly compliance: string;
}

/** Messages in DMARC reports; `last` is the last day (UTC) with messages. */
export interface SummedMail {
  readonly messages: number;
  readonly passed: number;
  readonly last: string;
}

/** Changes of a domain; `removed` ends its row. */
export type RowChange = Partial<Omit<DirectoryRow, 'id'>> & { readonly removed?: true };

/** The number of shards: with a million domains, each is about 360 KB, and an item holds 400 KB (DynamoDB's limit). */
const SHARDS = 64;

const directoryShards: readonly string[] = Array.from({ length: SHARDS }, (_, shard) =>
  String(shard).padStart(2, '0'),
);

/** The shard of a domain, and whether a change of it also moves all waiting changes of its shard into the shard. */
export function shardOf(id: string): { readonly shard: string; readonly compacts: boolean } {
  const [first = 0, second = 0] = createHash('sha256').update(id).digest();
  return { shard: directoryShards[first % SHARDS] ?? '', compacts: second % 2 === 0 };
}

const noScores: readonly null[] = usageTypes.map(() => null);

/** A shard; columns compress better than rows, and with Brotli better than with gzip, by a fifth. */
export const shardItem = z.object({
  revision: z.number(),
  columns: packed(
    z.object({
      ids: z.array(z.string()),
      domains: z.array(z.string()),
      usageTypes: z.array(z.int()),
      verified: z.array(z.int()),
      /** Two hexadecimal digits for each usage type. A shard can lack optional columns. */
      scores: z.optional(z.array(z.string())),
      tags: z.array(z.array(z.string())),
      /** A digit each. */
      policies: z.optional(z.array(z.string())),
      /** `<day> <score>`, separated by commas. */
      weeks: z.optional(z.array(z.string())),
      /** `<messages> <passed> <last>` each; empty without reports. */
      mails: z.optional(z.array(z.string())),
      compliance: z.optional(z.array(z.string())),
    }),
    brotliDecompressSync,
  ),
});

/** Changes of a domain that are not in its shard yet; `changes` counts them. */
export const changeItem = z.object({
  id: z.string(),
  changes: z.number(),
  domain: z.optional(z.string()),
  usageType: z.optional(z.enum(usageTypes)),
  verified: z.optional(z.boolean()),
  scores: z.optional(z.array(z.nullable(points))),
  tags: z.optional(z.array(z.string())),
  policy: z.optional(z.nullable(listedPolicy)),
  week: z.optional(z.array(z.object({ day: z.string(), score: z.nullable(points) }))),
  mail: z.optional(z.nullable(z.object({ messages: z.number(), passed: z.number(), last: z.string() }))),
  compliance: z.optional(z.string()),
  removed: z.optional(z.literal(true)),
});

type Shard = z.infer<typeof shardItem>;
type Changed = z.infer<typeof changeItem>;

const NONE = '-';

const toHex = (score: number | null): string => (score === null ? '--' : score.toString(16).padStart(2, '0'));

const fromHex = (digits: string): number | null => (digits === '--' ? null : Number.parseInt(digits, 16));

/** The attribute of a shard with these rows. */
export function columnsOf(rows: readonly DirectoryRow[]): Buffer {
  const columns = {
    ids: rows.map(({ id }) => id.replaceAll('-', '')),
    domains: rows.map(({ domain }) => domain),
    usageTypes: rows.map(({ usageType }) => usageTypes.indexOf(usageType)),
    verified: rows.map(({ verified }) => Number(verified)),
    scores: rows.map(({ scores }) => scores.map(toHex).join('')),
    tags: rows.map(({ tags }) => tags),
    policies: rows.map(({ policy }) => (policy === null ? NONE : String(listedPolicies.indexOf(policy)))),
    weeks: rows.map(({ week }) => week.map(({ day, score }) => `${day} ${score ?? NONE}`).join()),
    mails: rows.map(({ mail }) => (mail === null ? '' : `${mail.messages} ${mail.passed} ${mail.last}`)),
    compliance: rows.map(({ compliance }) => compliance),
  };
  return brotliCompressSync(JSON.stringify(columns));
}

export function rowsOf({ columns }: Shard): DirectoryRow[] {
  const { ids, domains, verified, scores, tags, policies, weeks, mails, compliance } = columns;
  return ids.map((id, at) => ({
    id: withHyphens(id),
    domain: domains[at] ?? '',
    usageType: usageTypes[columns.usageTypes[at] ?? 0] ?? 'parked',
    verified: verified[at] === 1,
    scores: scores?.[at]?.match(/../g)?.map(fromHex) ?? noScores,
    tags: tags[at] ?? [],
    policy: listedPolicies[Number(policies?.[at] ?? NONE)] ?? null,
    week: weekOf(weeks?.[at] ?? ''),
    mail: mailOf(mails?.[at] ?? ''),
    compliance: compliance?.[at] ?? '',
  }));
}

/** A UUID of 32 digits in its usual form. */
const withHyphens = (id: string): string =>
  [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join('-');

const weekOf = (text: string): readonly ScoreBefore[] =>
  text === ''
    ? []
    : text.split(',').map((one) => {
        const [day = '', score = NONE] = one.split(' ');
        return { day, score: score === NONE ? null : Number(score) };
      });

function mailOf(text: string): SummedMail | null {
  if (text === '') return null;
  const [messages, passed, last = ''] = text.split(' ');
  return { messages: Number(messages), passed: Number(passed), last };
}

/** The rows after the changes, in the order of registration. */
export function mergedRows(rows: readonly DirectoryRow[], changes: readonly Changed[]): DirectoryRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, removed, changes: _count, ...change } of changes) {
    const before = byId.get(id) ?? newRow(id);
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const after = { ...before, ...given };
    // Without a name, the row is that of a domain that a slower read does not have yet.
    if (removed || after.domain === '') byId.delete(id);
    else byId.set(id, after);
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

const newRow = (id: string): DirectoryRow => ({
  ...{ id, domain: '', usageType: 'parked', verified: false, scores: noScores, tags: [] },
  ...{ policy: null, week: [], mail: null, compliance: '' },
});
