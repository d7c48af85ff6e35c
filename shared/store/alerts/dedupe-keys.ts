/**
 * Dedupe keys of alerts about reports. Those of a day are attributes of one item, which also counts the alerts of the day.
 * A key that is free again after some days of silence has an item of its own, with a day of the last week of its use.
 */

import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { type ReportAlertDraft, SILENCE_DAYS } from '../../alerts/alert.ts';
import { daysBefore, daysBetween } from '../../reports/day.ts';
import { allOf, having, updateAt } from '../changes.ts';
import type { DomainReference } from '../domains/domain.ts';
import { counter } from '../item-schema.ts';
import type { Found } from '../items.ts';
import { alertDedupeKey, alertedKey } from '../keys.ts';
import { expiryOf } from '../retention.ts';
import type { Write } from '../table.ts';

/** How many alerts of a type are raised a day, for authenticated reports and for others. */
export interface AlertQuota {
  readonly authClass: 'authenticated' | 'unauthenticated';
  readonly limit: number;
}

/** What bounds alerts: a quota for a day (`2026-01-31`), in the list of that day or in another one. */
export interface AlertLimits {
  readonly day: string;
  /** The last day of what the alert is about, if it is about several. Each dedupe key is used once on these days. */
  readonly to?: string;
  readonly list?: 'senders' | 'reporters';
  readonly quota: AlertQuota;
}

/** The number of alerts in each class, and an attribute for each dedupe key that was used. */
const alertedItem = z.catchall(z.object({ authenticated: counter, unauthenticated: counter }), z.unknown());

/** A dedupe key with days of silence, and a day of the last week of its use. */
const usedItem = z.object({ lastDay: z.string() });

/** A use within this many days of the last day is not noted. */
const NOTED_DAYS = 7;

/** The name of the attribute of a dedupe key. Names count towards the size of an item, so it is short. */
const attributeOf = (dedupeKey: string): string => `k${hash('sha256', dedupeKey, 'base64url').slice(0, 16)}`;

/** The dedupe key of an alert: the reads that say whether it can be used, and the writes that use it. */
export function dedupeKeyOf(
  { id }: DomainReference,
  { type, dedupeKey, againAfterSilence = false }: ReportAlertDraft,
  { day, to = day, list, quota, retentionDays }: AlertLimits & { readonly retentionDays: number },
) {
  const name = attributeOf(dedupeKey);
  const alertedOn = (of: string) => ({
    ...{ key: alertedKey(id, type, { day: of, list }), schema: alertedItem },
    mark: { [name]: true, expiresAt: expiryOf(of, retentionDays) },
  });
  const first = alertedOn(day);
  const later = Array.from({ length: daysBetween(day, to) }, (_, n) => alertedOn(daysBefore(day, -1 - n)));
  const days = [first, ...later];
  const used = { key: alertDedupeKey(id, dedupeKey), schema: usedItem };

  return {
    reads: [...days, used],

    /** Whether the key was not used, or not during its days of silence, and the quota is not used up. */
    isFree(found: Found): boolean {
      const isUnused = unmarked(found).length === days.length;
      return isUnused && isSilent(found) && (found.of(first)?.[quota.authClass] ?? 0) < quota.limit;
    },

    /** Uses the key for an alert. Fails if the key or the quota was used up since it was read. */
    claim(): Write[] {
      const { authClass, limit } = quota;
      const isBelow = {
        ConditionExpression: `attribute_not_exists(#${authClass}) OR #${authClass} < :limit`,
        ExpressionAttributeValues: { ':limit': limit },
      };
      const isUnused = having({ [name]: undefined });
      return [
        { Update: updateAt(first.key, first.mark, allOf(isUnused, isBelow), { [authClass]: 1 }) },
        ...later.map(({ key, mark }) => ({ Update: updateAt(key, mark, isUnused) })),
      ];
    },

    /**
     * What is written whether an alert is raised or not: the key that was used on one of the days is used on all of them, and
     * its silence ends. It is kept until it is silent again.
     */
    note(found: Found): Write[] {
      const rest = unmarked(found);
      const lasts = rest.length < days.length ? rest : [];
      return [...lasts.map(({ key, mark }) => ({ Update: updateAt(key, mark) })), ...endSilence(found)];
    },
  };

  function endSilence(found: Found): Write[] {
    const lastDay = found.of(used)?.lastDay;
    const isNoted = lastDay !== undefined && lastDay > daysBefore(day, NOTED_DAYS);
    if (!againAfterSilence || isNoted) return [];
    const Item = { ...used.key, lastDay: day, expiresAt: expiryOf(day, SILENCE_DAYS) };
    // Nothing follows from a use without silence, so reports of a reporter don't wait for each other.
    return [{ Put: { Item, ...(isSilent(found) && having({ lastDay })) } }];
  }

  function unmarked(found: Found) {
    return days.filter((one) => found.of(one)?.[name] === undefined);
  }

  function isSilent(found: Found): boolean {
    const item = found.of(used);
    return item === undefined || (againAfterSilence && item.lastDay <= daysBefore(day, SILENCE_DAYS));
  }
}
