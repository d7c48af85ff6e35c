/**
 * Alerts, stored in the partition of their domain and in the index of their organization. An alert is stored once per
 * list that it belongs to (see `listsOf`), so a page of a filter costs only the items up to the end of that page; one of
 * `info` alerts also costs the few others in between.
 */

import {
  type Alert,
  type AlertDraft,
  type AlertSeverity,
  alert,
  alertTypes,
  type ReportAlertDraft,
  reportType,
  typeOf,
} from '../../alerts/alert.ts';
import { type AlertGroup, groupByCause } from '../../alerts/cause.ts';
import { notificationsOf, severities } from '../../alerts/notification.ts';
import { checkNames } from '../../checks/state.ts';
import { updateAt } from '../changes.ts';
import { untilUncontended } from '../contention.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { isOfOtherKind, unlessOther } from '../item-schema.ts';
import { type Found, PRESENT } from '../items.ts';
import { alertIndexKey, alertKey, alertList, alertsOf } from '../keys.ts';
import {
  between,
  type Continuable,
  filtered,
  ofIndex,
  type Page,
  type PageAfter,
  type Query,
} from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table, TransactionPart, Write } from '../table.ts';
import { type Ids, idsIn, newId } from '../time-ids.ts';
import { type AlertLimits, dedupeKeyOf } from './dedupe-keys.ts';
import { noSettings, readOfSettings, readSettings, type StoredSettings } from './notification-settings.ts';
import { pendingWrites } from './pending.ts';

