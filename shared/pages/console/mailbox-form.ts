/** The fields of the forms that add and change mailboxes. */
import type { MailboxProvider } from '../../api/console-mailboxes.ts';
import { MAX_KEY, MAX_URL, MAX_USER } from '../../api/mailbox-sign-in.ts';
import { MAX_FOLDER, MAX_MAILBOX_NAME } from '../../api/mailboxes.ts';
import { afterwards } from '../../mailboxes/mailbox.ts';
import { securities } from '../../network/imap-port.ts';
import { MAX_REFRESH_TOKEN } from '../../network/token-port.ts';
import { html, type Markup } from '../markup.ts';
import type { Choice } from '../select.ts';
import { type FormState, labelled, selectField } from './form-fields.ts';

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

interface Input {
  readonly most: number;
  readonly type?: 'password' | 'url' | 'email';
  readonly required?: boolean;
  readonly placeholder?: string;
}

/** A field with its label; a secret is never filled in. */
function input(
  form: FormState,
  name: string,
  label: string,
  { most, type, required, placeholder }: Input,
): Markup {
  const value = type === 'password' ? '' : html` value="${form.value(name)}"`;
  const complete = type === 'password' ? 'new-password' : 'off';
  const element = html`<input ${form.attributes(name)}${value}${type === undefined ? '' : html` type="${type}"`} maxlength="${most}"${required === true ? html` required` : ''} autocomplete="${complete}" autocapitalize="none" spellcheck="false"${placeholder === undefined ? '' : html` placeholder="${placeholder}"`}>`;
  return labelled(form, name, label, element);
}

export const nameField = (form: FormState): Markup =>
  input(form, 'name', 'Name', { most: MAX_MAILBOX_NAME, required: true });

/** Where the reports are, and what happens to their mails. */
export const readingFields = (form: FormState, folder: string): Markup =>
  html`${input(form, 'folder', folder, { most: MAX_FOLDER, required: true })}${selectField(form, 'after', 'When the reports of a mail are stored', afterChoices)}${input(form, 'moveTo', 'Folder to move it to; empty unless it is moved', { most: MAX_FOLDER })}${input(form, 'everyMinutes', 'Minutes between two readings', { most: 4, required: true })}`;

export const secretField = (form: FormState, label: string, required = true): Markup =>
  input(form, 'secret', label, { most: MAX_KEY, type: 'password', required });

export const refreshTokenField = (form: FormState, label: string): Markup =>
  input(form, 'refreshToken', label, { most: MAX_REFRESH_TOKEN, type: 'password' });

const address = (form: FormState, label: string): Markup =>
  input(form, 'user', label, { most: MAX_USER, required: true, placeholder: 'dmarc@example.org' });

const microsoftFields = (form: FormState): Markup =>
  html`${address(form, 'Address of the mailbox')}${input(form, 'tenant', 'Directory (tenant) ID', { most: MAX_USER, required: true })}${input(form, 'clientId', 'Application (client) ID', { most: MAX_USER, required: true })}${secretField(form, 'Client secret: its value', false)}<details class="fold"><summary>Sign in as one user instead</summary>
${refreshTokenField(form, 'Refresh token of the user, which then needs no permission of the application')}</details>
`;

/** What the form of each provider says and asks for, besides the folder. */
export const providerForms: Readonly<
  Record<
    MailboxProvider,
    {
      readonly name: string;
      /** What to prepare; the guide has each step. */
      readonly before: string;
      readonly folder: string;
      readonly fields: (form: FormState) => Markup;
    }
  >
> = {
  'microsoft-365': {
    name: 'Microsoft 365',
    before:
      'An administrator registers an application, and gives it the role Application Mail.ReadWrite in Exchange Online for this mailbox only, or Application Mail.Read to keep mails as they are. IMAP can be off.',
    folder: 'Folder with the reports',
    fields: microsoftFields,
  },
  'microsoft-365-imap': {
    name: 'Microsoft 365 over IMAP',
    before:
      'An administrator registers an application with the permission IMAP.AccessAsApp, and gives it access to this mailbox in Exchange Online.',
    folder: 'Folder with the reports',
    fields: microsoftFields,
  },
  'google-workspace': {
    name: 'Google Workspace',
    before:
      'An administrator makes a service account, enables the Gmail API, and delegates the scope gmail.modify to it, or gmail.readonly to keep mails as they are. Such a delegation reaches every mailbox of the Workspace.',
    folder: 'Label with the reports',
    fields: (form) =>
      html`${address(form, 'Address of the mailbox')}${secretField(form, 'JSON key of the service account: the content of the file')}`,
  },
  'google-oauth': {
    name: 'Google, signed in as one user',
    before:
      'Register an OAuth client with the Gmail API, and let the user sign in once with the scope gmail.modify, or gmail.readonly to keep mails as they are.',
    folder: 'Label with the reports',
    fields: (form) =>
      html`${address(form, 'Address of the user')}${input(form, 'clientId', 'Client ID', { most: MAX_USER, required: true })}${secretField(form, 'Client secret', false)}${refreshTokenField(form, 'Refresh token')}`,
  },
  gmail: {
    name: 'Gmail',
    before: 'With an app password, over IMAP: turn on 2-Step Verification, and create one.',
    folder: 'Label with the reports',
    fields: (form) => html`${address(form, 'Address')}${secretField(form, 'App password, without spaces')}`,
  },
  fastmail: {
    name: 'Fastmail',
    before: 'Create an app password with access to mail (IMAP).',
    folder: 'Folder with the reports',
    fields: (form) => html`${address(form, 'Address')}${secretField(form, 'App password')}`,
  },
  imap: {
    name: 'Another server with IMAP',
    before: 'Many providers need an app password instead of that of the account.',
    folder: 'Folder with the reports',
    fields: (form) =>
      html`${input(form, 'host', 'IMAP server', { most: 253, required: true, placeholder: 'imap.example.org' })}${selectField(form, 'security', 'Encryption', securityChoices)}${input(form, 'port', 'Port; empty for the usual one', { most: 5 })}${input(form, 'user', 'User name', { most: MAX_USER, required: true })}${secretField(form, 'Password, the secret of an OAuth client, or the JSON key of a Google service account', false)}<details class="fold"${form.value('tokenUrl') === '' ? '' : html` open`}><summary>Sign in with OAuth</summary>
${input(form, 'tokenUrl', 'Token URL; empty to sign in with the password', { most: MAX_URL, type: 'url', placeholder: 'https://login.example.org/token' })}${input(form, 'clientId', 'Client ID', { most: MAX_USER })}${input(form, 'scope', 'Scope', { most: MAX_URL })}${refreshTokenField(form, 'Refresh token of the user; empty to sign in as the client')}</details>
`,
  },
};
