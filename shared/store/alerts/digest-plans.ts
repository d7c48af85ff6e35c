/**
 * When the digest of each organization is due: the position of its notification settings in the index. A change of the
 * settings makes the plan open, and the next run that looks for digests sets its time.
 */

import * as z from 'zod/mini';
import type { MailSettings } from '../../alerts/notification.ts';
import { changing, having, updateAt } from '../changes.ts';
import { dueAfter, dueBy } from '../due-index.ts';
import type { Change, Condition } from '../items.ts';
import { digestPlanKey, digestPlansDueBy, type Key, notificationSettingsKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { latestTime } from '../wrong-clock.ts';
import { LONGEST_DIGEST_SECONDS } from './longest-waits.ts';

/** In place of the time of a plan that has none yet; before all times, so it is due. */
const OPEN = '0';

const planItem = z.pipe(
  z.object({ gsi1sk: z.string() }),
  z.transform(({ gsi1sk }) => {
    const [at = '', organization = ''] = gsi1sk.split('#');
    return { organization, at, isOpen: at === OPEN };
  }),
);

/** `at` is the time of the digest in ISO form, unless the plan is open. */
export type DigestPlan = Readonly<z.infer<typeof planItem>>;

export type DigestPlanStore = ReturnType<typeof digestPlanStore>;

/** The position of new mail settings; undefined if they have no digest. */
export const openPlan = (organization: string, { digestMinute }: Pick<MailSettings, 'digestMinute'>) =>
  digestMinute === null ? undefined : digestPlanKey(organization, OPEN);

/** Replaces a plan, unless it changed since it was read. `set` are further attributes of the settings. */
export function planUpdate(
  { organization, at }: DigestPlan,
  next: string,
  set: Readonly<Record<string, string>> = {},
): Change & { readonly Key: Key } {
  const { gsi1sk } = digestPlanKey(organization, next);
  return updateAt(notificationSettingsKey(organization), { gsi1sk, ...set }, isSame({ organization, at }));
}

const isSame = ({ organization, at }: Pick<DigestPlan, 'organization' | 'at'>): Condition =>
  having({ gsi1sk: digestPlanKey(organization, at).gsi1sk });

export function digestPlanStore(table: Table) {
  return {
    /** The plans of a shard that are open or due, at most `limit`. */
    due: (shard: number, { now, limit }: { now: Date; limit: number }): Promise<DigestPlan[]> =>
      dueBy(table, digestPlansDueBy(shard, now.toISOString()), planItem, limit),

    /** The plans of a shard that are due later than a right clock can have set at `now`, at most `limit`. */
    tooFarAhead: (shard: number, { now, limit }: { now: Date; limit: number }): Promise<DigestPlan[]> =>
      dueAfter(
        table,
        digestPlansDueBy(shard, latestTime(now, LONGEST_DIGEST_SECONDS * 1000)),
        planItem,
        limit,
      ),

    /** Sets the time of a plan, and optionally that of the last digest, unless it changed since it was read. */
    async set(plan: DigestPlan, at: Date, lastDigestAt?: string): Promise<void> {
      const { Key, ...change } = planUpdate(plan, at.toISOString(), lastDigestAt ? { lastDigestAt } : {});
      await table.update(Key, change);
    },

    /** Removes the plan of settings without a digest, unless it changed since it was read. */
    async remove(plan: DigestPlan): Promise<void> {
      const change = changing({ gsi1pk: undefined, gsi1sk: undefined }, isSame(plan));
      await table.update(notificationSettingsKey(plan.organization), change);
    },
  };
}