export interface AlertFilter {
  readonly domainId?: string | undefined;
  readonly severity?: AlertSeverity | undefined;
  readonly unreadOnly: boolean;
  /** Those that were raised from a time on, and before another one; in ISO form. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Writes of alerts. `raised` returns those that the last writes raised; call it once they are stored. */
export interface AlertsAlongside extends TransactionPart {
  /** Whether there are any. */
  hasWrites(found: Found): boolean;
  raised(): readonly ReportAlertDraft[];
}

/** What `inPeriod` reads of each severity, about 150 KB. */
const MOST_OF_PERIOD = 200;
/** How many alerts are read to group them: about 80 read units. */
export const MAX_GROUPED = 500;
/** The severity that has no lists of its own. */
const LISTED_WITH_ALL: AlertSeverity = 'info';

/** Another release can know other types of alerts, and others of what they are about. */
const alertItem = unlessOther(
  ({ type, metadata }) => isOfOtherKind({ type }, alertKinds) || isOfOtherKind(metadata, metadataKinds),
  alert,
);

const alertKinds = { type: Object.keys(alertTypes) };
const metadataKinds = { check: checkNames, reportType: reportType.options };

export type AlertStore = ReturnType<typeof alertStore>;

export function alertStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /**
     * Raises alerts in the transaction that stores their report: each dedupe key once, or again after its days of silence,
     * and of each type no more than its quota allows.
     */
    alongsideReport(
      domain: DomainReference,
      drafts: readonly ReportAlertDraft[],
      limits: AlertLimits,
      now: Date,
    ): AlertsAlongside {
      const settings = readOfSettings(domain.organization);
      const each = drafts.map((draft) => ({
        draft,
        key: dedupeKeyOf(domain, draft, { ...limits, retentionDays }),
      }));
      let raised: ReportAlertDraft[] = [];
      return {
        reads: each.length === 0 ? [] : [settings, ...each.flatMap(({ key }) => key.reads)],
        hasWrites: (found) => each.some(({ key }) => key.isFree(found) || key.note(found).length > 0),
        writes(found) {
          const due = each.filter(({ key }) => key.isFree(found));
          raised = due.map(({ draft }) => draft);
          return [
            ...each.flatMap(({ key }) => key.note(found)),
            ...due.flatMap(({ key, draft: { dedupeKey: _key, againAfterSilence: _again, ...draft } }) => [
              ...key.claim(),
              ...writesFor(domain, [draft], found.of(settings) ?? noSettings, now),
            ]),
          ];
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
      return untilUncontended(async () => {
        const writes = alerts.writes(await table.getMany(alerts.reads));
        if (writes.length === 0) return [];
        const failed = await table.tryTransact([isRegistered(domain), ...writes]);
        if (failed.size === 0) return alerts.raised();
        return failed.has(0) ? [] : undefined;
      });
    },

    /**
     * All writes of new alerts, including their pending notifications. The caller puts them into a transaction that
     * succeeds once, so each alert is raised once and gets its notifications once.
     */
    async writesOf(
      domain: DomainReference,
      drafts: readonly AlertDraft[],
      now: Date,
    ): Promise<readonly Write[]> {
      if (drafts.length === 0) return [];
      const settings = await readSettings(table, domain.organization, false);
      return writesFor(domain, drafts, settings, now);
    },

    async get(domainId: string, id: string, now: Date): Promise<Alert | undefined> {
      return table.get(alertKey(domainId, id), alertItem, { aliveAt: now });
    },

    /** Returns one page, newest first. Reads nothing beyond the end of the page. The position of an alert is its ID. */
    async list(
      organization: string,
      { domainId, severity, unreadOnly, since, until }: AlertFilter,
      page: PageAfter,
      now: Date,
    ): Promise<{ alerts: readonly Alert[] } & Continuable> {
      const ids = idsIn({ since, until, after: page.after });
      const query = newestOf(severity, unreadOnly, (list) =>
        domainId === undefined ? ofOrganization(organization, list, ids) : ofDomain(domainId, list, ids),
      );
      const { items, hasMore } = await table.page(query, alertItem, { ...page, aliveAt: now });
      return { alerts: items, hasMore, last: items.at(-1)?.id };
    },

    /** The same, with alerts about one cause as one: of the newest MAX_GROUPED alerts. */
    async listCauses(
      organization: string,
      filter: AlertFilter,
      { page, limit }: Page,
      now: Date,
    ): Promise<{ groups: readonly AlertGroup[]; hasMore: boolean }> {
      const { alerts } = await this.list(organization, filter, { page: 1, limit: MAX_GROUPED }, now);
      const groups = groupByCause(alerts);
      const end = page * limit;
      return { groups: groups.slice(end - limit, end), hasMore: groups.length > end };
    },

    /**
     * The alerts that were raised from `since` until before `until`: the newest of each severity, up to a limit that
     * leaves a flood of one severity no room to hide another. `hasMore`: there are others.
     */
    async inPeriod(
      organization: string,
      { since, until }: { readonly since: string; readonly until: string },
      now: Date,
    ): Promise<{ alerts: readonly Alert[]; hasMore: boolean }> {
      const ids = idsIn({ since, until });
      const found = await Promise.all(
        severities.map((severity) => {
          const query = newestOf(severity, false, (list) => ofOrganization(organization, list, ids));
          return table.page(query, alertItem, { page: 1, limit: MOST_OF_PERIOD, aliveAt: now });
        }),
      );
      return {
        alerts: found.flatMap(({ items }) => items),
        hasMore: found.some(({ hasMore }) => hasMore),
      };
    },

    /**
     * Marks an alert as read: removes it from the lists of unread alerts. Returns the alert, or undefined if the
     * organization has no such alert.
     */
    async markRead(organization: string, id: string, now: Date): Promise<Alert | undefined> {
      const own = ofOrganization(organization, '', { low: id, high: id });
      const [alert] = await table.query(own, alertItem, { aliveAt: now });
      if (alert === undefined || alert.read) return alert;
      const read = { ...alert, read: true };
      const remaining = listsOf(read);
      const failed = await table.tryTransact(
        listsOf(alert).map((list) => {
          const Key = alertKey(alert.domainId, id, list);
          if (!remaining.includes(list)) return { Delete: { Key } };
          return { Update: updateAt(Key, { read: true }, PRESENT) };
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
  ): readonly Write[] {
    const { id: domainId, domain: domainName, organization } = domain;
    return drafts.flatMap((draft) => {
      const id = newId(now);
      const alert = { id, domainId, domainName, ...draft, read: false, createdAt: now.toISOString() };
      const { severity } = alert;
      const isEnd = typeOf(alert).isEnd?.(alert) ?? false;
      return [
        ...itemWrites(alert, organization),
        ...pendingWrites(
          { organization, domainId, alert: id, severity },
          notificationsOf(settings, { severity, isEnd }, now),
        ),
      ];
    });
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

/** Those of a severity or of all, newest first, of the range of a list. */
function newestOf(
  severity: AlertSeverity | undefined,
  unread: boolean,
  rangeOf: (list: string) => Query,
): Query {
  const isOfAll = severity === LISTED_WITH_ALL;
  const range = rangeOf(alertList({ severity: isOfAll ? undefined : severity, unread }));
  return { ...(isOfAll ? filtered(range, { severity }) : range), ScanIndexForward: false };
}

const ofOrganization = (organization: string, list: string, ids: Ids): Query =>
  ofIndex(alertIndexKey(organization, '', list), ids);

function ofDomain(domainId: string, list: string, { low, high }: Ids): Query {
  const { pk, prefix } = alertsOf(domainId, list);
  return { ...between(pk, `${prefix}${low}`, `${prefix}${high}`), ConsistentRead: true };
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
