/** The settings of an organization: notifications, tokens, limits and the audit log. */
import type * as z from 'zod/mini';
import { alertSeverity } from '../../alerts/alert.ts';
import { digestDefaults, weekdays } from '../../alerts/digest-schedule.ts';
import { eventNames } from '../../alerts/event.ts';
import { type Channel, channels, webhookFormats } from '../../alerts/notification.ts';
import { settingDefaults } from '../../api/notification-settings.ts';
import type { token } from '../../api/tokens.ts';
import { inWords } from '../../protocol/in-words.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import { type Scope, scopes } from '../../store/api-tokens.ts';
import type { Change } from '../../store/audit.ts';
import type { Settings } from '../../views/settings.ts';
import { day } from '../check-results/text.ts';
import { eventTime, html, type Markup, timeElement, untrustedText, visibleStart } from '../markup.ts';
import { pager } from '../pager.ts';
import { fitting, more } from '../room.ts';
import { asChoices, type Choice } from '../select.ts';
import { DELIVERIES_PATH } from './alert-filter.ts';
import { actionInWords } from './audit-words.ts';
import { formState, inputField, selectField } from './form-fields.ts';
import { consoleDocument, formTokenField, type Visit } from './layout.ts';
import { MEMBERS_PATH } from './paths.ts';
import { personSection } from './person.ts';
import { sessionSection } from './sessions.ts';

export const SETTINGS_PATH = '/console/settings';

type SettingsView = Settings & Visit;

/** In bytes, for tokens. */
const TOKEN_ROOM = 30_000;

export function settingsPage(view: SettingsView): string {
  const { formToken, flash, scope, person, hasPeople } = view;
  return consoleDocument({
    title: 'Settings',
    description: 'Notifications, tokens and the audit log of your organization',
    ...{ formToken, flash, current: SETTINGS_PATH },
    main: html`<article class="of-domain"><header><h1>Settings</h1>
${scope === 'read' && person === undefined ? html`<p class="soft">You signed in with a read-only token, so you can change nothing here.</p>` : ''}
<p><a href="/console/mailboxes">Mailboxes</a> from which reports are fetched</p>
${scope === 'admin' && hasPeople ? html`<p><a href="${MEMBERS_PATH}">Members</a> who sign in to the console, and invitations</p>` : ''}</header>
${person === undefined ? '' : personSection({ ...person, formToken, flash })}
${notificationSection(view)}
${tokenSection(view)}
${sessionSection({ ...view.sessions, formToken })}
${limitSection(view)}
${auditSection(view)}</article>`,
  });
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
  splunk: 'Splunk (HTTP Event Collector)',
  ecs: 'Elastic Common Schema',
  ocsf: 'OCSF',
};
const formats = webhookFormats.map((format): Choice => [format, formatNames[format]]);

