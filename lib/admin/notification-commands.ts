/** The operator commands for notification settings. */
import * as z from 'zod/mini';
import { digestChoiceOf, digestDefaults, isTimeZone, weekdays } from '../../shared/alerts/digest-schedule.ts';
import { eventNames } from '../../shared/alerts/event.ts';
import type { Channel, MailSettings, WebhookSettings } from '../../shared/alerts/notification.ts';
import { showNotifications } from '../../shared/api/notification-settings.ts';
import { webhookHeader } from '../../shared/notify/webhook-headers.ts';
import * as changing from '../../shared/operations/notifications/change-notifications.ts';
import * as testing from '../../shared/operations/notifications/test-notifications.ts';
import { inWords } from '../../shared/protocol/in-words.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import type { OpenDelivery } from '../../shared/store/alerts/deliveries.ts';
import type { LastDelivery, StoredSettings } from '../../shared/store/alerts/notification-settings.ts';
import { CommandError, UsageError } from '../terminal/command-line.ts';
import { jsonLines } from '../terminal/text.ts';
import { type AdminDependencies, asJson, type Commands } from './command.ts';
import { inputFor, perform } from './perform.ts';

/** Commands by their words: `notify show`. */
export const notificationCommands: Commands = {
  'notify show': {
    args: '<org>',
    says: 'show where alerts are sent',
    example: 'notify show default',
    options: asJson,
    async run([organization]: [string], { json }, deps) {
      if (json) return jsonLines(showNotifications(await deps.notifications.get(organization)));
      return shown(organization, deps);
    },
  },

  'notify mail': {
    args: '<org> <address>',
    says: 'send alerts by mail',
    example: 'notify mail default ops@example.org',
    async run([organization, text]: [string, string], _options, deps) {
      return shownAfter(organization, deps, ({ mail }) => ({ mail: { ...mail, address: text } }));
    },
  },

  'notify webhook': {
    args: '<org> <url>',
    says: 'send alerts to a webhook (https); the signing secret is shown only once',
    example: 'notify webhook default https://hooks.example.org/alerts',
    async run([organization, text]: [string, string], _options, deps) {
      const to = ({ webhook }: Settings) => ({ webhook: { ...webhook, url: text } });
      const { newSecret } = await change(organization, deps, to, { renewSecret: true });
      return [
        ...(await shown(organization, deps)),
        `secret   ${newSecret}`,
        `The secret is shown only once. It signs every request, in the header ${webhookHeader.signature}.`,
      ];
    },
  },

  'notify off': {
    args: '<org> [channel]',
    says: 'stop notifications; a channel is mail or webhook',
    example: 'notify off default webhook',
    async run([organization, channel]: [string, ...string[]], _options, deps) {
      const off = Object.fromEntries(channelsNamed(channel).map((one) => [one, null]));
      return shownAfter(organization, deps, () => off);
    },
  },

  'notify threshold': {
    args: '<org> <severity> [channel]',
    says: 'send alerts immediately from this severity: info, warning or critical',
    example: 'notify threshold default critical mail',
    async run([organization, threshold, channel]: [string, string, ...string[]], _options, deps) {
      const channels = channelsNamed(channel);
      return shownAfter(organization, deps, (current) => {
        const set = channels.filter((one) => requireChannel(current, organization)[one] !== null);
        return Object.fromEntries(set.map((one) => [one, { ...current[one], threshold }]));
      });
    },
  },

  'notify format': {
    args: '<org> <format>',
    says: 'write requests to the webhook as signed JSON (json), as messages for Slack (slack) or Microsoft Teams (teams), as incidents of PagerDuty (pagerduty) or Opsgenie (opsgenie), or for the HTTP Event Collector of Splunk (splunk), the Elastic Common Schema (ecs) or OCSF (ocsf)',
    example: 'notify format default slack',
    async run([organization, format]: [string, string], _options, deps) {
      return shownAfter(organization, deps, ({ webhook }) => ({
        webhook: { ...requireWebhook(webhook, organization), format },
      }));
    },
  },

  'notify events': {
    args: '<org> <event...>',
    says: `send these events to the webhook besides alerts: ${eventNames.join(', ')}; or none`,
    example: 'notify events default domain.verified domain.unproven',
    async run([organization, ...names]: [string, ...string[]], _options, deps) {
      const [first] = names;
      const events = first === 'none' && names.length === 1 ? [] : names;
      return shownAfter(organization, deps, ({ webhook }) => ({
        webhook: { ...requireWebhook(webhook, organization), events },
      }));
    },
  },

  'notify digest': {
    args: '<org> <often> [details...]',
    says: 'set when the digest is sent: daily or weekly [<weekday>], then [<hour> [<time zone>]]; or the hour (UTC) of a daily one, "default", or "off" (default: weekly monday 6 UTC)',
    example: 'notify digest default weekly friday 16 Europe/Berlin',
    async run([organization, often, ...details]: [string, string, ...string[]], _options, deps) {
      const lines = await shownAfter(organization, deps, (current) => {
        const { mail } = requireChannel(current, organization);
        if (mail === null)
          throw new CommandError('the digest is sent by mail: set an address with "notify mail" first');
        const { address, threshold } = mail;
        return { mail: { address, threshold, ...digestNamed(often, details) } };
      });
      if (often === 'off') return lines;
      return [
        ...lines,
        'Each organization has its own minute within the hour, so that not all digests are sent at once.',
      ];
    },
  },

  'notify test': {
    args: '<org>',
    says: 'send a test notification',
    example: 'notify test default',
    async run([organization]: [string], _options, deps) {
      const { operation, testNotifications } = testing;
      requireChannel(await deps.notifications.get(organization), organization);
      const sent = await perform(operation, organization, deps, (caller) =>
        testNotifications(caller, {}, deps),
      );
      const transport = sent.some(({ channel }) => channel === 'mail') ? deps.mailTransport() : undefined;
      return [
        ...(transport === undefined ? [] : [transport]),
        `a test notification is sent by ${sent.map(({ channel }) => channel).join(' and ')} within two minutes if the service is running`,
        `to see the result, run "notify show ${organization}"`,
      ];
    },
  },
};

