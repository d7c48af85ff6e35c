/**
 * The DMARC reports of each domain of an organization in the last 30 days, summed by day and by sender, beside each other:
 * an organization is read in one query. They are calculated again after each roll-up and each scheduled check run.
 */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { dayAt } from '../../protocol/time.ts';
import { daysBefore } from '../../reports/day.ts';
import type { SummedMail } from '../domains/directory-rows.ts';
import { compactDirectory, directoryWrite } from '../domains/directory-writes.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { type ItemSchema, pack, packed } from '../item-schema.ts';
import { domainSumsKey, domainSumsOf, organizationSumsKey } from '../keys.ts';
import { startingWith } from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table, Write } from '../table.ts';
import { isFromWrongClock } from '../wrong-clock.ts';
import type { StoreOptions } from './commit.ts';

export const SUMMED_DAYS = 30;

/** The days that are summed: the present one, and those before. */
export function summedWindow(now: Date): { readonly from: string; readonly to: string } {
  const to = dayAt(now);
  return { from: daysBefore(to, SUMMED_DAYS - 1), to };
}

/** Days such as `2026-01-31`, UTC. */
const summedSender = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['provider', 'domain', 'network']),
  messages: z.number(),
  passed: z.number(),
  firstSeen: z.string(),
  lastSeen: z.string(),
});

/** Days such as `2026-01-31`, UTC. */
export const seenReporter = z.object({
  name: z.string(),
  /** The number of days with reports. */
  days: z.number(),
  firstSeen: z.string(),
  lastSeen: z.string(),
});

export const domainSums = z.object({
  /** Days with messages, oldest first. */
  days: z.array(z.object({ day: z.string(), messages: z.number(), passed: z.number() })),
  /** Those with the most messages. */
  senders: z.array(summedSender),
  /** The authenticated ones with reports on the most days. */
  reporters: z.array(seenReporter),
});

export type DomainSums = z.infer<typeof domainSums>;

/** `summedAt` is in ISO form. */
const domainItem = z.object({
  id: z.string(),
  domain: z.string(),
  summedAt: z.string(),
  sums: packed(domainSums),
});

export type SummedDomain = Readonly<z.infer<typeof domainItem>>;

export type DomainSumsStore = ReturnType<typeof domainSumsStore>;

export function domainSumsStore(table: Table, { retentionDays }: StoreOptions) {
  return {
    /**
     * Stores the sums of a domain in place of earlier ones, unless the domain is gone. `now` is a time before its reports
     * were read, so that a slower worker does not replace what a later one read. If they changed, the directory gets
     * the totals, for lists.
     */
    async keep(reference: DomainReference, sums: DomainSums, now: Date): Promise<void> {
      const { organization, id, domain } = reference;
      const last = sums.days.at(-1)?.day;
      const key = domainSumsKey(organization, id);
      const before = await table.get(key, domainItem);
      const mail = mailOf(sums);
      const isOther = !isDeepStrictEqual(mail, before === undefined ? null : mailOf(before.sums));
      const inDirectory = isOther ? [directoryWrite(reference, { mail })] : [];
      const isEarlier = {
        ConditionExpression: 'attribute_not_exists(summedAt) OR summedAt <= :now',
        ExpressionAttributeValues: { ':now': now.toISOString() },
      };
      if (last === undefined) {
        const gone = [isRegistered(reference), { Delete: { Key: key, ...isEarlier } }, ...inDirectory];
        if (before !== undefined) await write(gone);
        return;
      }
      const keptDays = retentionDays === 0 ? SUMMED_DAYS : Math.min(SUMMED_DAYS, retentionDays);
      const expiresAt = expiryOf(last, keptDays);
      const item = { id, domain, summedAt: now.toISOString(), sums: pack(sums), expiresAt };
      await write([
        isRegistered(reference),
        { Put: { Item: { ...key, ...item }, ...isEarlier } },
        ...inDirectory,
      ]);

      async function write(writes: readonly Write[]): Promise<void> {
        const failed = await table.tryTransact(writes);
        if (failed.size === 0 && isOther) await compactDirectory(table, reference);
      }
    },

    /** The domains of an organization that have reports, in the order of registration, read while they are used. */
    each(organization: string, now: Date): AsyncGenerator<SummedDomain> {
      return table.each(startingWith(domainSumsOf(organization)), domainItem, { aliveAt: now });
    },
  };
}

/** The totals of sums; null without messages. */
function mailOf({ days }: DomainSums): SummedMail | null {
  const last = days.at(-1)?.day;
  if (last === undefined) return null;
  return {
    messages: days.reduce((sum, { messages }) => sum + messages, 0),
    passed: days.reduce((sum, { passed }) => sum + passed, 0),
    last,
  };
}

/** How long what was calculated is kept at most. */
export const LONGEST_KEPT_MILLISECONDS = 3_600_000;

export type OrganizationSumsStore<Sums> = ReturnType<typeof organizationSumsStore<Sums>>;

/**
 * What was last calculated from the sums of all domains of an organization.
 * @param schema That of the calculated value, which layers above define.
 */
export function organizationSumsStore<Sums>(table: Table, schema: ItemSchema<Sums>) {
  const item = z.object({ sums: packed(schema), expiresAt: z.number() });
  return {
    /** Undefined if nothing is kept, or no longer. */
    async recent(organization: string, now: Date): Promise<Sums | undefined> {
      const eventually = { isConsistent: false, aliveAt: now };
      const kept = await table.get(organizationSumsKey(organization), item, eventually);
      const until = kept && new Date(kept.expiresAt * 1000).toISOString();
      return until === undefined || isFromWrongClock(until, now, LONGEST_KEPT_MILLISECONDS)
        ? undefined
        : kept?.sums;
    },

    async keep(organization: string, sums: Sums, until: Date): Promise<void> {
      const expiresAt = Math.floor(until.getTime() / 1000);
      await table.put({ ...organizationSumsKey(organization), sums: pack(sums), expiresAt });
    },
  };
}
