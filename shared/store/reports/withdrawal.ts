/**
 * Removes reports: those that an earlier reading of a mail found and a new reading no longer finds, and those that their
 * owner deletes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { Contended } from '../contention.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { type ReportKind, reportConflictKey, reportKey } from '../keys.ts';
import type { Table } from '../table.ts';
import type { ContributionOf, StoreOptions } from './commit.ts';
import { dayWrites, type RollUp, readOfDetail } from './day-sums.ts';
import { reportExpiry } from './days.ts';
import { readOfReport, storedReports } from './stored-report.ts';

/** A report and its content. */
export const reportReference = z.object({
  kind: z.enum(['DMARC', 'TLS'] satisfies ReportKind[]),
  /** ISO 8601 with milliseconds. */
  begin: z.string(),
  id: z.string(),
  contentHash: z.string(),
});

export type ReportReference = Readonly<z.infer<typeof reportReference>>;

/** How often it is retried after concurrent reports of the same day. */
const ATTEMPTS = 30;

interface Withdrawal {
  readonly domain: DomainReference;
  readonly reference: Pick<ReportReference, 'kind' | 'begin' | 'id'>;
  /** The message that it must have come from; absent if it is deleted, whatever it came from. */
  readonly rawKey?: string;
  readonly contributionOf: ContributionOf;
}

export interface Withdrawn {
  readonly isRemoved: boolean;
  /** What to roll up because of it. */
  readonly rollUp: RollUp | null;
}

const nothing: Withdrawn = { isRemoved: false, rollUp: null };

/**
 * Removes a stored report and subtracts it from the sums. A report that its owner deletes is not stored when it arrives
 * again; the transaction notes that in the detail of the day, which storing a report reads and writes. Throws what
 * DynamoDB throws; retrying is always safe.
 */
export async function withdrawReport(
  table: Table,
  { domain, reference: { kind, begin, id }, rawKey, contributionOf }: Withdrawal,
  { now, retentionDays }: StoreOptions & { now: Date },
): Promise<Withdrawn> {
  const key = reportKey(kind, domain.id, begin, id);
  const stored = storedReports(table, kind, domain.id);
  const expiresAt = reportExpiry(begin, retentionDays);
  const expiring = expiresAt === undefined ? {} : { expiresAt };
  const reads = [readOfReport(key), readOfDetail(kind, domain.id, begin)] as const;
  for (let attempt = 1; ; attempt += 1) {
    const found = await table.getMany(reads);
    const item = found.of(reads[0]);
    if (item === undefined || (rawKey !== undefined && item.rawKey !== rawKey)) return nothing;
    await stored.settle(key, item);
    const removed = contributionOf(await stored.rowsOf<never>(item));
    await stored.unsettle(key, item, now);
    const isDeleted = rawKey === undefined;
    const change = { kind, domainId: domain.id, begin, id, expiring, removed, isDeleted };
    const { writes, rollUp } = dayWrites(found.of(reads[1]), change);
    const removal = {
      Key: key,
      ConditionExpression: 'rawKey = :rawKey AND rowContent = :rows',
      ExpressionAttributeValues: { ':rawKey': item.rawKey, ':rows': item.rowContent },
    };
    const failed = await table.tryTransact([isRegistered(domain), { Delete: removal }, ...writes]);
    if (failed.size === 0) {
      await stored.removeRows(item);
      return { isRemoved: true, rollUp };
    }
    if (failed.has(0)) return nothing;
    if (attempt === ATTEMPTS) throw new Contended();
    await sleep(Math.random() * Math.min(1000, 10 * 2 ** attempt));
  }
}

/** Removes a report that was stored as a conflict, if it came from the message at `rawKey`. */
export async function withdrawConflict(
  table: Table,
  {
    domain,
    reference: { kind, id, contentHash },
    rawKey,
  }: { readonly domain: DomainReference; readonly reference: ReportReference; readonly rawKey: string },
): Promise<void> {
  await table.delete(reportConflictKey(kind, domain.id, id, contentHash), {
    ConditionExpression: 'rawKey = :rawKey',
    ExpressionAttributeValues: { ':rawKey': rawKey },
  });
}
