/**
 * Alerts, stored in the partition of their domain and in the index of their organization. An alert is stored once per
 * list that it belongs to (see `listsOf`), so a page of a filter costs only the items up to the end of that page; one of
 * `info` alerts also costs the few others in between.
 */
import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod/mini';
import {
  type Alert,
  type AlertDraft,
  type AlertSeverity,
  alert as alertItem,
  type ReportAlertDraft,
} from '../../alerts/alert.ts';
import { notificationsOf } from '../../alerts/notification.ts';
import type { Alongside } from '../alongside.ts';
import { Contended } from '../contention.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { counter } from '../item-schema.ts';
import { PRESENT } from '../items.ts';
import {
  alertDedupeKey,
  alertedKey,
  alertIndexKey,
  alertKey,
  alertList,
  alertsOf,
  type Key,
} from '../keys.ts';
import { type Page, type Query, startingWith } from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table, Write } from '../table.ts';
import { noSettings, readOfSettings, readSettings, type StoredSettings } from './notification-settings.ts';
import { pendingWrites } from './pending.ts';

export interface AlertFilter {
  readonly domainId?: string | undefined;
  readonly severity?: AlertSeverity | undefined;
  readonly unreadOnly: boolean;
}

/** How many alerts of a type are raised a day, for authenticated reports and for others. */
export interface AlertQuota {
  readonly share: 'authenticated' | 'unproven';
  readonly limit: number;
}

/** What bounds alerts: a quota for a day (`2026-01-31`), in the list of that day or in another one. */
export interface AlertLimits {
  readonly day: string;
  readonly list?: 'senders' | 'reporters';
  readonly quota: AlertQuota;
}

/** Writes of alerts. `raised` returns those that the last writes raised; call it once they are stored. */
export interface AlertsAlongside extends Alongside {
  raised(): readonly ReportAlertDraft[];
}

/** How often alerts are raised again after a conflict. */
const ATTEMPTS = 5;
/** The severity that has no lists of its own. */
const LISTED_WITH_ALL: AlertSeverity = 'info';

/** The number of alerts in each share, and an attribute for each dedupe key that was used. */
const alertedItem = z.catchall(z.object({ authenticated: counter, unproven: counter }), z.unknown());

/** The name of the attribute of a dedupe key. Names count towards the size of an item, so it is short. */
const claimOf = ({ dedupeKey }: Pick<ReportAlertDraft, 'dedupeKey'>): string =>
  `k${hash('sha256', dedupeKey, 'base64url').slice(0, 16)}`;

export type AlertStore = ReturnType<typeof alertStore>;

export function alertStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /**
     * Raises alerts in the transaction that stores their report: each dedupe key once, and of each type no more than
     * `quota` allows among the reports that are received on a day (`2026-01-31`).
     */
    alongsideReport(
      domain: DomainReference,
      drafts: readonly ReportAlertDraft[],
      { day, list, quota }: AlertLimits,
      now: Date,
    ): AlertsAlongside {
      const settings = readOfSettings(domain.organization);
      const each = drafts.map((draft) => ({
        draft,
        alerted: { key: alertedKey(domain.id, draft.type, { day, list }), schema: alertedItem },
        former: { key: alertDedupeKey(domain.id, draft.dedupeKey), schema: z.object({}) },
      }));
      let raised: ReportAlertDraft[] = [];
      return {
        reads:
          each.length === 0 ? [] : [settings, ...each.flatMap(({ alerted, former }) => [alerted, former])],
        writes(found) {
          const due = each.filter(({ draft, alerted, former }) => {
            const item = found.of(alerted);
            const isNew = item?.[claimOf(draft)] === undefined && found.of(former) === undefined;
            return isNew && (item?.[quota.share] ?? 0) < quota.limit;
          });
          raised = due.map(({ draft }) => draft);
          return due.flatMap(({ draft: { dedupeKey, ...draft }, alerted }) => [
            claim(alerted.key, claimOf({ dedupeKey }), { day, quota }),
            ...writesFor(domain, [draft], found.of(settings) ?? noSettings, now).writes,
          ]);
        },
        raised: () => raised,
      };
    },

    /**
     * The same in a transaction of its own. Returns the drafts that were raised.
     * @throws Contended if other alerts of the domain are raised all the time.
     */
    async raise(
      domain: DomainReference,
      drafts: readonly ReportAlertDraft[],
      limits: AlertLimits,
      now: Date,
    ): Promise<readonly ReportAlertDraft[]> {
      const alerts = this.alongsideReport(domain, drafts, limits, now);
      for (let attempt = 1; ; attempt += 1) {
        const writes = alerts.writes(await table.getMany(alerts.reads, { isConsistent: true }));
        if (writes.length === 0) return [];
        const failed = await table.tryTransact([isRegistered(domain), ...writes]);
        if (failed.size === 0) return alerts.raised();
        if (failed.has(0)) return [];
        if (attempt === ATTEMPTS) throw new Contended();
      }
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
      return writesFor(domain, drafts, settings, now);
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
      const isOfAll = severity === LISTED_WITH_ALL;
      const list = alertList({ severity: isOfAll ? undefined : severity, unread: unreadOnly });
      const range = domainId === undefined ? ofOrganization(organization, list) : ofDomain(domainId, list);
      const newestFirst = { ...(isOfAll ? only(range, severity) : range), ScanIndexForward: false };
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

  function writesFor(
    domain: DomainReference,
    drafts: readonly AlertDraft[],
    settings: StoredSettings,
    now: Date,
  ): { ids: string[]; writes: readonly Write[] } {
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
  }

  /** Uses up a dedupe key, unless it was used or the quota was used up meanwhile. */
  function claim(
    Key: Key,
    name: string,
    { day, quota }: { readonly day: string; readonly quota: AlertQuota },
  ): Write {
    const expiresAt = expiryOf(day, retentionDays);
    return {
      Update: {
        Key,
        UpdateExpression: `SET #claim = :true${expiresAt === undefined ? '' : ', expiresAt = :expiresAt'} ADD #share :one`,
        ConditionExpression:
          'attribute_not_exists(#claim) AND (attribute_not_exists(#share) OR #share < :limit)',
        ExpressionAttributeNames: { '#claim': name, '#share': quota.share },
        ExpressionAttributeValues: {
          ...{ ':true': true, ':one': 1, ':limit': quota.limit },
          ...(expiresAt !== undefined && { ':expiresAt': expiresAt }),
        },
      },
    };
  }

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

/** The alerts in a list that have this severity. */
const only = (range: Query, severity: AlertSeverity): Query => ({
  ...range,
  FilterExpression: 'severity = :severity',
  ExpressionAttributeValues: { ...range.ExpressionAttributeValues, ':severity': severity },
});

function ofDomain(domainId: string, list: string): Query {
  return { ...startingWith(alertsOf(domainId, list)), ConsistentRead: true };
}

/**
 * The lists that the alert belongs to; the list of all alerts comes first. Nearly all alerts are `info`, so those have
 * no lists of their own: they are found in the lists of all alerts.
 */
function listsOf({ severity, read }: Alert): string[] {
  const severities = severity === LISTED_WITH_ALL ? [undefined] : [undefined, severity];
  return [false, ...(read ? [] : [true])].flatMap((unread) =>
    severities.map((one) => alertList({ severity: one, unread })),
  );
}
