/**
 * Alerts that are to be told, and when: a note beside the alert, per channel, written in the transaction that raises
 * it. It goes with the transaction that makes a delivery of it (`deliveries.ts`), so that nothing is raised and never
 * told, nor told twice.
 */
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AlertSeverity } from '../../alerts/alert.ts';
import type { Telling } from '../../alerts/notification.ts';
import { type Key, pendingIndexKey, pendingKey } from '../keys.ts';
import { found } from '../query.ts';
import { conditionFailed, type Table, type TransactItems } from '../table.ts';

export interface PendingAlert extends Omit<Telling, 'at'> {
  readonly organization: string;
  readonly domainId: string;
  readonly alert: string;
  readonly severity: AlertSeverity;
}

export type PendingAlertStore = ReturnType<typeof pendingAlertStore>;

/** Writes that are made at once. */
const AT_ONCE = 25;

/** The writes by which an alert becomes pending. */
export function pendingWrites(
  table: Table,
  alert: Omit<PendingAlert, keyof Telling>,
  tellings: readonly Telling[],
): TransactItems {
  return tellings.map(({ channel, kind, at }) => ({
    Put: {
      TableName: table.name,
      Item: {
        ...pendingKey(alert.domainId, channel, alert.alert),
        ...pendingIndexKey(at.toISOString()),
        ...alert,
        channel,
        kind,
      },
    },
  }));
}

/** The writes by which alerts are pending no more; they fail where one is not. */
export function takingWrites(table: Table, pending: readonly PendingAlert[]): TransactItems {
  return pending.map((one) => ({
    Delete: { TableName: table.name, Key: { ...keyOf(one) }, ConditionExpression: 'attribute_exists(pk)' },
  }));
}

export function pendingAlertStore(table: Table) {
  return {
    /** What is to be told by now, longest due first, at most `limit`. */
    async due(now: Date, limit: number): Promise<PendingAlert[]> {
      const items = await dueBy(table, pendingIndexKey(now.toISOString()), limit);
      return items.map(({ organization, domainId, alert, severity, channel, kind }) => ({
        ...{ organization, domainId, alert, severity, channel, kind },
      })) as PendingAlert[];
    },

    /** Puts off what is to be told, unless it has been meanwhile. */
    async putOff(pending: readonly PendingAlert[], until: Date): Promise<void> {
      const { gsi1sk } = pendingIndexKey(until.toISOString());
      await each(pending, (Key) =>
        table.client.send(
          new UpdateCommand({
            TableName: table.name,
            Key,
            UpdateExpression: 'SET gsi1sk = :until',
            ConditionExpression: 'attribute_exists(pk)',
            ExpressionAttributeValues: { ':until': gsi1sk },
          }),
        ),
      );
    },

    /** Forgets what nobody wants to be told any more. */
    async forget(pending: readonly PendingAlert[]): Promise<void> {
      await each(pending, (Key) => table.client.send(new DeleteCommand({ TableName: table.name, Key })));
    },
  };
}

/** Items of a part of the index up to a time, earliest first, at most `limit`. */
export async function dueBy(
  table: Table,
  { gsi1pk, gsi1sk }: { gsi1pk: string; gsi1sk: string },
  limit: number,
): Promise<Record<string, unknown>[]> {
  const query = {
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :part AND gsi1sk <= :time',
    ExpressionAttributeValues: { ':part': gsi1pk, ':time': gsi1sk },
  };
  return found(table, query, { most: limit });
}

const keyOf = ({ domainId, channel, alert }: PendingAlert): Key => pendingKey(domainId, channel, alert);

/** Makes one write for each, some at a time; one that finds nothing to write to any more is no fault. */
async function each(pending: readonly PendingAlert[], write: (key: Key) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < pending.length; at += AT_ONCE) {
    await Promise.all(
      pending.slice(at, at + AT_ONCE).map(async (one) => {
        await write(keyOf(one)).catch((error) => {
          if (!conditionFailed(error)) throw error;
        });
      }),
    );
  }
}
