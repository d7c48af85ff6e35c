/** The mailboxes from which reports are fetched, and a form that adds one. */
import type * as z from 'zod/mini';
import {
  MAX_FOLDER,
  MAX_KEY,
  MAX_MAILBOX_NAME,
  MAX_URL,
  MAX_USER,
  type mailbox,
  mailboxDefaults,
} from '../../api/mailboxes.ts';
import { afterwards } from '../../mailboxes/mailbox.ts';
import { securities } from '../../network/imap-port.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import type { Flash } from '../../store/flashes.ts';
import { eventTime, html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { fitting, more } from '../room.ts';
import { type Choice, options } from '../select.ts';
import { nothingYet } from './domain/frame.ts';
import { formState } from './form-fields.ts';
import { CONSOLE_ROOM, consoleDocument, formTokenField, readOnlyNote } from './layout.ts';

export const MAILBOXES_PATH = '/console/mailboxes';

type ShownMailbox = z.output<typeof mailbox>;

interface MailboxesView {
  readonly mailboxes: readonly ShownMailbox[];
  readonly canWrite: boolean;
  readonly formToken: string;
  readonly flash: Flash | undefined;
}

const securityNames: Readonly<Record<(typeof securities)[number], string>> = {
  tls: 'TLS from the start (port 993)',
  starttls: 'STARTTLS (port 143)',
};

const afterNames: Readonly<Record<(typeof afterwards)[number], string>> = {
  keep: 'Keep it as it is',
  'mark-read': 'Mark it as read',
  move: 'Move it to another folder',
  delete: 'Delete it',
};

const securityChoices = securities.map((one): Choice => [one, securityNames[one]]);
const afterChoices = afterwards.map((one): Choice => [one, afterNames[one]]);

/** What the form has before it is sent. */
const fresh = {
  security: mailboxDefaults.security,
  folder: mailboxDefaults.folder,
  after: mailboxDefaults.after,
  everyMinutes: String(mailboxDefaults.everySeconds / 60),
};

export function mailboxesPage({ mailboxes, canWrite, formToken, flash }: MailboxesView): string {
  const { shown, omitted } = fitting(mailboxes, CONSOLE_ROOM, (one) => mailboxCard(one, canWrite, formToken));
  return consoleDocument({
    title: 'Mailboxes',
    description: 'Mailboxes from which reports are fetched',
    formToken,
    flash,
    current: '/console/settings',
    main: html`<article class="of-domain"><header><h1>Mailboxes</h1>
<p class="soft">The service fetches DMARC and TLS reports about your domains from mailboxes that you have. Other mail there is left alone.</p>
${readOnlyNote(canWrite)}</header>
${mailboxes.length === 0 ? nothingYet('No mailboxes yet', html`Reports that your DNS records send to the report address of a domain here arrive without one.`) : html`<ul class="cards">${shown}</ul>${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}`}
${canWrite ? addForm(flash, formToken) : ''}</article>`,
  });
}

function mailboxCard(one: ShownMailbox, canWrite: boolean, formToken: string): Markup {
  const { id, name, user, host, port, folder, after, moveTo, everySeconds } = one;
  const { state, lastRunAt, lastError, read, accepted, remaining } = one;
  const then = after === 'move' ? html`moves it to ${untrustedText(moveTo ?? '')}` : afterTexts[after];
  return html`<li class="card" id="${id}"><div class="head"><h2>${untrustedText(name)}</h2><span class="tag">${state === 'ok' ? (lastRunAt === null ? 'waiting' : 'working') : 'failing'}</span></div>
<p class="soft">${untrustedText(user)} at ${host}:${port}, folder ${untrustedText(folder)}, every ${pluralize(Math.round(everySeconds / 60), 'minute')}. When the reports of a mail are stored, the service ${then}.</p>
${lastError === null ? '' : html`<p role="alert"><strong>${visibleStart(lastError.message, 300)}.</strong> ${lastError.fix}</p>`}
<dl class="inline"><div><dt>Last read</dt><dd>${lastRunAt === null ? 'not yet' : eventTime(lastRunAt)}</dd></div><div><dt>Mails read</dt><dd>${formatNumber(read)}</dd></div><div><dt>Reports stored</dt><dd>${formatNumber(accepted)}</dd></div>${remaining === 0 ? '' : html`<div><dt>Left for the next time</dt><dd>${pluralize(remaining, 'mail')}</dd></div>`}</dl>
${canWrite ? html`<div class="actions"><form method="post" action="${MAILBOXES_PATH}/run">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><label class="choice"><input type="checkbox" name="again" value="on"> all mails again</label> <button class="small" data-busy="Requesting…">Read now</button></form><form method="post" action="${MAILBOXES_PATH}/remove">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><button class="small" data-busy="Removing…">Remove</button></form></div>` : ''}</li>`;
}

const afterTexts = {
  keep: 'leaves it as it is',
  'mark-read': 'marks it as read',
  delete: 'deletes it',
} as const;

function addForm(flash: Flash | undefined, formToken: string): Markup {
  const form = formState('addMailboxInConsole', flash, fresh);
  const value = form.value;
  return html`<section aria-labelledby="add"><h2 id="add">Add a mailbox</h2>
<p class="soft">The service signs in first, and adds the mailbox if that works. Many providers need an app password instead of that of the account.</p>
<form class="trial" method="post" action="${MAILBOXES_PATH}">${formTokenField(formToken)}
<label for="name">Name</label>
<input ${form.attributes('name')} value="${value('name')}" maxlength="${MAX_MAILBOX_NAME}" required autocomplete="off">${form.problem('name')}
<label for="host">IMAP server</label>
<input ${form.attributes('host')} value="${value('host')}" maxlength="253" required autocomplete="off" spellcheck="false" placeholder="imap.example.org">${form.problem('host')}
<label for="security">Encryption</label>
<select ${form.attributes('security')}>${options(securityChoices, value('security'))}</select>${form.problem('security')}
<label for="port">Port; empty for the usual one</label>
<input ${form.attributes('port')} value="${value('port')}" maxlength="5" inputmode="numeric" autocomplete="off">${form.problem('port')}
<label for="user">User name</label>
<input ${form.attributes('user')} value="${value('user')}" maxlength="${MAX_USER}" required autocomplete="off" spellcheck="false">${form.problem('user')}
<label for="secret">Password, the secret of an OAuth client, or the JSON key of a Google service account</label>
<input ${form.attributes('secret')} type="password" maxlength="${MAX_KEY}" required autocomplete="new-password">${form.problem('secret')}
<details class="fold"${value('tokenUrl') === '' ? '' : html` open`}><summary>Sign in with OAuth (Microsoft 365)</summary>
<label for="token-url">Token URL; empty to sign in with the password</label>
<input ${form.attributes('tokenUrl')} value="${value('tokenUrl')}" type="url" maxlength="${MAX_URL}" autocomplete="off" spellcheck="false" placeholder="https://login.microsoftonline.com/example.org/oauth2/v2.0/token">${form.problem('tokenUrl')}
<label for="client-id">Client ID</label>
<input ${form.attributes('clientId')} value="${value('clientId')}" maxlength="${MAX_USER}" autocomplete="off" spellcheck="false">${form.problem('clientId')}
<label for="scope">Scope</label>
<input ${form.attributes('scope')} value="${value('scope')}" maxlength="${MAX_URL}" autocomplete="off" spellcheck="false" placeholder="https://outlook.office365.com/.default">${form.problem('scope')}
</details>
<label for="folder">Folder with the reports</label>
<input ${form.attributes('folder')} value="${value('folder')}" maxlength="${MAX_FOLDER}" required autocomplete="off">${form.problem('folder')}
<label for="after">When the reports of a mail are stored</label>
<select ${form.attributes('after')}>${options(afterChoices, value('after'))}</select>${form.problem('after')}
<label for="move-to">Folder to move it to; empty unless it is moved</label>
<input ${form.attributes('moveTo')} value="${value('moveTo')}" maxlength="${MAX_FOLDER}" autocomplete="off">${form.problem('moveTo')}
<label for="every">Minutes between two readings</label>
<input ${form.attributes('everyMinutes')} value="${value('everyMinutes')}" maxlength="4" inputmode="numeric" required autocomplete="off">${form.problem('everyMinutes')}
<button data-busy="Signing in…">Add mailbox</button></form></section>`;
}
