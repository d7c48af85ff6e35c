/**
 * Alerts, stored in the partition of their domain and in the index of their organization. An alert is stored once per
 * list that it belongs to (see `alertList`), so a page of any filter costs only the items up to the end of that page.
 */
import { v7 as uuidv7 } from 'uuid';
import {
  type Alert,
  type AlertDraft,
  type AlertSeverity,
  alert as alertItem,
  type ReportAlertDraft,
} from '../../alerts/alert.ts';
import { notificationsOf } from '../../alerts/notification.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { ABSENT, PRESENT } from '../items.ts';
import { alertDedupeKey, alertIndexKey, alertKey, alertList, alertsOf } from '../keys.ts';
import { type Page, type Query, startingWith } from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table, Write } from '../table.ts';
import { readSettings } from './notification-settings.ts';
import { pendingWrites } from './pending.ts';

export interface AlertFilter {
  readonly domainId?: string | undefined;
  readonly severity?: AlertSeverity | undefined;
  readonly unreadOnly: boolean;
}

export type AlertStore = ReturnType<typeof alertStore>;

export function alertStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /** Raises an alert. Returns false if its dedupe key was used before or the domain is gone. */
    async raise(
      domain: DomainReference,
      { dedupeKey, ...draft }: ReportAlertDraft,
      now: Date,
    ): Promise<boolean> {
      const { ids, writes } = await this.writesOf(domain, [draft], now);
      const Item = {
        ...alertDedupeKey(domain.id, dedupeKey),
        expiresAt: expiryOf(now.toISOString().slice(0, 10), retentionDays),
        alert: ids[0],
      };
      const failed = await table.tryTransact([isRegistered(domain), { Put: { Item, ...ABSENT } }, ...writes]);
      return failed.size === 0;
    },

    /**
     * The ids of new alerts and all their writes, including their pending notifications. The caller puts them into a
     * transaction that succeeds once, so each alert is raised once and gets its notifications once.
     */
    async writesOf(
      domain: DomainReference,
      drafts: readonly AlertDraft[],
      now: Date,
    ): Promise<{ ids: string[]; writes: readonly Write[] }> {
      if (drafts.length === 0) return { ids: [], writes: [] };
      const settings = await readSettings(table, domain.organization, false);
      const alerts = drafts.map((draft) => ({
        id: uuidv7({ msecs: now.getTime() }),
        domainId: domain.id,
        domainName: domain.domain,
        ...draft,
        read: false,
        createdAt: now.toISOString(),
      }));
      const writes = alerts.flatMap((alert) => [
        ...itemWrites(alert, domain.organization),
        ...pendingWrites(
          {
            organization: domain.organization,
            domainId: domain.id,
            alert: alert.id,
            severity: alert.severity,
          },
          notificationsOf(settings, alert.severity, now),
        ),
      ]);
      return { ids: alerts.map(({ id }) => id), writes };
    },

    async get(domainId: string, id: string, now: Date): Promise<Alert | undefined> {
      return table.get(alertKey(domainId, id), alertItem, { aliveAt: now });
    },

    /** Returns one page, newest first. Reads nothing beyond the end of the page. */
    async list(
      organization: string,
      { domainId, severity, unreadOnly }: AlertFilter,
      page: Page,
      now: Date,
    ): Promise<{ alerts: readonly Alert[]; hasMore: boolean }> {
      const list = alertList({ severity, unread: unreadOnly });
      const range = domainId === undefined ? ofOrganization(organization, list) : ofDomain(domainId, list);
      const newestFirst = { ...range, ScanIndexForward: false };
      const { items, hasMore } = await table.page(newestFirst, alertItem, { ...page, aliveAt: now });
      return { alerts: items, hasMore };
    },

    /**
     * Marks an alert as read: removes it from the lists of unread alerts. Returns the alert, or undefined if the
     * organization has no such alert.
     */
    async markRead(organization: string, id: string, now: Date): Promise<Alert | undefined> {
      const { gsi1pk, gsi1sk } = alertIndexKey(organization, id);
      const [alert] = await table.query(
        {
          IndexName: 'gsi1',
          KeyConditionExpression: 'gsi1pk = :pk AND gsi1sk = :sk',
          ExpressionAttributeValues: { ':pk': gsi1pk, ':sk': gsi1sk },
        },
        alertItem,
        { aliveAt: now },
      );
      if (alert === undefined || alert.read) return alert;
      const read = { ...alert, read: true };
      const remaining = listsOf(read);
      const failed = await table.tryTransact(
        listsOf(alert).map((list) => {
          const Key = alertKey(alert.domainId, id, list);
          if (!remaining.includes(list)) return { Delete: { Key } };
          return {
            Update: {
              Key,
              UpdateExpression: 'SET #read = :true',
              ...PRESENT,
              ExpressionAttributeNames: { '#read': 'read' },
              ExpressionAttributeValues: { ':true': true },
            },
          };
        }),
      );
      return failed.size === 0 ? read : undefined;
    },
  };

  function itemWrites(alert: Alert, organization: string): Write[] {
    const expiresAt = expiryOf(alert.createdAt.slice(0, 10), retentionDays);
    return listsOf(alert).map((list) => ({
      Put: {
        Item: {
          ...alertKey(alert.domainId, alert.id, list),
          ...alertIndexKey(organization, alert.id, list),
          ...alert,
          expiresAt,
        },
      },
    }));
  }
}

function ofOrganization(organization: string, list: string): Query {
  return {
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk',
    ExpressionAttributeValues: { ':pk': alertIndexKey(organization, '', list).gsi1pk },
  };
}

function ofDomain(domainId: string, list: string): Query {
  return { ...startingWith(alertsOf(domainId, list)), ConsistentRead: true };
}

/** Every list that the alert belongs to; the list of all alerts comes first. */
function listsOf({ severity, read }: Alert): string[] {
  const severities = [undefined, severity];
  return [false, ...(read ? [] : [true])].flatMap((unread) =>
    severities.map((one) => alertList({ severity: one, unread })),
  );
}
