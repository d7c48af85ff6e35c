/** Taking back what a mail brought, where it is read again and does not bring it any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { DomainReference } from '../domains/domains.ts';
import { isRegistered } from '../domains/writes.ts';
import { type ReportKind, reportConflictKey, reportKey } from '../keys.ts';
import { ConditionsFailed, conditionFailed, type Table, transact } from '../table.ts';
import type { ContributionOf, StoreOptions } from './commit.ts';
import { dayWrites } from './day-sums.ts';
import { reportExpiry } from './days.ts';
import { storedReports } from './stored-report.ts';

/** Which report it is, and what it stated. */
export interface ReportReference {
  readonly kind: ReportKind;
  /** ISO form to the millisecond. */
  readonly begin: string;
  readonly id: string;
  readonly contentHash: string;
}

/** How often it is tried when other reports of the same day come in between. */
const ATTEMPTS = 30;

/**
 * Removes a stored report and takes it out of the sums, if the message at `rawKey` brought it. Throws what DynamoDB
 * throws; trying again is always right.
 */
export async function withdrawReport<Extra>(
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
    readonly contributionOf: ContributionOf<Extra>;
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
    const goes = contributionOf(item, await stored.rowsOf<never>(item));
    await stored.loosen(key, item, now);
    const day = await dayWrites(table, { kind, domainId: domain.id, begin, id, expiring, goes });
    const removal = {
      TableName: table.name,
      Key: { ...key },
      ConditionExpression: 'rawKey = :rawKey AND rowContent = :rows',
      ExpressionAttributeValues: { ':rawKey': rawKey, ':rows': item.rowContent },
    };
    try {
      await transact(table, [isRegistered(table, domain), { Delete: removal }, ...day]);
    } catch (error) {
      if (!(error instanceof ConditionsFailed)) throw error;
      if (error.failed.has(0)) return;
      if (attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * Math.min(1000, 10 * 2 ** attempt));
      continue;
    }
    await stored.removeRows(item);
    return;
  }
}

/** Removes a report that is kept aside for contradicting another one, if the message at `rawKey` brought it. */
export async function withdrawAside(
  table: Table,
  {
    domain,
    reference: { kind, id, contentHash },
    rawKey,
  }: { readonly domain: DomainReference; readonly reference: ReportReference; readonly rawKey: string },
): Promise<void> {
  try {
    await table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: { ...reportConflictKey(kind, domain.id, id, contentHash) },
        ConditionExpression: 'rawKey = :rawKey',
        ExpressionAttributeValues: { ':rawKey': rawKey },
      }),
    );
  } catch (error) {
    if (!conditionFailed(error)) throw error;
  }
}
