/** What an alert is about: alerts about one cause are shown as one. */
import { type Alert, typeOf } from './alert.ts';

/** Alerts about one cause of one domain. */
export interface AlertGroup {
  readonly newest: Alert;
  readonly count: number;
  readonly unread: number;
  /** When the oldest of them was raised; ISO 8601. */
  readonly since: string;
}

/** Groups alerts by their causes, each where its first alert is. What is more severe is never behind what is less so. */
export const groupByCause = (alerts: readonly Alert[]): readonly AlertGroup[] => grouped(alerts, causeOf);

/** The same, with the alerts of each day (UTC) apart. */
export const groupByCauseAndDay = (alerts: readonly Alert[]): readonly AlertGroup[] =>
  grouped(alerts, (alert) => `${alert.createdAt.slice(0, 10)} ${causeOf(alert)}`);

function causeOf(alert: Alert): string {
  const { domainId, severity, type, metadata } = alert;
  return `${domainId} ${severity} ${type} ${typeOf(alert).cause?.(metadata)}`;
}

function grouped(alerts: readonly Alert[], keyOf: (alert: Alert) => string): readonly AlertGroup[] {
  const groups = new Map<string, AlertGroup>();
  for (const alert of alerts) {
    const key = keyOf(alert);
    const group = groups.get(key);
    groups.set(key, group === undefined ? groupOfOne(alert) : withAlert(group, alert));
  }
  return [...groups.values()];
}

export const groupOfOne = (alert: Alert): AlertGroup => ({
  ...{ newest: alert, count: 1, unread: alert.read ? 0 : 1 },
  since: alert.createdAt,
});

const withAlert = ({ newest, count, unread, since }: AlertGroup, alert: Alert): AlertGroup => ({
  // IDs are in the order of creation.
  newest: alert.id > newest.id ? alert : newest,
  count: count + 1,
  unread: unread + (alert.read ? 0 : 1),
  since: alert.createdAt < since ? alert.createdAt : since,
});
