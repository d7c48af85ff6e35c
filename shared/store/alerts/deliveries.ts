/**
 * Deliveries: whatever is due for one organization by one channel is told at once. A delivery is made in the
 * transaction that takes its alerts from what is pending, so each alert is in one delivery per channel, wherever a
 * crash comes and however many are at it; and it is kept until a worker has it, so that one whose message was never
 * sent is sent later.
 */
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AlertSeverity } from '../../alerts/alert.ts';
import type { Channel } from '../../alerts/notification.ts';
import { deliveryIndexKey, deliveryKey, notificationKey } from '../keys.ts';
import { ConditionsFailed, conditionFailed, type Table, type TransactItems, transact } from '../table.ts';
import type { MailMarks } from './notification-settings.ts';
import { dueBy, type PendingAlert, takingWrites } from './pending.ts';

export type SeverityCounts = Readonly<Record<AlertSeverity, number>>;

/** Several alerts, told at once. */
export interface Delivery {
  readonly id: string;
  readonly organization: string;
  readonly channel: Channel;
  readonly kind: 'alerts' | 'digest' | 'test';
  readonly alerts: readonly { readonly domainId: string; readonly id: string }[];
  /** How many more alerts it stands for. */
  readonly further: SeverityCounts;
  readonly createdAt: string;
}

export type Taken =
  | { readonly status: 'taken'; readonly delivery: Delivery }
  /** It is over, or never was. */
  | { readonly status: 'done' }
  /** Somebody is at it, until then at the latest. */
  | { readonly status: 'busy'; readonly until: Date };

/** A change of the marks of an organization's mails. */
export interface Mark {
  readonly before: MailMarks;
  readonly after: Partial<MailMarks>;
}

export type DeliveryStore = ReturnType<typeof deliveryStore>;

/** Longer than dead letters are kept, so that they can be delivered after all. */
const KEPT_SECONDS = 30 * 86_400;

/** How long after it was made a delivery that no worker has is sent again. */
const RESEND_MILLISECONDS = 10 * 60_000;

const none: SeverityCounts = { info: 0, warning: 0, critical: 0 };

