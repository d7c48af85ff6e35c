/** What is known about DKIM keys beside DNS: since when they have been published, and until when reports saw them in use. */
import * as z from 'zod/mini';
import { dkimHistoryRules } from '../../protocol/findings/dkim-history.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { sha256 } from '../../protocol/served-chain.ts';
import { DAY_MILLISECONDS } from '../../protocol/time.ts';
import type { DkimResult } from './result.ts';

const raise = raiser(dkimHistoryRules);

/**
 * Keys by selector, with the first and the last check run that saw them; ISO 8601. `own`: a key that the domain publishes itself,
 * and not by an alias of somebody else's; as far as is known, it still does.
 */
export const publishedKeys = z.readonly(
  z.array(
    z.object({
      ...{ selector: z.string(), key: z.string(), first: z.string(), last: z.string() },
      own: z.optional(z.boolean()),
    }),
  ),
);

export type PublishedKeys = Readonly<z.infer<typeof publishedKeys>>;

/** A selector that reports or mail tests named; days such as `2026-01-31`. */
export interface SelectorUse {
  readonly selector: string;
  readonly lastSeen: string;
  /** By a report of a large receiver, which nobody can forge. */
  readonly lastProven?: string | undefined;
}

/** What a check run knows of the keys of a domain. */
export interface DkimHistory {
  readonly keys: PublishedKeys;
  readonly uses: readonly SelectorUse[];
  /** Whether `uses` may lack selectors, because only so many are kept. */
  readonly isPartial: boolean;
  /** For how many days after its last use a selector counts as in use. */
  readonly usedDays: number;
  /** How many messages large receivers saw at least that were signed with each selector, on the given last day of its use. */
  readonly messages: (
    uses: readonly { readonly selector: string; readonly day: string }[],
  ) => Promise<ReadonlyMap<string, number>>;
  /** Some of the other domains of the same organization that publish each of these keys themselves. */
  readonly elsewhere: (keys: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** A key that nobody used for so long is one that nobody misses. Some senders send only once in a quarter. */
const UNUSED_DAYS = 90;
/** Reports of large receivers come every day; after that many without one, silence says nothing. */
const REPORTS_DAYS = 14;
const OLD_DAYS = 2 * 365;

const MAX_KEYS = 40;
/** How many keys of a domain are compared with those of other domains. */
const MAX_OWN_KEYS = 20;
const FORGET_DAYS = 400;

const dayBefore = (now: Date, days: number): string =>
  new Date(now.getTime() - days * DAY_MILLISECONDS).toISOString().slice(0, 10);

/**
 * Findings from the history of the keys.
 * @param gone Known selectors without a key.
 */
export async function historyFindings(
  selectors: readonly DkimResult[],
  gone: readonly string[],
  { keys, uses, isPartial, usedDays, messages, elsewhere }: DkimHistory,
  now: Date,
): Promise<readonly Finding[]> {
  const used = new Map(uses.map((use) => [use.selector, use]));
  const lost = gone.flatMap((selector) => {
    const day = used.get(selector)?.lastProven ?? '';
    return day >= dayBefore(now, usedDays) ? [{ selector, day }] : [];
  });
  const counts = lost.length === 0 ? undefined : await messages(lost);
  const hasReports = uses.some(({ lastProven = '' }) => lastProven >= dayBefore(now, REPORTS_DAYS));
  const aged = selectors.flatMap((one) => {
    const { selector, valid, alias, testing } = one;
    // Who publishes the key behind an alias rotates it, and keeps the next one ready.
    if (!valid || alias !== null) return [];
    const first = keys.find((known) => known.selector === selector && known.key === keyOf(one))?.first;
    const since = first?.slice(0, 10);
    if (since === undefined) return [];
    const lastUse = used.get(selector)?.lastSeen ?? '';
    const from = dayBefore(now, UNUSED_DAYS);
    // Receivers that report rarely verify keys of other kinds.
    // A key that was never seen in use says nothing: reports may have come for a short time only.
    const wasUsed = lastUse !== '' && lastUse < from;
    const isUnused = isRsa(one) && hasReports && !isPartial && since <= from && wasUsed;
    return [
      ...(isUnused ? [raise('dkim-key-unused', { selector, since, lastUse })] : []),
      ...(!isUnused && since <= dayBefore(now, OLD_DAYS) ? [raise('dkim-key-old', { selector, since })] : []),
      ...(testing && since <= from ? [raise('dkim-test-forgotten', { selector, since })] : []),
    ];
  });
  const own = selectors.filter(isOwn).slice(0, MAX_OWN_KEYS);
  const domains = await elsewhere([...new Set(own.map(keyOf))]);
  const shared = own.flatMap((one) => {
    const others = domains.get(keyOf(one)) ?? [];
    return others.length === 0 ? [] : [raise('dkim-key-shared', { selector: one.selector, domains: others })];
  });
  return [
    ...lost.map(({ selector, day }) => {
      const count = counts?.get(selector);
      return raise('dkim-used-key-gone', { selector, day, ...(count !== undefined && { messages: count }) });
    }),
    ...aged,
    ...shared,
  ];
}

/** A key that mail can be signed with, and that nobody else publishes for the domain. */
const isOwn = ({ valid, alias }: DkimResult): boolean => valid && alias === null;

const isRsa = ({ keyType }: DkimResult): boolean => keyType === 'rsa';

const keyOf = ({ publicKey }: DkimResult): string => sha256(Buffer.from(publicKey ?? '')).slice(0, 16);

/** The history with the keys of a check run. One whose lookup failed stays as it is. */
export function withKeys(before: PublishedKeys, selectors: readonly DkimResult[], now: Date): PublishedKeys {
  const at = now.toISOString();
  const own = new Set(selectors.filter(isOwn).slice(0, MAX_OWN_KEYS));
  const known = new Map(before.map((one) => [`${one.selector} ${one.key}`, one]));
  for (const one of selectors) {
    if (one.publicKey === null || one.publicKey === '') continue;
    const { selector } = one;
    const key = keyOf(one);
    const name = `${selector} ${key}`;
    const first = known.get(name)?.first ?? at;
    known.set(name, { selector, key, first: first < at ? first : at, last: at, own: own.has(one) });
  }
  const failed = new Set(
    selectors.flatMap(({ publicKey, selector }) => (publicKey === null ? [selector] : [])),
  );
  const oldest = dayBefore(now, FORGET_DAYS);
  return [...known.values()]
    .filter(({ last }) => last >= oldest)
    .toSorted((a, b) => (a.last < b.last ? 1 : -1))
    .slice(0, MAX_KEYS)
    .map((one) => (one.last === at || failed.has(one.selector) ? one : { ...one, own: false }));
}

/** The keys that the domain publishes itself. */
export const ownKeys = (keys: PublishedKeys): ReadonlySet<string> =>
  new Set(keys.flatMap(({ key, own }) => (own ? [key] : [])));
