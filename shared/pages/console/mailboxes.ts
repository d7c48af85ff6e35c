/** The mailboxes from which reports are fetched, and a form that adds one. */
import type * as z from 'zod/mini';
import { type MailboxProvider, mailboxProviders } from '../../api/console-mailboxes.ts';
import { type mailbox, mailboxDefaults } from '../../api/mailboxes.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import { eventTime, html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { fitting, more } from '../room.ts';
import { nothingYet } from './domain/frame.ts';
import { formState } from './form-fields.ts';
import {
  CONSOLE_ROOM,
  consoleDocument,
  formTokenField,
  readOnlyNote,
  type Visit,
  type Visitor,
} from './layout.ts';
import { nameField, providerForms, readingFields } from './mailbox-form.ts';

export const MAILBOXES_PATH = '/console/mailboxes';

export const mailboxPagePath = (id: string): string => `${MAILBOXES_PATH}/${id}`;

export type ShownMailbox = z.output<typeof mailbox>;

interface MailboxesView extends Visitor {
  readonly mailboxes: readonly ShownMailbox[];
  /** Whose form is shown. */
  readonly provider: MailboxProvider | undefined;
}

/** What the form has before it is sent. */
const fresh = {
  security: mailboxDefaults.security,
  folder: mailboxDefaults.folder,
  after: mailboxDefaults.after,
  everyMinutes: String(mailboxDefaults.everySeconds / 60),
};

export function mailboxesPage({ mailboxes, provider, canWrite, formToken, flash }: MailboxesView): string {
  const { shown, omitted } = fitting(mailboxes, CONSOLE_ROOM, (one) => mailboxCard(one, canWrite, formToken));
  return consoleDocument({
    title: 'Mailboxes',
    description: 'Mailboxes from which reports are fetched',
    formToken,
    flash,
    current: MAILBOXES_PATH,
    main: html`<article class="of-domain"><header><h1>Mailboxes</h1>
<p class="soft">The service fetches DMARC and TLS reports about your domains from mailboxes that you have. Other mail there is left alone.</p>
${readOnlyNote(canWrite)}</header>
${mailboxes.length === 0 ? nothingYet('No mailboxes yet', html`Reports that your DNS records send to the report address of a domain here arrive without one.`) : html`<ul class="cards">${shown}</ul>${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}`}
${canWrite ? addSection(provider, { formToken, flash }) : ''}</article>`,
  });
}

function mailboxCard(one: ShownMailbox, canWrite: boolean, formToken: string): Markup {
  const { id, name } = one;
  return html`<li class="card" id="${id}"><div class="head"><h2><a href="${mailboxPagePath(id)}">${untrustedText(name)}</a></h2>${stateTag(one)}</div>
${mailboxFacts(one)}
${canWrite ? html`<div class="actions"><form method="post" action="${MAILBOXES_PATH}/run">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><label class="choice"><input type="checkbox" name="again" value="on"> all mails again</label> <button class="small" data-busy="Requesting…">Read now</button></form><a class="button small" href="${mailboxPagePath(id)}">Change</a></div>` : ''}</li>`;
}

const stateNames = { ok: 'working', failing: 'failing', paused: 'paused' } as const;

export const stateTag = ({ state, lastRunAt }: ShownMailbox): Markup =>
  html`<span class="tag">${state === 'ok' && lastRunAt === null ? 'waiting' : stateNames[state]}</span>`;

/** What it reads, and how that went. */
export function mailboxFacts(one: ShownMailbox): Markup {
  const { user, folder, after, moveTo, everySeconds, lastRunAt, lastError, read, accepted, remaining } = one;
  const then = after === 'move' ? html`moves it to ${untrustedText(moveTo ?? '')}` : afterTexts[after];
  return html`<p class="soft">${untrustedText(user)} at ${serverOf(one)}, folder ${untrustedText(folder)}, every ${pluralize(Math.round(everySeconds / 60), 'minute')}. When the reports of a mail are stored, the service ${then}.</p>
${lastError === null ? '' : html`<p role="alert"><strong>${visibleStart(lastError.message, 300)}.</strong> ${lastError.fix}</p>`}
<dl class="inline"><div><dt>Last read</dt><dd>${lastRunAt === null ? 'not yet' : eventTime(lastRunAt)}</dd></div><div><dt>Mails read</dt><dd>${formatNumber(read)}</dd></div><div><dt>Reports stored</dt><dd>${formatNumber(accepted)}</dd></div>${remaining === 0 ? '' : html`<div><dt>Left for the next time</dt><dd>${pluralize(remaining, 'mail')}</dd></div>`}</dl>`;
}

const serverNames = { graph: 'Microsoft 365', gmail: 'Google' } as const;

const serverOf = ({ source, host, port }: ShownMailbox): string =>
  source === 'imap' ? `${host}:${port}` : serverNames[source];

const afterTexts = {
  keep: 'leaves it as it is',
  'mark-read': 'marks it as read',
  delete: 'deletes it',
} as const;

function addSection(given: MailboxProvider | undefined, { formToken, flash }: Visit): Markup {
  const form = formState('addMailboxInConsole', flash, fresh);
  const typed = mailboxProviders.find((one) => one === form.value('provider'));
  const provider = typed ?? given;
  const link = (one: MailboxProvider) =>
    html`<li><a href="${MAILBOXES_PATH}?provider=${one}#add"${one === provider ? html` aria-current="true"` : ''}>${providerForms[one].name}</a></li>`;
  return html`<section aria-labelledby="add"><h2 id="add">Add a mailbox</h2>
<p class="soft">Where is it? The service signs in first, and adds the mailbox if that works.</p>
<ul class="key">${mailboxProviders.map(link)}</ul>
${provider === undefined ? '' : addForm(provider, form, formToken)}</section>`;
}

function addForm(provider: MailboxProvider, form: ReturnType<typeof formState>, formToken: string): Markup {
  const { name, before, folder, fields } = providerForms[provider];
  return html`<h3>${name}</h3>
<p>${before}</p>
<form class="trial" method="post" action="${MAILBOXES_PATH}">${formTokenField(formToken)}<input type="hidden" name="provider" value="${provider}">
${nameField(form)}${fields(form)}${readingFields(form, folder)}<button data-busy="Signing in…">Add mailbox</button></form>`;
}
