/** Reads the proposed record sets of a preview: from a zone file, or from a list of changes. */
import { canonicalName, isWithin } from '../../protocol/domain-name.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { DEFAULT_TTL, parseZone } from '../../protocol/zone-file/parse.ts';
import {
  isOrdinaryName,
  readValue,
  writeValue,
  type ZoneSet,
  type ZoneType,
} from '../../protocol/zone-file/record-set.ts';

export type ReadSets =
  | { readonly ok: true; readonly sets: readonly ZoneSet[] }
  /** Sentences without a final period. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** A change of one record set, as in a plan of recommended changes. */
interface ProposedChange {
  readonly name: string;
  readonly type: ZoneType;
  readonly ttl?: number | undefined;
  /** The values of all records of the set after the change; empty to remove the set. */
  readonly after: readonly string[];
}

/** Record sets per proposal: more than any domain needs for its mail. */
const MAX_SETS = 500;

/** Reads a zone file. Each set in it replaces the whole published set; a file without records is a problem. */
export function readZone(text: string, domain: string): ReadSets {
  const parsed = parseZone(text, domain);
  return parsed.ok
    ? bounded(parsed.sets)
    : { ok: false, problems: parsed.problems.map(({ line, message }) => `line ${line}: ${message}`) };
}

/** Reads changes, under the same rules as a zone file. Of several changes of one set, the last one counts. */
export function readChanges(changes: readonly ProposedChange[], domain: string): ReadSets {
  const problems: string[] = [];
  const sets = new Map<string, ZoneSet>();
  for (const { name: typed, type, ttl = DEFAULT_TTL, after } of changes) {
    const name = canonicalName(typed);
    const values = after.flatMap((value) => normalized(type, value) ?? []);
    if (!isOrdinaryName(name)) problems.push(`invalid name: ${excerpt(typed)}`);
    else if (!isWithin(name, domain)) problems.push(`${excerpt(name)} is outside of ${domain}`);
    else if (values.length < after.length) problems.push(`invalid ${type} record at ${excerpt(name)}`);
    else sets.set(`${name} ${type}`, { name, type, ttl, values: [...new Set(values)] });
  }
  for (const { name, type, values } of sets.values()) {
    const others = [...sets.values()].filter((other) => other.name === name && other.values.length > 0);
    if (type === 'CNAME' && values.length > 0 && (values.length > 1 || others.length > 1))
      problems.push(`${name} has a CNAME record beside other data`);
  }
  return problems.length > 0 ? { ok: false, problems } : bounded([...sets.values()]);
}

function bounded(sets: readonly ZoneSet[]): ReadSets {
  if (sets.length === 0) return { ok: false, problems: ['the proposal contains no record set'] };
  if (sets.length > MAX_SETS) return { ok: false, problems: [`more than ${MAX_SETS} record sets`] };
  return { ok: true, sets };
}

function normalized<T extends ZoneType>(type: T, value: string): string | undefined {
  const data = readValue(type, value);
  return data === undefined ? undefined : writeValue(type, data);
}