function notificationSection(view: SettingsView): Markup {
  const { scope, formToken, notifications } = view;
  const { mail, webhook } = notifications;
  const { digest, digestWeekday, digestHour, digestTimeZone } = mail ?? digestDefaults;
  const form = formState('saveNotifications', view.flash);
  return html`<section aria-labelledby="notifications"><h2 id="notifications">Notifications</h2>
${channels.map((channel) => lastResult(view, channel))}
${
  scope === 'read'
    ? html`<dl class="fields"><div><dt>Mail</dt><dd>${mail === null ? 'off' : html`${untrustedText(mail.address)}, from ${mail.threshold}`}</dd></div><div><dt>Webhook</dt><dd>${webhook === null ? 'off' : html`${untrustedText(webhook.url)}, from ${webhook.threshold}, ${formatNames[webhook.format] ?? webhook.format}`}</dd></div></dl>`
    : html`<form class="trial" method="post" action="${SETTINGS_PATH}/notifications">${formTokenField(formToken)}
${inputField(form, 'address', 'Mail address for alerts; empty for no mail', html`type="email" maxlength="320" autocomplete="off"`, mail?.address)}
${selectField(form, 'mailThreshold', 'Mail alerts at once from', severities, mail?.threshold ?? settingDefaults.mailThreshold)}
${selectField(form, 'digest', 'Mail a digest: what needs you, what changed, and how mail did', digests, digest)}
${selectField(form, 'digestWeekday', 'Day of a weekly digest', days, digestWeekday ?? digestDefaults.digestWeekday)}
${selectField(form, 'digestHour', 'Time of the digest', hours, String(digestHour ?? digestDefaults.digestHour))}
${inputField(form, 'digestTimeZone', 'Time zone of the digest, such as Europe/Berlin', html`maxlength="40" required autocomplete="off" spellcheck="false"`, digestTimeZone)}
${inputField(form, 'url', `Webhook URL (https); empty for none${webhook === null ? '' : '. Only its host is shown; leave it as it is to keep the URL'}`, html`type="url" maxlength="2048" autocomplete="off" spellcheck="false"`, webhook?.url)}
${selectField(form, 'webhookThreshold', 'Send alerts to the webhook from', severities, webhook?.threshold ?? settingDefaults.webhookThreshold)}
${selectField(form, 'format', 'Format', formats, webhook?.format ?? 'json')}
<fieldset><legend>Also send these events to the webhook</legend>${eventNames.map((name) => html`<label class="choice"><input type="checkbox" name="${name}" value="on"${form.isChosen(name, webhook?.events.includes(name) ?? false) ? html` checked` : ''}> ${name}</label>`)}</fieldset>
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
      ? 'Nothing was sent with these settings yet.'
      : html`Last delivery ${eventTime(last.at)}: ${inWords(last.status)}${last.reason === null ? '' : html`, ${visibleStart(last.reason, 200)}`}.`;
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

function tokenSection({ admin, formToken, flash, sessions: { sessions } }: SettingsView): Markup {
  if (admin === undefined)
    return html`<section aria-labelledby="tokens"><h2 id="tokens">Tokens</h2><p>Only tokens with the scope admin can see and change tokens. Sign in with one to do so.</p></section>`;
  const own = sessions.find(({ isOwn }) => isOwn)?.tokenId;
  const names = new Map(admin.tokens.map(({ id, name }) => [id, name]));
  const { shown, omitted } = fitting(admin.tokens, TOKEN_ROOM, (one) =>
    tokenCard(one, names, own === one.id),
  );
  const form = formState('createTokenInConsole', flash);
  return html`<section aria-labelledby="tokens"><h2 id="tokens">Tokens</h2>
<ul class="cards">${shown}</ul>${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}
<h3>Create a token</h3>
<form class="trial" method="post" action="${SETTINGS_PATH}/tokens">${formTokenField(formToken)}
${inputField(form, 'name', 'What it is for', html`maxlength="200" required autocomplete="off"`)}
${selectField(form, 'scope', 'Scope', scopeChoices, 'read')}
${inputField(form, 'expiresOn', 'Last day (UTC); empty for that of your own token', html`type="date"`)}
${inputField(form, 'networks', 'IP addresses and networks that may use it, separated by commas; empty for those of your own token', html`maxlength="3000" autocomplete="off" spellcheck="false" placeholder="192.0.2.0/24"`)}
<button data-busy="Creating…">Create</button></form></section>`;
}

function tokenCard(
  { id, name, scope, expiresAt, lastUsedOn, networks, createdAt, createdBy }: z.output<typeof token>,
  names: ReadonlyMap<string, string>,
  isOwn: boolean,
): Markup {
  return html`<li class="card"><div class="head"><h3>${visibleStart(name, 200)}</h3>${isOwn ? html`<span class="tag open">this session</span>` : ''}<span class="tag">${scope}</span></div>
<p class="soft">Created ${eventTime(createdAt)}${createdBy === null ? '' : html` with ${visibleStart(names.get(createdBy) ?? createdBy, 60)}`}. ${expiresAt === null ? 'Never expires' : html`Expires ${timeElement(expiresAt)}`}. ${lastUsedOn === null ? 'Not used yet' : html`Last used on ${day(lastUsedOn)}`}. ${networks.length === 0 ? 'From anywhere' : html`From ${visibleStart(networks.join(', '), 400)}`}.</p>
<form method="get" action="${SETTINGS_PATH}/ask" class="actions"><input type="hidden" name="about" value="token"><input type="hidden" name="id" value="${id}">${scope === 'admin' ? html`<label class="choice"><input type="checkbox" name="created" value="on"> and what it created</label>` : ''}<button class="small" data-busy="Loading…">Revoke ${visibleStart(name, 60)}</button></form></li>`;
}

function limitSection({ limits: { scoreThreshold, retentionDays, domains } }: SettingsView): Markup {
  return html`<section aria-labelledby="limits"><h2 id="limits">Limits</h2>
<p class="soft">The operator of the service sets these.</p>
<dl class="fields"><div><dt>Alert if the score falls below</dt><dd>${scoreThreshold}</dd></div><div><dt>Data is kept for</dt><dd>${retentionDays === 0 ? 'as long as the domain is registered' : pluralize(retentionDays, 'day')}</dd></div><div><dt>Domains</dt><dd>${domains === 0 ? 'no limit' : `at most ${formatNumber(domains)}`}</dd></div></dl></section>`;
}

/** In an entry of the audit log; the API has all of them. */
const SHOWN_CHANGES = 4;

const changeLine = ({ field, before, after }: Change): Markup =>
  html`<br><code>${visibleStart(field, 40)}</code>: ${before === null ? 'nothing' : visibleStart(before, 60)} → ${after === null ? 'nothing' : visibleStart(after, 60)}`;

function auditSection({ admin }: SettingsView): Markup {
  if (admin === undefined)
    return html`<section aria-labelledby="audit"><h2 id="audit">Audit log</h2><p>Only tokens with the scope admin can read the audit log.</p></section>`;
  const { audit, page, hasMore, tokens } = admin;
  const names = new Map(tokens.map(({ id, name }) => [id, name]));
  const rows = audit.map(
    ({ at, action, token, name, actor, role, changes }) =>
      html`<tr><td>${eventTime(at)}</td><td>${actionInWords(action)}</td><td>${visibleStart(name ?? '', 120)}${changes.slice(0, SHOWN_CHANGES).map(changeLine)}${changes.length > SHOWN_CHANGES ? html`<br>${more(changes.length - SHOWN_CHANGES)}` : ''}</td><td>${visibleStart(token === null ? 'The operator of the service' : (actor ?? names.get(token) ?? token), 80)}${role === null ? '' : html` (${role})`}</td></tr>`,
  );
  return html`<section aria-labelledby="audit"><h2 id="audit">Audit log</h2>
${audit.length === 0 ? html`<p>No changes on this page.</p>` : html`<div class="scroll words" tabindex="0" role="region" aria-label="Changes, newest first"><table><caption class="hush">Changes, newest first</caption><thead><tr><th scope="col">When</th><th scope="col">Action</th><th scope="col">What</th><th scope="col">By</th></tr></thead><tbody>${rows}</tbody></table></div>`}
${pager({ page, hasMore, of: 'of the audit log', names: ['Newer', 'Older'], to: (n) => `${SETTINGS_PATH}?page=${n}#audit` })}</section>`;
}