export function deliveryStore(table: Table) {
  return {
    /**
     * Makes one delivery of what is pending, and notes it as one of the organization's `mark`s, if those are still the
     * ones `before`.
     * Returns false where some of it was told or removed meanwhile; then nothing has changed.
     */
    async make(
      delivery: Omit<Delivery, 'alerts' | 'further'>,
      pending: readonly PendingAlert[],
      mark?: Mark,
    ): Promise<boolean> {
      const alerts = pending.map(({ domainId, alert }) => ({ domainId, id: alert }));
      const resendAt = new Date(Date.parse(delivery.createdAt) + RESEND_MILLISECONDS);
      const writes: TransactItems = [
        { Put: put({ ...delivery, alerts, further: none }, resendAt) },
        ...(mark === undefined ? [] : [{ Update: marking(delivery.organization, mark) }]),
      ];
      return taking(pending, writes);
    },

    /** Counts more that is pending into a delivery that no worker has yet. Returns false as `make` does. */
    async count({ id }: Pick<Delivery, 'id'>, pending: readonly PendingAlert[]): Promise<boolean> {
      const counts = Object.entries(Object.groupBy(pending, ({ severity }) => severity));
      const Update = {
        TableName: table.name,
        Key: { ...deliveryKey(id) },
        UpdateExpression: `SET ${counts.map(([name]) => `further.${name} = further.${name} + :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(gsi1pk)',
        ExpressionAttributeValues: Object.fromEntries(
          counts.map(([name, list]) => [`:${name}`, list.length]),
        ),
      };
      return taking(pending, [{ Update }]);
    },

    /** A delivery of no alerts, which shows that a channel works; sent with the next ones. */
    async makeTest(delivery: Pick<Delivery, 'id' | 'organization' | 'channel' | 'createdAt'>): Promise<void> {
      const whole: Delivery = { ...delivery, kind: 'test', alerts: [], further: none };
      await table.client.send(new PutCommand(put(whole, new Date(delivery.createdAt))));
    },

    /** The ids of deliveries that should have had a worker by now, at most `limit`; they come again after a while. */
    async left(now: Date, limit: number): Promise<string[]> {
      const items = await dueBy(table, deliveryIndexKey(now.toISOString()), limit);
      const again = new Date(now.getTime() + RESEND_MILLISECONDS).toISOString();
      const left = await Promise.all(
        items.map(async ({ id, gsi1sk }) => {
          const isStill = await update(String(id), {
            change: 'SET gsi1sk = :again',
            when: 'gsi1sk = :due',
            values: { ':again': again, ':due': gsi1sk },
          });
          return isStill === undefined ? [] : [String(id)];
        }),
      );
      return left.flat();
    },

    /** Takes a delivery for `leaseSeconds`; one whose lease ran out was left by a crash, and may be taken again. */
    async take(id: string, now: Date, leaseSeconds: number): Promise<Taken> {
      const taken = await update(id, {
        change: 'SET leaseUntil = :until REMOVE gsi1pk, gsi1sk',
        when: 'attribute_exists(pk) AND attribute_not_exists(doneAt) AND (attribute_not_exists(leaseUntil) OR leaseUntil < :now)',
        values: {
          ':until': new Date(now.getTime() + leaseSeconds * 1000).toISOString(),
          ':now': now.toISOString(),
        },
      });
      if (taken !== undefined) return { status: 'taken', delivery: decode(taken) };
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: deliveryKey(id), ConsistentRead: true }),
      );
      if (Item === undefined || Item.doneAt !== undefined) return { status: 'done' };
      return { status: 'busy', until: new Date(Item.leaseUntil) };
    },

    /** Notes that a delivery is over, and how it ended. */
    async finish(id: string, outcome: string, now: Date): Promise<void> {
      await update(id, {
        change: 'SET doneAt = :now, outcome = :outcome',
        when: 'attribute_exists(pk)',
        values: { ':now': now.toISOString(), ':outcome': outcome },
      });
    },
  };

  function put(delivery: Delivery, sendAt: Date) {
    return {
      TableName: table.name,
      Item: {
        ...deliveryKey(delivery.id),
        ...deliveryIndexKey(sendAt.toISOString()),
        expiresAt: Math.ceil(Date.parse(delivery.createdAt) / 1000) + KEPT_SECONDS,
        ...delivery,
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    };
  }

  function marking(organization: string, { before, after }: Mark) {
    const names = Object.keys(after) as (keyof MailMarks)[];
    const held = names.map((name) =>
      before[name] === null ? `attribute_not_exists(${name})` : `${name} = :before_${name}`,
    );
    const values = names.flatMap((name) => [
      [`:${name}`, after[name]],
      ...(before[name] === null ? [] : [[`:before_${name}`, before[name]]]),
    ]);
    return {
      TableName: table.name,
      Key: { ...notificationKey(organization) },
      UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}`,
      ConditionExpression: held.join(' AND '),
      ExpressionAttributeValues: Object.fromEntries(values),
    };
  }

  /** Makes writes together with taking away what was pending, or none of them. */
  async function taking(pending: readonly PendingAlert[], writes: TransactItems): Promise<boolean> {
    try {
      await transact(table, [...writes, ...takingWrites(table, pending)]);
      return true;
    } catch (error) {
      if (error instanceof ConditionsFailed) return false;
      throw error;
    }
  }

  /** Changes a delivery under a condition; returns it as it is then, or undefined where the condition did not hold. */
  async function update(
    id: string,
    { change, when, values }: { change: string; when: string; values: Record<string, unknown> },
  ): Promise<Record<string, unknown> | undefined> {
    try {
      const { Attributes } = await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: deliveryKey(id),
          UpdateExpression: change,
          ConditionExpression: when,
          ExpressionAttributeValues: values,
          ReturnValues: 'ALL_NEW',
        }),
      );
      return Attributes;
    } catch (error) {
      if (conditionFailed(error)) return undefined;
      throw error;
    }
  }
}

function decode(item: Record<string, unknown>): Delivery {
  const { id, organization, channel, kind, alerts, further, createdAt } = item;
  return { id, organization, channel, kind, alerts, further, createdAt } as Delivery;
}
