/**
 * Lays proposed record sets over DNS: a Dns that answers as the real one would answer after the change.
 *
 * A name above a proposed name exists (an empty non-terminal). A wildcard applies neither at nor below a name that a
 * proposed set creates (RFC 4592 section 2.2). DNS does not say that an answer came from a wildcard, so an answer counts
 * as such if it is the same as that of the wildcard itself.
 */

import { MAX_ALIASES } from '../../network/dns-answer.ts';
import type {
  Absent,
  Answer,
  Dns,
  Found,
  LookupOptions,
  RecordData,
  RecordType,
} from '../../protocol/dns.ts';
import { canonicalName, isWithin } from '../../protocol/domain-name.ts';
import {
  characterStrings,
  readValue,
  type ZoneSet,
  type ZoneType,
  zoneTypes,
} from '../../protocol/zone-file/record-set.ts';

export interface Overlay {
  readonly dns: Dns;
  /** Whether a set is proposed at the name, above it or below it, so that its answers can differ. */
  readonly covers: (name: string) => boolean;
  /** Whether an answer contains proposed records. */
  readonly isProposed: (answer: Found<unknown>) => boolean;
}

/** Lays `sets` over `dns`. A set without values removes the real one. Without sets, all answers are those of `dns`. */
export function overlayDns(dns: Dns, sets: readonly ZoneSet[]): Overlay {
  const proposed = new WeakSet<object>();
  const names = [...new Set(sets.map(({ name }) => name))];
  const created = [...new Set(sets.filter(({ values }) => values.length > 0).map(({ name }) => name))];

  const setAt = (name: string, type: RecordType) =>
    sets.find((set) => set.name === name && set.type === type);
  const covers = (name: string) =>
    names.some((other) => {
      const place = other.startsWith('*.') ? other.slice(2) : other;
      return isWithin(name, place) || isWithin(other, name);
    });
  /** Whether the name exists because of a proposed set at or below it. */
  const exists = (name: string) => created.some((other) => isWithin(other, name));

  function found<T extends RecordType>(
    name: string,
    { type, ttl, values }: ZoneSet,
    aliases: readonly string[],
  ): Answer<RecordData[T]> {
    const answer = {
      status: 'found',
      records: recordsOf(type, values) as RecordData[T][],
      name,
      aliases,
      ttl,
      sets: [],
      evidence: { rcode: 'NOERROR', milliseconds: 0 },
    } as const;
    proposed.add(answer);
    return answer;
  }

  async function resolve<T extends RecordType>(
    name: string,
    type: T,
    options: LookupOptions | undefined,
    aliases: readonly string[],
  ): Promise<Answer<RecordData[T]>> {
    if (aliases.includes(name) || aliases.length > MAX_ALIASES)
      return { status: 'unavailable', reason: 'malformed', evidence: { milliseconds: 0 } };
    const own = await ownAnswer(name, type, options, aliases);
    if (own !== undefined) return own;
    const real = await dns.lookup(name, type, options);
    if (real.status === 'unavailable') return real;
    const next = await aliasToOverlay(real, options);
    if (next !== undefined) return resolve(next.target, type, options, [...aliases, ...next.aliases]);
    return aliases.length === 0 ? real : { ...real, aliases: [...aliases, ...real.aliases] };
  }

  /** The answer at a name that the overlay changes; undefined if the real answer applies. */
  async function ownAnswer<T extends RecordType>(
    name: string,
    type: T,
    options: LookupOptions | undefined,
    aliases: readonly string[],
  ): Promise<Answer<RecordData[T]> | undefined> {
    if (!covers(name)) return undefined;
    const alias = setAt(name, 'CNAME');
    const set = setAt(name, type);
    if (type !== 'CNAME' && alias !== undefined && alias.values.length > 0)
      return resolve(canonicalName(alias.values[0] ?? ''), type, options, [...aliases, name]);
    if (set !== undefined)
      return set.values.length > 0 ? found(name, set, aliases) : absent('no-data', aliases);
    const real = await dns.lookup(name, type, options);
    if (real.status === 'unavailable') return undefined;
    const ownsAlias = real.aliases[0] === name;
    if (ownsAlias && alias !== undefined) return absent('no-data', aliases);
    const isMissing = real.status === 'absent' && real.reason === 'no-name' && !ownsAlias;
    const wildcard = isMissing ? undefined : await wildcardOf(name, type, real, options);
    if (!isMissing && wildcard === undefined) return undefined;
    if (exists(name)) return absent('no-data', aliases);
    return fromWildcard(name, type, options, aliases, wildcard);
  }

  /** The answer at a name that exists only through a wildcard, if at all. `real` is the wildcard of the real zone. */
  async function fromWildcard<T extends RecordType>(
    name: string,
    type: T,
    options: LookupOptions | undefined,
    aliases: readonly string[],
    real: string | undefined,
  ): Promise<Answer<RecordData[T]> | undefined> {
    for (const above of ancestors(name)) {
      const star = `*.${above}`;
      if (created.includes(star)) {
        const alias = setAt(star, 'CNAME');
        const set = setAt(star, type);
        if (alias !== undefined && alias.values.length > 0 && type !== 'CNAME')
          return resolve(canonicalName(alias.values[0] ?? ''), type, options, [...aliases, name]);
        return set === undefined || set.values.length === 0
          ? absent('no-data', aliases)
          : found(name, set, aliases);
      }
      if (star === real && setAt(star, type) === undefined) return undefined;
      if (star === real) return absent((await keepsData(star, options)) ? 'no-data' : 'no-name', aliases);
      if (exists(above)) break;
    }
    return real === undefined ? undefined : absent('no-name', aliases);
  }

  /** Whether the name has real data that stays. */
  async function keepsData(name: string, options: LookupOptions | undefined): Promise<boolean> {
    const kept = zoneTypes.filter((type) => setAt(name, type) === undefined);
    const answers = await Promise.all(kept.map((type) => dns.lookup(name, type, options)));
    return answers.some(({ status }) => status === 'found');
  }

  /** The wildcard of the real zone that has the same answer. */
  async function wildcardOf<T extends RecordType>(
    name: string,
    type: T,
    real: Answer<RecordData[T]>,
    options: LookupOptions | undefined,
  ): Promise<string | undefined> {
    if (real.status !== 'found') return undefined;
    let wildcard: string | undefined;
    for (const above of ancestors(name)) {
      if (!covers(above)) break;
      const star = `*.${above}`;
      const answer = star === name ? undefined : await dns.lookup(star, type, options);
      // A wildcard also answers for the wildcards below it, so the highest one counts.
      if (answer?.status === 'found' && isSame(answer, real)) wildcard = star;
    }
    return wildcard;
  }

  /** Where the alias chain of a real answer reaches the overlay. */
  async function aliasToOverlay(
    real: Found<unknown> | Absent,
    options: LookupOptions | undefined,
  ): Promise<{ readonly target: string; readonly aliases: readonly string[] } | undefined> {
    const last = real.aliases.at(-1);
    if (last === undefined || names.length === 0) return undefined;
    const end = real.status === 'found' ? real.name : await targetOf(last, options);
    const chain = [...real.aliases, ...(end === undefined ? [] : [end])];
    const at = chain.findIndex((name, index) => index > 0 && covers(name));
    const target = chain[at];
    return target === undefined ? undefined : { target, aliases: chain.slice(0, at) };
  }

  async function targetOf(alias: string, options: LookupOptions | undefined): Promise<string | undefined> {
    const answer = await dns.lookup(alias, 'CNAME', options);
    return answer.status === 'found' ? answer.records[0] : undefined;
  }

  return {
    dns: { lookup: (name, type, options) => resolve(canonicalName(name), type, options, []) },
    covers,
    isProposed: (answer) => proposed.has(answer),
  };
}

