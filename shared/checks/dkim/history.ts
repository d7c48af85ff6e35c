/** What is known about DKIM keys beside DNS: since when they have been published, and until when reports saw them in use. */
import * as z from 'zod/mini';
import { dkimHistoryRules, USE_DAYS } from '../../protocol/findings/dkim-history.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { sha256 } from '../../protocol/served-chain.ts';
import { DAY_MILLISECONDS, dayAt } from '../../protocol/time.ts';
import type { DkimResult } from './result.ts';

const raise = raiser(dkimHistoryRules);

/**
 * Keys by selector, with the first and the last check run that saw them; ISO 8601. Those that were seen last are first. `own`: a key
 * that the domain publishes itself, and not by an alias of somebody else's; as far as is known, it still does.
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

/** Messages that the domain signed with a selector. */
export interface SelectorMessages {
  readonly passed: number;
  /** Their signatures with it did not pass, as after the key was removed, but they passed DMARC by SPF: nobody forged them. */
  readonly failed: number;
  /** The last day with any, and with any that passed. */
  readonly last: string;
  readonly lastPassed?: string | undefined;
}

export interface ReportedUse {
  /** The selectors that were used. */
  readonly selectors: ReadonlyMap<string, SelectorMessages>;
  /** Whether reports came all the time, so that what they do not name was not used. */
  readonly isReporting: boolean;
}

/** What a check run knows of the keys of a domain. */
export interface DkimHistory {
  readonly keys: PublishedKeys;
  readonly uses: readonly SelectorUse[];
  /** Whether `uses` may lack selectors, because only so many are kept. */
  readonly isPartial: boolean;
  /** A selector was in use if it was used within so many days before its key was gone. */
  readonly usedDays: number;
  /** What reports of large receivers of the last 30 days say about selectors. */
  readonly reportedUse: (selectors: readonly string[]) => Promise<ReportedUse>;
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
  dayAt(new Date(now.getTime() - days * DAY_MILLISECONDS));

/**
 * Findings from the history of the keys.
 * @param gone Known selectors without a key.
 */
export async function historyFindings(
  selectors: readonly DkimResult[],
  gone: readonly string[],
  history: DkimHistory,
  now: Date,
): Promise<readonly Finding[]> {
  const { keys, uses, isPartial, elsewhere } = history;
  const used = new Map(uses.map((use) => [use.selector, use]));
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
  return [...(await lostKeys(gone, history, now)), ...aged, ...shared];
}

/** Whether large receivers reported the use of each of these keys, so that none is one that nobody uses any more. */
export function areAllUsed(
  keys: readonly Pick<DkimResult, 'selector'>[],
  { uses }: Pick<DkimHistory, 'uses'>,
  now: Date,
): boolean {
  const from = dayBefore(now, UNUSED_DAYS);
  const used = new Set(
    uses.flatMap(({ selector, lastProven = '' }) => (lastProven >= from ? [selector] : [])),
  );
  return keys.every(({ selector }) => used.has(selector));
}

/**
 * Selectors without a key that were in use when it was removed. That holds until 30 days without use, as far as reports came in
 * these days.
 */
async function lostKeys(
  gone: readonly string[],
  { keys, uses, isPartial, usedDays, reportedUse }: DkimHistory,
  now: Date,
): Promise<readonly Finding[]> {
  const wasUsed = (selector: string, day: string) => {
    // Without one, it was gone before the first check run, and reports of later days named it.
    const last = keys.find((known) => known.selector === selector)?.last;
    const isInUse = day !== '' && (last === undefined || day >= dayBefore(new Date(last), usedDays));
    return isInUse && day >= dayBefore(now, FORGET_DAYS);
  };
  const lost = gone.flatMap((selector) => {
    const day = uses.find((use) => use.selector === selector)?.lastProven;
    // Its use may be forgotten for that of others; the reports themselves still have it.
    return (day === undefined ? isPartial : wasUsed(selector, day)) ? [{ selector, known: day }] : [];
  });
  if (lost.length === 0) return [];
  const { selectors, isReporting } = await reportedUse(lost.map(({ selector }) => selector));
  return lost.flatMap(({ selector, known }) => {
    const { passed = 0, last = '', lastPassed = '' } = selectors.get(selector) ?? {};
    const day = known ?? lastPassed;
    if (!wasUsed(selector, day)) return [];
    const isOver = isReporting && day < dayBefore(now, USE_DAYS) && last === '';
    if (isOver) return [];
    const failing = last > day ? { failingUntil: last } : {};
    return [
      raise('dkim-used-key-gone', { selector, day, ...(passed > 0 && { messages: passed }), ...failing }),
    ];
  });
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
    .toSorted((a, b) => Date.parse(b.last) - Date.parse(a.last))
    .slice(0, MAX_KEYS)
    .map((one) => (one.last === at || failed.has(one.selector) ? one : { ...one, own: false }));
}

/** The keys that the domain publishes itself. */
export const ownKeys = (keys: PublishedKeys): ReadonlySet<string> =>
  new Set(keys.flatMap(({ key, own }) => (own ? [key] : [])));
