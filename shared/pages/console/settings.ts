/** The settings of an organization: notifications, tokens, limits and the audit log. */
import type * as z from 'zod/mini';
import { alertSeverity } from '../../alerts/alert.ts';
import { digestDefaults, weekdays } from '../../alerts/digest-schedule.ts';
import { eventNames } from '../../alerts/event.ts';
import { type Channel, channels, webhookFormats } from '../../alerts/notification.ts';
import { settingDefaults } from '../../api/notification-settings.ts';
import type { token } from '../../api/tokens.ts';
import { pluralize } from '../../protocol/quantity.ts';
import { type Scope, scopes } from '../../store/api-tokens.ts';
import type { Settings } from '../../views/settings.ts';
import { copyButton } from '../components/actions.ts';
import { eventTime, html, type Markup, timeElement, untrustedText, visibleStart } from '../markup.ts';
import { fitting, more } from '../room.ts';
import { asChoices, type Choice, options } from '../select.ts';
import { DELIVERIES_PATH } from './alert-filter.ts';
import { consoleDocument, formTokenField } from './layout.ts';
import { sessionSection } from './sessions.ts';

export const SETTINGS_PATH = '/console/settings';

interface SettingsView extends Settings {
  readonly formToken: string;
  readonly result?: FormResult | undefined;
}

/** What the last form did, or why it did nothing. */
export interface FormResult {
  readonly kind: 'done' | 'refused';
  readonly says: string;
  /** A secret that is not shown again. */
  readonly secret?: string | undefined;
}

/** In bytes, for tokens. */
const TOKEN_ROOM = 30_000;

export function settingsPage(view: SettingsView): string {
  const { formToken, scope, result } = view;
  return consoleDocument({
    title: 'Settings',
    description: 'Notifications, tokens and the audit log of your organization',
    formToken,
    main: html`<article class="of-domain"><header><h1>Settings</h1>
${scope === 'read' ? html`<p class="soft">You signed in with a read-only token, so you can change nothing here.</p>` : ''}
${result === undefined ? '' : resultSection(result)}</header>
${notificationSection(view)}
${tokenSection(view)}
${sessionSection({ ...view.sessions, formToken })}
${limitSection(view)}
${auditSection(view)}</article>`,
  });
}

function resultSection({ kind, says, secret }: FormResult): Markup {
  const shown =
    secret === undefined
      ? ''
      : html`<p>Copy it now: it is not shown again.</p><div class="record" id="secret"><code>${secret}</code></div><div class="actions">${copyButton('secret', 'secret')}</div>`;
  return html`<section class="empty" role="${kind === 'done' ? 'status' : 'alert'}"><p><strong>${visibleStart(says, 400)}</strong></p>${shown}</section>`;
}

const severities = asChoices(alertSeverity.options);
const digests: readonly Choice[] = [
  ['daily', 'Every day'],
  ['weekly', 'Once a week'],
  ['off', 'Never'],
];
const days = weekdays.map((day): Choice => [day, `${day[0]?.toUpperCase()}${day.slice(1)}`]);
const hours = Array.from({ length: 24 }, (_, hour): Choice => [String(hour), `${hour}:00 to ${hour}:59`]);
const formatNames: Readonly<Record<(typeof webhookFormats)[number], string>> = {
  json: 'Signed JSON',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
  opsgenie: 'Opsgenie',
};
const formats = webhookFormats.map((format): Choice => [format, formatNames[format]]);