/**
 * The names at which a proposed CNAME record would stand beside other data (RFC 1034 section 3.6.2): new data at a real
 * alias, or a new alias at a name with real data that stays.
 */
export async function aliasConflicts(dns: Dns, sets: readonly ZoneSet[]): Promise<readonly string[]> {
  const keeps = async (name: string, type: ZoneType | 'SOA') => {
    if (sets.some((set) => set.name === name && set.type === type)) return false;
    const answer = await dns.lookup(name, type);
    return answer.status === 'found' && answer.aliases.length === 0;
  };
  const names = [...new Set(sets.filter(({ values }) => values.length > 0).map(({ name }) => name))];
  const conflicts = await Promise.all(
    names.map(async (name) => {
      const isAlias = sets.some((set) => set.name === name && set.type === 'CNAME' && set.values.length > 0);
      const others = isAlias
        ? ([...zoneTypes.filter((type) => type !== 'CNAME'), 'SOA'] as const)
        : (['CNAME'] as const);
      const kept = await Promise.all(others.map((type) => keeps(name, type)));
      return kept.includes(true) ? [name] : [];
    }),
  );
  return conflicts.flat();
}

/** The names above `name`, the closest first, without top-level domains. */
function ancestors(name: string): readonly string[] {
  const labels = name.split('.');
  return labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'));
}

function absent(reason: Absent['reason'], aliases: readonly string[]): Absent {
  return { status: 'absent', reason, aliases, evidence: { rcode: 'NOERROR', milliseconds: 0 } };
}

function isSame(answer: Found<unknown>, other: Found<unknown>): boolean {
  return JSON.stringify(answer.records) === JSON.stringify(other.records);
}

/** The data of the values in canonical order, in which all answers have their records (RFC 4034 section 6.3). */
function recordsOf(type: ZoneType, values: readonly string[]): readonly RecordData[ZoneType][] {
  return [...values]
    .map((value) => ({ data: readValue(type, value), order: orderOf(type, value) }))
    .sort((a, b) => Buffer.compare(a.order, b.order))
    .flatMap(({ data }) => (data === undefined ? [] : [data]));
}

function orderOf(type: ZoneType, value: string): Buffer {
  if (type === 'TXT')
    return Buffer.concat(characterStrings(value).flatMap((string) => [Buffer.from([string.length]), string]));
  const [preference, exchange] = value.split(' ');
  if (type !== 'MX' || exchange === undefined) return Buffer.from(value);
  return Buffer.from(`${preference?.padStart(5, '0')} ${exchange}`);
}
