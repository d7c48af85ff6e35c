/**
 * Removes reports: those that an earlier reading of a mail found and a new reading no longer finds, and those that their
 * owner deletes.
 */
import { having } from '../changes.ts';
import { untilUncontended } from '../contention.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { deletedReportKey, reportConflictKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';
import type { StoreOptions } from './commit.ts';
import { dayOf, dayUpdate, type RollUp, reportExpiry, rollUpAfter } from './days.ts';
import { countsOf, type ReportReference, readOfReport, storedReports } from './stored-report.ts';

interface Removal {
  readonly domain: DomainReference;
  readonly reference: Omit<ReportReference, 'contentHash'>;
  /** The message that it must have come from; absent if its owner deletes it, whatever it came from. */
  readonly rawKey?: string;
}

export interface Removed {
  readonly isRemoved: boolean;
  /** What to roll up because of it. */
  readonly rollUp: RollUp | null;
}

export const nothingRemoved: Removed = { isRemoved: false, rollUp: null };

/**
 * Removes a stored report and subtracts it from the sums of its day. A report that its owner deletes leaves an item, so that
 * it is not stored when it arrives again. Throws what DynamoDB throws; retrying is always safe.
 */
export function removeReport(
  table: Table,
  { domain, reference: { kind, begin, id }, rawKey }: Removal,
  { now, retentionDays }: StoreOptions & { now: Date },
): Promise<Removed> {
  const own = readOfReport(kind, domain.id, { begin, id });
  const stored = storedReports(table, kind, domain.id);
  const expiresAt = reportExpiry(begin, retentionDays);
  const isDeletion = rawKey === undefined;
  const deletion: Write = { Put: { Item: { ...deletedReportKey(kind, domain.id, id), expiresAt } } };
  return untilUncontended(async () => {
    const item = await table.get(own.key, own.schema);
    if (item === undefined || (rawKey !== undefined && item.rawKey !== rawKey)) return nothingRemoved;
    await stored.finalize(item);
    await stored.makePending(item, now);
    const before = countsOf(item);
    const isSame = having({ rawKey: item.rawKey, rowContent: item.rowContent });
    const failed = await table.tryTransact([
      isRegistered(domain),
      { Delete: { Key: own.key, ...isSame } },
      dayUpdate(dayOf(begin), [{ begin, id, before }], { kind, domainId: domain.id, expiresAt, isDeletion }),
      ...(isDeletion ? [deletion] : []),
    ]);
    if (failed.has(0)) return nothingRemoved;
    if (failed.size > 0) return undefined;
    await stored.removeRows(item);
    return { isRemoved: true, rollUp: rollUpAfter({ kind, begin, before }, undefined) };
  });
}

/** Removes a report that was stored as a conflict, if it came from the message at `rawKey`. */
export async function removeConflict(
  table: Table,
  domain: DomainReference,
  { kind, id, contentHash }: ReportReference,
  rawKey: string,
): Promise<void> {
  await table.delete(reportConflictKey(kind, domain.id, id, contentHash), having({ rawKey }));
}
