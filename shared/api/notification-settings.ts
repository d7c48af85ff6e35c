/** Requests and responses of the endpoints of notification settings. */
import * as z from 'zod/mini';
import { alertSeverity } from '../alerts/alert.ts';
import { digestChoiceOf, digestChoices, isTimeZone, weekdays } from '../alerts/digest-schedule.ts';
import { eventName, eventNames } from '../alerts/event.ts';
import { channel, type NotificationSettings, webhookFormats } from '../alerts/notification.ts';
import { described, oneOf } from '../protocol/schema.ts';
import { jsonObject } from './json-object.ts';

/** Defaults: warnings immediately by mail, and everything to a webhook. */
export const settingDefaults = { mailThreshold: 'warning', webhookThreshold: 'info' } as const;

const MAX_ADDRESS = 320;
const MAX_URL = 2048;

const hourMessage = 'must be a whole number from 0 to 23, or null';

const digestHour = described(
  z.nullable(z.int(hourMessage).check(z.minimum(0, hourMessage), z.maximum(23, hourMessage))),
  'The hour in which the digest is sent, at a minute of its own for each organization; `null`: never, as with `off`. A request with an hour and without `digest` sets a daily digest',
  6,
);

export const digest = described(
  oneOf(digestChoices),
  'How often a mail sums up what needs a person, what changed, and the mail of the last days; it is sent even if nothing happened. Default: `weekly`',
  'weekly',
);

export const weekday = described(
  z.enum(weekdays, `must be one of ${weekdays.join(', ')}, or null`),
  'A day of the week',
);

const digestWeekday = described(
  z.nullable(weekday),
  'The day of a weekly digest; `null` in responses if it is not weekly. Default: `monday`',
  'monday',
);

const digestTimeZone = described(
  z.string('must be a string').check(z.refine(isTimeZone, 'must be a time zone, such as Europe/Berlin')),
  'The time zone of the hour and the weekday: a name in the IANA Time Zone Database. Default: `UTC`',
  'Europe/Berlin',
);

const exampleMail = {
  address: 'ops@example.org',
  threshold: 'warning',
  digest: 'weekly',
  digestWeekday: 'monday',
  digestHour: 6,
  digestTimeZone: 'Europe/Berlin',
};

export const webhookFormat = described(
  oneOf(webhookFormats),
  '`json`: signed requests as described under `webhooks`. `slack`: messages for an incoming webhook of Slack. `teams`: Adaptive Cards for a Workflows webhook of Microsoft Teams. `pagerduty` (Events API v2) and `opsgenie` (Alert API): an incident for each alert, and for the events `attention.opened` and `attention.closed`; the URL has the key of the integration, as `routing_key` or `apiKey`. `splunk`: events for an HTTP Event Collector, whose `token` the URL has. `ecs`, `ocsf`: an array of documents of the Elastic Common Schema, or of Detection Findings of OCSF, signed as `json` is',
  'json',
);

const events = described(
  z
    .array(eventName, 'must be an array')
    .check(z.maxLength(eventNames.length, `must not have more than ${eventNames.length} events`)),
  'The events that are sent beside alerts. `domain.verified`: a domain was verified. `checks.completed`: all checks of a domain ran. `report.received`: a report about a domain was stored. `domain.unproven`: the verification record of a domain has been missing for 30 days, which is also sent by mail. `token.created`: the organization has a new API token. `attention.opened`, `attention.closed`: something needs a person, or no longer does',
  ['domain.verified', 'checks.completed'],
);

const address = described(
  z
    .string('must be a string')
    .check(z.maxLength(MAX_ADDRESS, `must not be longer than ${MAX_ADDRESS} characters`)),
  'The mail address, outside the domains for which this service receives mail',
  'ops@example.org',
);

const url = described(
  z.string('must be a string').check(z.maxLength(MAX_URL, `must not be longer than ${MAX_URL} characters`)),
  'An https URL with a public address. Responses contain only its scheme and host, because the rest can be a credential; in that form, a request keeps the URL and the secret',
  'https://hooks.example.org/alerts',
);

const mailThreshold = described(
  alertSeverity,
  'Alerts of at least this severity are sent as soon as possible',
  'warning',
);
const webhookThreshold = described(alertSeverity, 'Alerts of at least this severity are sent', 'info');

const objectOrNull = 'must be an object or null';

const asMail = <Schema extends z.ZodMiniType>(mail: Schema) =>
  described(z.nullable(mail), 'Where alerts are mailed to; `null`: nowhere', exampleMail);

const asWebhook = <Schema extends z.ZodMiniType>(webhook: Schema) =>
  described(z.nullable(webhook), 'The webhook that alerts are sent to; `null`: none', {
    url: 'https://hooks.example.org/alerts',
    threshold: 'info',
    format: 'json',
    events: [],
  });

export const notificationsBody = jsonObject({
  mail: asMail(
    z.object(
      {
        address,
        threshold: z._default(mailThreshold, settingDefaults.mailThreshold),
        digest: z.optional(digest),
        digestWeekday: z.optional(digestWeekday),
        digestHour: z.optional(digestHour),
        digestTimeZone: z.optional(digestTimeZone),
      },
      objectOrNull,
    ),
  ),
  webhook: asWebhook(
    z.object(
      {
        url,
        threshold: z._default(webhookThreshold, settingDefaults.webhookThreshold),
        format: z._default(webhookFormat, 'json'),
        events: z._default(events, []),
      },
      objectOrNull,
    ),
  ),
});

export const mailSettings = z.object({
  ...{ address, threshold: mailThreshold, digest, digestWeekday, digestHour, digestTimeZone },
});
export const webhookSettings = z.object({
  ...{ url, threshold: webhookThreshold, format: webhookFormat, events },
});

export const notifications = z.object({
  mail: asMail(mailSettings),
  webhook: asWebhook(webhookSettings),
});

export const changedNotifications = z.object({
  ...notifications.shape,
  webhookSecret: described(
    z.nullable(z.string()),
    'The secret that signs requests to the webhook, if its URL is new; it is shown only in this response',
    'whsec_5vBJ0kWvWf1uI0dHq2rNn8m3yL6oXc4tQzSgPaE7hKU=',
  ),
});

/** Settings in responses, without what can be a credential. */
export function showNotifications({ mail, webhook }: NotificationSettings): z.output<typeof notifications> {
  return {
    mail: mail && {
      address: mail.address,
      threshold: mail.threshold,
      ...digestChoiceOf(mail),
    },
    webhook: webhook && {
      url: webhook.origin,
      threshold: webhook.threshold,
      format: webhook.format,
      events: [...webhook.events],
    },
  };
}

export const testBody = jsonObject({
  channel: described(
    z.optional(channel),
    'The channel to test; by default, all channels that are set',
    'webhook',
  ),
});