function notificationSection(view: SettingsView): Markup {
  const { scope, formToken, notifications } = view;
  const { mail, webhook } = notifications;
  const { digest, digestWeekday, digestHour, digestTimeZone } = mail ?? digestDefaults;
  return html`<section aria-labelledby="notifications"><h2 id="notifications">Notifications</h2>
${channels.map((channel) => lastResult(view, channel))}
${
  scope === 'read'
    ? html`<dl class="fields"><div><dt>Mail</dt><dd>${mail === null ? 'off' : html`${untrustedText(mail.address)}, from ${mail.threshold}`}</dd></div><div><dt>Webhook</dt><dd>${webhook === null ? 'off' : html`${untrustedText(webhook.url)}, from ${webhook.threshold}, ${formatNames[webhook.format] ?? webhook.format}`}</dd></div></dl>`
    : html`<form class="trial" method="post" action="${SETTINGS_PATH}/notifications">${formTokenField(formToken)}
<label for="address">Mail address for alerts; empty for no mail</label>
<input id="address" name="address" value="${mail?.address ?? ''}" type="email" maxlength="320" autocomplete="off">
<label for="mail-threshold">Mail alerts at once from</label>
<select id="mail-threshold" name="mailThreshold">${options(severities, mail?.threshold ?? settingDefaults.mailThreshold)}</select>
<label for="digest">Mail a digest: what needs you, what changed, and how mail did</label>
<select id="digest" name="digest">${options(digests, digest)}</select>
<label for="digest-day">Day of a weekly digest</label>
<select id="digest-day" name="digestWeekday">${options(days, digestWeekday ?? digestDefaults.digestWeekday)}</select>
<label for="digest-hour">Time of the digest</label>
<select id="digest-hour" name="digestHour">${options(hours, String(digestHour ?? digestDefaults.digestHour))}</select>
<label for="digest-zone">Time zone of the digest, such as Europe/Berlin</label>
<input id="digest-zone" name="digestTimeZone" value="${digestTimeZone}" maxlength="40" required autocomplete="off" spellcheck="false">
<label for="url">Webhook URL (https); empty for none${webhook === null ? '' : '. Only its host is shown; leave it as it is to keep the URL'}</label>
<input id="url" name="url" value="${webhook?.url ?? ''}" type="url" maxlength="2048" autocomplete="off" spellcheck="false">
<label for="webhook-threshold">Send alerts to the webhook from</label>
<select id="webhook-threshold" name="webhookThreshold">${options(severities, webhook?.threshold ?? settingDefaults.webhookThreshold)}</select>
<label for="format">Format</label>
<select id="format" name="format">${options(formats, webhook?.format ?? 'json')}</select>
<fieldset><legend>Also send these events to the webhook</legend>${eventNames.map((name) => html`<label class="choice"><input type="checkbox" name="${name}" value="on"${webhook?.events.includes(name) ? html` checked` : ''}> ${name}</label>`)}</fieldset>
<button data-busy="Saving…">Save notifications</button></form>`
}</section>`;
}

function lastResult(
  { notifications, lastDeliveries, mailTransport, scope, formToken }: SettingsView,
  channel: Channel,
): Markup {
  if (notifications[channel] === null) return html``;
  const last = lastDeliveries[channel];
  const said =
    last === null
      ? 'Nothing was sent yet.'
      : html`Last delivery ${eventTime(last.at)}: ${last.status}${last.reason === null ? '' : html`, ${visibleStart(last.reason, 200)}`}.`;
  const test =
    scope === 'read'
      ? ''
      : html`<form method="post" action="${SETTINGS_PATH}/test">${formTokenField(formToken)}<input type="hidden" name="channel" value="${channel}"><button class="small" data-busy="Sending…">Send a test</button></form>`;
  return html`<div class="card"><div class="head"><h3>${channel === 'mail' ? 'Mail' : 'Webhook'}</h3>${test}</div><p class="soft">${channel === 'mail' ? `${mailTransport} ` : ''}${said} <a href="${DELIVERIES_PATH}">Deliveries</a></p></div>`;
}

const scopeNames: Readonly<Record<Scope, string>> = {
  read: 'read: see everything but tokens and the audit log',
  write: 'write: also change domains and notifications',
  admin: 'admin: also manage tokens',
};
const scopeChoices = scopes.map((scope): Choice => [scope, scopeNames[scope]]);