type Settings = ReturnType<typeof showNotifications>;

/** Changes channels like `PUT /notifications`. @param to The channels that change. */
async function change(
  organization: string,
  { allowPrivateAddresses, notifications, ...deps }: AdminDependencies,
  to: (current: Settings) => object,
  { renewSecret = false } = {},
) {
  const { operation, changeNotifications } = changing;
  const given = to(showNotifications(await notifications.get(organization)));
  const wanted = { ...inputFor(z.partial(operation.input), given), renewSecret };
  const ownDomains = wanted.mail ? deps.ownDomains() : [];
  return perform(operation, organization, deps, (caller) =>
    changeNotifications(caller, wanted, { notifications, ownDomains, allowPrivateAddresses }),
  );
}

async function shownAfter(
  organization: string,
  deps: AdminDependencies,
  to: Parameters<typeof change>[2],
): Promise<string[]> {
  await change(organization, deps, to);
  return shown(organization, deps);
}

/** @throws CommandError if no channel is set. */
function requireChannel<S extends Pick<StoredSettings, 'mail' | 'webhook'> | Settings>(
  settings: S,
  organization: string,
): S {
  if (settings.mail !== null || settings.webhook !== null) return settings;
  throw new CommandError(
    `notifications of ${organization} are off: set a channel with "notify mail" or "notify webhook" first`,
  );
}

/** @throws CommandError if there is no webhook. */
function requireWebhook(
  webhook: Settings['webhook'],
  organization: string,
): NonNullable<Settings['webhook']> {
  if (webhook !== null) return webhook;
  throw new CommandError(`${organization} has no webhook: set one with "notify webhook" first`);
}

function channelsNamed(channel: string | undefined): readonly Channel[] {
  if (channel === undefined) return ['mail', 'webhook'];
  if (channel === 'mail' || channel === 'webhook') return [channel];
  throw new UsageError(`the channel must be mail or webhook: ${channel}`);
}

