/**
 * DKIM selectors that the domain's mail uses. They cannot be listed through DNS, so they are learned from DMARC reports
 * and mail tests. Selectors from reports are stored in the domain's partition. Selectors from mail tests are stored
 * under the domain name, registered or not, and expire: an anonymous sender never writes to a customer's partition.
 */

import * as z from 'zod/mini';
import { DAY_MILLISECONDS, dayAt } from '../../protocol/time.ts';
import { daysBefore } from '../../reports/day.ts';
import { changing } from '../changes.ts';
import type { DomainReference } from '../domains/domain.ts';
import type { Change, Found } from '../items.ts';
import { type Key, seenSelectorsKey, testedSelectorsKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { combine, type TransactionPart } from '../table.ts';

/** Days such as `2026-01-31`; `lastProven` is the last day of a report of a large receiver that names the selector. */
interface Seen {
  readonly selector: string;
  readonly lastSeen: string;
  readonly lastProven?: string | undefined;
}

/** The attribute with the last day on which a selector was seen, and that with the last day on which it was proven. */
const seenAttribute = (selector: string): string => `seen#${selector}`;
const provenAttribute = (selector: string): string => `proven#${selector}`;

/** Each day is an attribute, so that writes at the same time never overwrite each other. */
const selectorsItem = z.pipe(
  z.looseRecord(z.string().check(z.regex(/^(?:seen|proven)#/)), z.string()),
  z.transform((item): readonly Seen[] =>
    Object.entries(item).flatMap(([name, lastSeen]) => {
      const [, selector] = /^seen#(.+)$/.exec(name) ?? [];
      return selector === undefined
        ? []
        : [{ selector, lastSeen, lastProven: item[provenAttribute(selector)] }];
    }),
  ),
);

export type SeenSelectorStore = ReturnType<typeof seenSelectorStore>;

/** Anyone can send reports and tests that name selectors, so only the most recent ones are kept. */
const MAX_SELECTORS = 20;

/** How many a write forgets at most. There are more only after many at the same time. */
const MAX_FORGOTTEN = 100;

/** Selectors that large receivers saw within this many days of the latest such selector stay. */
const PROVEN_DAYS = 30;

/** How long a selector from a mail test is kept after its last use. */
const TESTED_DAYS = 90;

/** How long the day of a selector can wait. */
const WAITING_DAYS = 7;

interface ReportedSelectors {
  readonly isProven?: boolean;
  readonly mayWait?: (found: Found) => boolean;
}

export function seenSelectorStore(table: Table) {
  return {
    /** The selectors from reports, most recent first. */
    async list(domainId: string): Promise<string[]> {
      return (await read(seenSelectorsKey(domainId))).map(({ selector }) => selector);
    },

    /** The same with the last days of each. `isFull`: others may have been forgotten for them. */
    async uses(domainId: string): Promise<{ readonly seen: readonly Seen[]; readonly isFull: boolean }> {
      const seen = await read(seenSelectorsKey(domainId));
      return { seen, isFull: seen.length >= MAX_SELECTORS };
    },

    /** The selectors that mail of `from` or a later day was signed with, by reports that nobody can forge. */
    async provenSince(domainId: string, from: string): Promise<string[]> {
      const known = await read(seenSelectorsKey(domainId));
      return known.flatMap(({ selector, lastProven = '' }) => (lastProven >= from ? [selector] : []));
    },

    /** The selectors from mail tests of the last 90 days, most recent first. */
    async listTested(domain: string, now: Date): Promise<string[]> {
      const known = await read(testedSelectorsKey(domain));
      return known.filter(isRecent(now)).map(({ selector }) => selector);
    },

    /**
     * Remembers the selectors in reports, with the last day (`2026-01-31`) of each, in the transaction that stores the
     * reports. Writes nothing if nothing is new. `isProven`: the reports come from a large receiver. `mayWait`: whether those that
     * were seen in the week before are left to the next report, because the transaction writes enough.
     */
    alongsideReports(
      domain: DomainReference,
      seen: ReadonlyMap<string, string>,
      { isProven = false, mayWait = () => false }: ReportedSelectors = {},
    ): TransactionPart {
      if (seen.size === 0) return combine([]);
      const before = { key: seenSelectorsKey(domain.id), schema: selectorsItem };
      return {
        reads: [before],
        writes(found) {
          const known = found.of(before) ?? [];
          const days = mayWait(found) ? WAITING_DAYS : 0;
          const change = remembering(known, seen, { isProven, isKept: () => true, days });
          return change === undefined ? [] : [{ Update: { Key: before.key, ...change } }];
        },
      };
    },

    /**
     * Remembers selectors whose signatures verified with a key published under `domain` (canonical form). Other
     * selectors do not count, because anyone can name a selector. Writes nothing if nothing is new.
     */
    async rememberTested(domain: string, selectors: ReadonlySet<string>, now: Date): Promise<void> {
      const expiresAt = Math.ceil((now.getTime() + TESTED_DAYS * DAY_MILLISECONDS) / 1000);
      const how = { isProven: false, isKept: isRecent(now), expiresAt };
      const key = testedSelectorsKey(domain);
      const known = (await table.get(key, selectorsItem)) ?? [];
      const seen = new Map([...selectors].map((selector) => [selector, dayAt(now)]));
      const change = remembering(known, seen, how);
      if (change !== undefined) await table.update(key, change);
    },
  };

  async function read(key: Key): Promise<readonly Seen[]> {
    return mostUseful((await table.get(key, selectorsItem)) ?? []);
  }
}

/** The change that adds selectors with their days, and forgets others for them; undefined if nothing is new. */
function remembering(
  stored: readonly Seen[],
  seen: ReadonlyMap<string, string>,
  {
    isProven,
    isKept,
    expiresAt,
    days = 0,
  }: {
    readonly isProven: boolean;
    readonly isKept: (seen: Seen) => boolean;
    readonly expiresAt?: number;
    /** By how many days the day of a selector has to be newer. */
    readonly days?: number;
  },
): Change | undefined {
  const known = new Map(stored.filter(isKept).map((one) => [one.selector, one]));
  const news = new Map(
    [...seen].filter(([selector, day]) => {
      const { lastSeen = '', lastProven = '' } = known.get(selector) ?? {};
      return daysBefore(day, days) > (isProven ? lastProven : lastSeen);
    }),
  );
  for (const [selector, day] of news) {
    const { lastSeen = '', ...before } = known.get(selector) ?? {};
    const proven = isProven ? { lastProven: day } : {};
    known.set(selector, { ...before, selector, lastSeen: day > lastSeen ? day : lastSeen, ...proven });
  }
  const next = new Set(mostUseful([...known.values()]));
  const added = [...next].filter(({ selector }) => news.has(selector));
  if (added.length === 0) return undefined;
  const kept = new Set([...next].map(({ selector }) => selector));
  const forgotten = stored.filter(({ selector }) => !kept.has(selector)).slice(0, MAX_FORGOTTEN);
  return changing(
    Object.fromEntries([
      ...added.map(({ selector, lastSeen }) => [seenAttribute(selector), lastSeen]),
      ...(isProven ? added.map(({ selector }) => [provenAttribute(selector), news.get(selector)]) : []),
      ...(expiresAt === undefined ? [] : [['expiresAt', expiresAt]]),
      ...forgotten.flatMap(({ selector }) => [[seenAttribute(selector)], [provenAttribute(selector)]]),
    ]),
  );
}

/** The most recent selectors, before which those stay that large receivers saw lately: nobody can crowd these out. */
function mostUseful(all: readonly Seen[]): readonly Seen[] {
  const proven = all.flatMap(({ lastProven }) => lastProven ?? []).toSorted();
  const from = daysBefore(proven.at(-1) ?? dayAt(new Date(0)), PROVEN_DAYS);
  const isProven = ({ lastProven = '' }: Seen) => Number(lastProven >= from);
  const inOrder = all.toSorted((a, b) => isProven(b) - isProven(a) || byDay(a, b));
  return inOrder.slice(0, MAX_SELECTORS).toSorted(byDay);
}

function isRecent(now: Date): (seen: Seen) => boolean {
  const oldest = dayAt(new Date(now.getTime() - TESTED_DAYS * DAY_MILLISECONDS));
  return ({ lastSeen }) => lastSeen >= oldest;
}

/** Most recent day first, then by name, for a stable order. */
function byDay(a: Seen, b: Seen): number {
  if (a.lastSeen !== b.lastSeen) return a.lastSeen > b.lastSeen ? -1 : 1;
  return a.selector < b.selector ? -1 : 1;
}