function tokenSection({ admin, formToken }: SettingsView): Markup {
  if (admin === undefined)
    return html`<section aria-labelledby="tokens"><h2 id="tokens">Tokens</h2><p>Only tokens with the scope admin can see and change tokens. Sign in with one to do so.</p></section>`;
  const names = new Map(admin.tokens.map(({ id, name }) => [id, name]));
  const { shown, omitted } = fitting(admin.tokens, TOKEN_ROOM, (one) => tokenCard(one, names, formToken));
  return html`<section aria-labelledby="tokens"><h2 id="tokens">Tokens</h2>
<ul class="cards">${shown}</ul>${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}
<h3>Create a token</h3>
<form class="trial" method="post" action="${SETTINGS_PATH}/tokens">${formTokenField(formToken)}
<label for="name">What it is for</label>
<input id="name" name="name" maxlength="200" required autocomplete="off">
<label for="scope">Scope</label>
<select id="scope" name="scope">${options(scopeChoices, 'read')}</select>
<label for="expires">Last day (UTC); empty for that of your own token</label>
<input id="expires" name="expiresOn" type="date">
<label for="networks">IP addresses and networks that may use it, separated by commas; empty for those of your own token</label>
<input id="networks" name="networks" maxlength="3000" autocomplete="off" spellcheck="false" placeholder="192.0.2.0/24">
<button data-busy="Creating…">Create</button></form></section>`;
}

function tokenCard(
  { id, name, scope, expiresAt, lastUsedOn, networks, createdAt, createdBy }: z.output<typeof token>,
  names: ReadonlyMap<string, string>,
  formToken: string,
): Markup {
  return html`<li class="card"><div class="head"><h3>${visibleStart(name, 200)}</h3><span class="tag">${scope}</span></div>
<p class="soft">Created ${eventTime(createdAt)}${createdBy === null ? '' : html` with ${visibleStart(names.get(createdBy) ?? createdBy, 60)}`}. ${expiresAt === null ? 'Never expires' : html`Expires ${timeElement(expiresAt)}`}. ${lastUsedOn === null ? 'Not used yet' : `Last used on ${lastUsedOn}`}. ${networks.length === 0 ? 'From anywhere' : html`From ${visibleStart(networks.join(', '), 400)}`}.</p>
<form method="post" action="${SETTINGS_PATH}/tokens/revoke" class="actions">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}">${scope === 'admin' ? html`<label class="choice"><input type="checkbox" name="created" value="on"> and what it created</label>` : ''}<button class="small" data-busy="Revoking…">Revoke ${visibleStart(name, 60)}</button></form></li>`;
}

function limitSection({ limits: { scoreThreshold, retentionDays, domains } }: SettingsView): Markup {
  return html`<section aria-labelledby="limits"><h2 id="limits">Limits</h2>
<p class="soft">The operator of the service sets these.</p>
<dl class="fields"><div><dt>Alert if the score falls below</dt><dd>${scoreThreshold}</dd></div><div><dt>Data is kept for</dt><dd>${retentionDays === 0 ? 'as long as the domain is registered' : pluralize(retentionDays, 'day')}</dd></div><div><dt>Domains</dt><dd>${domains === 0 ? 'no limit' : `at most ${domains}`}</dd></div></dl></section>`;
}

function auditSection({ admin }: SettingsView): Markup {
  if (admin === undefined)
    return html`<section aria-labelledby="audit"><h2 id="audit">Audit log</h2><p>Only tokens with the scope admin can read the audit log.</p></section>`;
  const { audit, page, hasMore, tokens } = admin;
  const names = new Map(tokens.map(({ id, name }) => [id, name]));
  const rows = audit.map(
    ({ at, action, token, name }) =>
      html`<tr><td>${eventTime(at)}</td><td>${action}</td><td>${visibleStart(name ?? '', 120)}</td><td>${visibleStart(token === null ? 'The operator of the service' : (names.get(token) ?? token), 80)}</td></tr>`,
  );
  const to = (n: number) => `${SETTINGS_PATH}?page=${n}#audit`;
  return html`<section aria-labelledby="audit"><h2 id="audit">Audit log</h2>
${audit.length === 0 ? html`<p>No changes on this page.</p>` : html`<div class="scroll words" tabindex="0" role="region" aria-label="Changes, newest first"><table><caption class="hush">Changes, newest first</caption><thead><tr><th scope="col">When</th><th scope="col">Action</th><th scope="col">What</th><th scope="col">Token</th></tr></thead><tbody>${rows}</tbody></table></div>`}
${page === 1 && !hasMore ? '' : html`<nav class="actions" aria-label="Pages of the audit log">${page > 1 ? html`<a class="button" rel="prev" href="${to(page - 1)}">Newer</a>` : ''}${hasMore ? html`<a class="button" rel="next" href="${to(page + 1)}">Older</a>` : ''}</nav>`}</section>`;
}