/** The digest that the arguments name: `daily 7 Europe/Berlin`, for example, or an hour for a daily one in UTC. */
function digestNamed(often: string, details: readonly string[]) {
  if (often === 'off') return { digest: 'off' } as const;
  if (often === 'default') return digestDefaults;
  if (often === 'daily') return { digest: 'daily', ...timeNamed(details) } as const;
  if (often === 'weekly') {
    const [name = digestDefaults.digestWeekday, ...time] = details;
    const digestWeekday = weekdays.find((one) => one === name.toLowerCase());
    if (digestWeekday === undefined) throw new UsageError(`the day must be one of ${weekdays.join(', ')}`);
    return { digest: 'weekly', digestWeekday, ...timeNamed(time) } as const;
  }
  if (!/^\d+$/.test(often))
    throw new UsageError(
      'the digest must be "daily", "weekly", "off", "default", or the hour (UTC) of a daily one, 0 to 23',
    );
  return timeNamed([often]);
}

function timeNamed([hour = String(digestDefaults.digestHour), zone]: readonly string[]) {
  if (!/^(?:\d|1\d|2[0-3])$/.test(hour)) throw new UsageError('the hour of the digest must be 0 to 23');
  if (zone !== undefined && !isTimeZone(zone))
    throw new UsageError(`unknown time zone ${zone}: use a name such as Europe/Berlin`);
  return { digestHour: Number(hour), digestTimeZone: zone };
}

async function shown(
  organization: string,
  { notifications, deliveries }: AdminDependencies,
): Promise<string[]> {
  const [{ mail, webhook }, last, open] = await Promise.all([
    notifications.get(organization),
    notifications.lastDeliveries(organization),
    deliveries.open(organization),
  ]);
  const detail = (channel: Channel): string[] => [
    ...lastDelivery(last[channel]),
    ...openDeliveries(open.filter((one) => one.channel === channel)),
  ];
  return [
    mail === null
      ? 'mail     off'
      : `mail     ${mail.address}, alerts from severity ${mail.threshold}, ${digest(mail)}`,
    ...detail('mail'),
    webhook === null ? 'webhook  off' : `webhook  ${describeWebhook(webhook)}`,
    ...detail('webhook'),
  ];
}

const describeWebhook = ({ origin, threshold, format, events }: WebhookSettings): string =>
  [
    `${origin}, alerts from severity ${threshold}`,
    ...(format === 'json' ? [] : [`in the format ${format}`]),
    ...(events.length === 0 ? [] : [`with the events ${events.join(', ')}`]),
  ].join(', ');

const INDENT = ' '.repeat(9);

function lastDelivery(last: LastDelivery | null): string[] {
  if (last === null) return [];
  const { status, reason, at } = last;
  return [`${INDENT}last delivery: ${inWords(status)}${reason === null ? '' : ` (${reason})`} at ${at}`];
}

/** What is neither delivered nor given up, with the details of the oldest. */
function openDeliveries([oldest, ...others]: readonly OpenDelivery[]): string[] {
  if (oldest === undefined) return [];
  const { createdAt, attempts, failures, reason, nextAttemptAt } = oldest;
  const failed = reason === null ? '' : `, ${failures} of them failed (${reason})`;
  const next = nextAttemptAt === null ? '' : `, the next at ${nextAttemptAt} at the earliest`;
  return [
    `${INDENT}not delivered yet: ${1 + others.length}, the oldest since ${createdAt}`,
    `${INDENT}the oldest: ${pluralize(attempts, 'attempt')}${failed}${next}`,
  ];
}

function digest(mail: MailSettings): string {
  const { digest, digestWeekday, digestTimeZone } = digestChoiceOf(mail);
  if (mail.digestMinute === null) return 'no digest';
  const parts = [Math.floor(mail.digestMinute / 60), mail.digestMinute % 60];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${digest} digest${digestWeekday === null ? '' : ` on ${digestWeekday}`} at ${time} ${digestTimeZone}`;
}
