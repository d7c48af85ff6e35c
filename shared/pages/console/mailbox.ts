/** One mailbox from which reports are fetched: how it is read, changed, paused and removed. */
import { html, type Markup, untrustedText } from '../markup.ts';
import { formState } from './form-fields.ts';
import { consoleDocument, formTokenField, readOnlyNote, type Visit, type Visitor } from './layout.ts';
import { nameField, readingFields, refreshTokenField, secretField } from './mailbox-form.ts';
import { MAILBOXES_PATH, mailboxFacts, mailboxPagePath, type ShownMailbox, stateTag } from './mailboxes.ts';

interface MailboxView extends Visitor {
  readonly mailbox: ShownMailbox;
}

export function mailboxPage({ mailbox, canWrite, formToken, flash }: MailboxView): string {
  const { name } = mailbox;
  return consoleDocument({
    title: `${name}: mailbox`,
    description: 'A mailbox from which reports are fetched',
    formToken,
    flash,
    current: MAILBOXES_PATH,
    main: html`<article class="of-domain"><header><p><a href="${MAILBOXES_PATH}">Mailboxes</a></p><div class="head"><h1>${untrustedText(name)}</h1>${stateTag(mailbox)}</div>
${mailboxFacts(mailbox)}
${readOnlyNote(canWrite)}</header>
${canWrite ? html`${changeSection(mailbox, { formToken, flash })}${endSection(mailbox, formToken)}` : ''}</article>`,
  });
}

function changeSection(mailbox: ShownMailbox, { formToken, flash }: Visit): Markup {
  const { id, name, folder, after, moveTo, everySeconds, signIn } = mailbox;
  const form = formState('changeMailboxInConsole', flash, {
    ...{ name, folder, after, moveTo: moveTo ?? '', everyMinutes: String(Math.round(everySeconds / 60)) },
  });
  const secret =
    signIn.kind === 'oauth2-refresh-token'
      ? html`${refreshTokenField(form, 'New refresh token; empty to keep the one that works')}${secretField(form, 'Secret of the client, with a new refresh token, if it has one', false)}`
      : secretField(form, `New ${secretNames[signIn.kind]}; empty to keep the one that works`, false);
  return html`<section aria-labelledby="change"><h2 id="change">Change</h2>
<p class="soft">Another folder is read from its beginning, and nothing counts twice.</p>
<form class="trial" method="post" action="${mailboxPagePath(id)}">${formTokenField(formToken)}
${nameField(form)}${secret}${readingFields(form, 'Folder with the reports')}<button data-busy="Saving…">Save</button></form></section>
`;
}

const secretNames = {
  password: 'password',
  'oauth2-client-credentials': 'secret of the client',
  'google-service-account': 'JSON key of the service account',
} as const;

const endSection = ({ id, state }: ShownMailbox, formToken: string): Markup =>
  html`<section aria-labelledby="end"><h2 id="end">Pause or remove</h2>
<p class="soft">Reports that were fetched stay. Nothing changes in the mailbox itself.</p>
<div class="actions"><form method="post" action="${mailboxPagePath(id)}">${formTokenField(formToken)}<input type="hidden" name="paused" value="${state === 'paused' ? 'no' : 'yes'}"><button class="small" data-busy="Saving…">${state === 'paused' ? 'Read it again' : 'Pause'}</button></form><form method="post" action="${MAILBOXES_PATH}/remove">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><button class="small" data-busy="Removing…">Remove</button></form></div></section>`;
