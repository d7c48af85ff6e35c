/** From alerts that are pending to deliveries: what is due for one organization by one channel is told together. */
import { v7 as uuidv7 } from 'uuid';
import { type MailSettings, nextDigest, severities } from '../alerts/notification.ts';
import type { DeliveryStore, Mark } from '../store/alerts/deliveries.ts';
import type { MailMarks, NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import type { PendingAlert, PendingAlertStore } from '../store/alerts/pending.ts';
import { pauseAfterMail } from './pause.ts';

export interface GatherParts {
  readonly pending: PendingAlertStore;
  readonly deliveries: Pick<DeliveryStore, 'make' | 'count' | 'left'>;
  readonly settings: Pick<NotificationSettingsStore, 'get'>;
  /** Gives deliveries to workers, by their ids; one that is not given is left, and given by a later turn. */
  readonly send: (deliveries: readonly string[]) => Promise<void>;
}

/** What one turn takes on, some 5 MB; the rest is the next one's. */
const MOST_PENDING = 20_000;
const MOST_LEFT = 1_000;

/** Alerts of a delivery: what a mail shows, and what a receiver gets in one request, 1 MB at most. */
const MOST_SHOWN = 50;

/** Further alerts that one transaction counts: it takes 100 writes. */
const MOST_COUNTED = 90;

/** What a group may take, with time to spare; the host ends a turn that goes on for longer. */
const GROUP_MILLISECONDS = 10_000;

/** What is told together. */
type Group = Pick<PendingAlert, 'organization' | 'channel' | 'kind'> & {
  /** In the order in which they were raised. */
  readonly alerts: readonly PendingAlert[];
};

/** Makes deliveries of what is due. @throws AggregateError of what failed, when everything else is done. */
export async function gather(
  parts: GatherParts,
  now: Date,
  remainingMilliseconds: () => number,
): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<string[]>) => {
    try {
      await parts.send(await work());
    } catch (error) {
      failures.push(error);
    }
  };
  await attempt(() => parts.deliveries.left(now, MOST_LEFT));
  for (const group of groupsOf(await parts.pending.due(now, MOST_PENDING))) {
    if (remainingMilliseconds() < GROUP_MILLISECONDS) break;
    await attempt(() => tell(group, parts, now));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some alerts could not be gathered');
}

function groupsOf(due: readonly PendingAlert[]): Group[] {
  const groups = Map.groupBy(due, ({ organization, channel, kind }) =>
    [channel, kind, organization].join(' '),
  );
  return [...groups.values()].flatMap((alerts) =>
    alerts.slice(0, 1).map(({ organization, channel, kind }) => ({
      ...{ organization, channel, kind },
      alerts: alerts.toSorted((a, b) => (a.alert < b.alert ? -1 : 1)),
    })),
  );
}

/** Returns the deliveries that were made. */
async function tell(
  group: Group,
  { settings, pending, deliveries }: GatherParts,
  now: Date,
): Promise<string[]> {
  const { mail, webhook, ...marks } = await settings.get(group.organization);
  const isWanted =
    group.channel === 'webhook'
      ? webhook !== null
      : mail !== null && (group.kind === 'alerts' || mail.digestMinute !== null);
  if (!isWanted) {
    await pending.forget(group.alerts);
    return [];
  }
  if (mail === null || group.channel === 'webhook') return inPieces(group, deliveries, now);
  const mailing = group.kind === 'digest' ? digestAt(mail, marks, now) : mailAt(marks, now);
  if ('after' in mailing) return inOne(group, deliveries, now, { before: marks, after: mailing.after });
  await pending.putOff(group.alerts, mailing.wait);
  return [];
}

/** Either what is noted when a mail is made now, or until when it has to wait. */
type Mailing = { readonly after: Partial<MailMarks> } | { readonly wait: Date };

function mailAt({ pause }: MailMarks, now: Date): Mailing {
  if (pause !== null && now < new Date(pause.until)) return { wait: new Date(pause.until) };
  return { after: { pause: pauseAfterMail(pause, now) } };
}

/** There is one digest a day: what comes late for it is told by the next one. */
function digestAt({ digestMinute }: MailSettings, { lastDigestAt }: MailMarks, now: Date): Mailing {
  const next =
    digestMinute === null || lastDigestAt === null ? now : nextDigest(digestMinute, new Date(lastDigestAt));
  return next <= now ? { after: { lastDigestAt: now.toISOString() } } : { wait: next };
}

/** Every alert in full: as many deliveries as that takes. */
async function inPieces(group: Group, deliveries: GatherParts['deliveries'], now: Date): Promise<string[]> {
  const made: string[] = [];
  for (let at = 0; at < group.alerts.length; at += MOST_SHOWN) {
    const delivery = newDelivery(group, now);
    const isMade = await deliveries.make(delivery, group.alerts.slice(at, at + MOST_SHOWN));
    if (isMade) made.push(delivery.id);
  }
  return made;
}

/** One delivery, which shows the gravest alerts and counts the others. */
async function inOne(
  group: Group,
  deliveries: GatherParts['deliveries'],
  now: Date,
  mark: Mark,
): Promise<string[]> {
  const gravest = group.alerts.toSorted(
    (a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity),
  );
  const delivery = newDelivery(group, now);
  if (!(await deliveries.make(delivery, gravest.slice(0, MOST_SHOWN), mark))) return [];
  for (let at = MOST_SHOWN; at < gravest.length; at += MOST_COUNTED) {
    await deliveries.count(delivery, gravest.slice(at, at + MOST_COUNTED));
  }
  return [delivery.id];
}

function newDelivery({ organization, channel, kind }: Group, now: Date) {
  return { id: uuidv7({ msecs: now.getTime() }), organization, channel, kind, createdAt: now.toISOString() };
}
