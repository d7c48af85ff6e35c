/** Removes reports that an earlier reading of a mail found and a new reading no longer finds. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { ConditionsFailed } from '../items.ts';
import { type ReportKind, reportConflictKey, reportKey } from '../keys.ts';
import type { Table } from '../table.ts';
import type { ContributionOf, StoreOptions } from './commit.ts';
import { dayWrites } from './day-sums.ts';
import { reportExpiry } from './days.ts';
import { storedReports } from './stored-report.ts';

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

/**
 * Removes a stored report and subtracts it from the sums, if it came from the message at `rawKey`. Throws what DynamoDB
 * throws; retrying is always safe.
 */
export async function withdrawReport(
  table: Table,
  {
    domain,
    reference: { kind, begin, id },
    rawKey,
    contributionOf,
  }: {
    readonly domain: DomainReference;
    readonly reference: ReportReference;
    readonly rawKey: string;
    readonly contributionOf: ContributionOf;
  },
  { now, retentionDays }: StoreOptions & { now: Date },
): Promise<void> {
  const key = reportKey(kind, domain.id, begin, id);
  const stored = storedReports(table, kind, domain.id);
  const expiresAt = reportExpiry(begin, retentionDays, now);
  const expiring = expiresAt === undefined ? {} : { expiresAt };
  for (let attempt = 1; ; attempt += 1) {
    const item = await stored.read(key);
    if (item === undefined || item.rawKey !== rawKey) return;
    await stored.settle(key, item);
    const removed = contributionOf(await stored.rowsOf<never>(item));
    await stored.unsettle(key, item, now);
    const day = await dayWrites(table, { kind, domainId: domain.id, begin, id, expiring, removed });
    const removal = {
      Key: key,
      ConditionExpression: 'rawKey = :rawKey AND rowContent = :rows',
      ExpressionAttributeValues: { ':rawKey': rawKey, ':rows': item.rowContent },
    };
    const failed = await table.tryTransact([isRegistered(domain), { Delete: removal }, ...day]);
    if (failed.size === 0) return stored.removeRows(item);
    if (failed.has(0)) return;
    if (attempt === ATTEMPTS) throw new ConditionsFailed(failed);
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
