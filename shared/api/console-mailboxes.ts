/** Requests of the pages of mailboxes of the console. What fields contain is checked as in a request of the API. */
import * as z from 'zod/mini';
import type { SignIn } from '../mailboxes/mailbox.ts';
import { MAX_REFRESH_TOKEN } from '../network/token-port.ts';
import { oneOf } from '../protocol/schema.ts';
import { chosen, formToken, text } from './console.ts';
import { MAX_KEY, MAX_URL, MAX_USER, signInAgain, signInBy } from './mailbox-sign-in.ts';
import { MAX_FOLDER, MAX_MAILBOX_NAME, mailboxPath } from './mailboxes.ts';

/** Providers whose mailboxes need no more than what people know of them. */
export const mailboxProviders = [
  'microsoft-365',
  'microsoft-365-imap',
  'google-workspace',
  'google-oauth',
  'gmail',
  'fastmail',
  'imap',
] as const;

export type MailboxProvider = (typeof mailboxProviders)[number];

export const mailboxesQuery = z.object({
  provider: z.optional(oneOf(mailboxProviders)),
});

const reading = {
  folder: text(MAX_FOLDER),
  after: text(20),
  /** Empty if mails are not moved. */
  moveTo: text(MAX_FOLDER),
  everyMinutes: z.string('is required').check(
    z.trim(),
    z.refine((given) => isMinutes(given), 'must be a whole number from 5 to 1440'),
  ),
};

const isMinutes = (given: string): boolean =>
  /^\d{1,4}$/.test(given) && Number(given) >= 5 && Number(given) <= 1_440;

/** What signs in. What is empty is not given. */
const secrets = {
  /** The password, the secret of a client, or the JSON key of a service account of Google. */
  secret: text(MAX_KEY),
  refreshToken: text(MAX_REFRESH_TOKEN),
};

export const addMailboxForm = z.object({
  formToken,
  provider: oneOf(mailboxProviders),
  name: text(MAX_MAILBOX_NAME),
  host: text(253),
  security: text(20),
  /** Empty for the usual one. */
  port: text(5),
  user: text(MAX_USER),
  ...secrets,
  /** Of Microsoft 365: the ID or a domain of the tenant. */
  tenant: text(MAX_USER),
  tokenUrl: text(MAX_URL),
  clientId: text(MAX_USER),
  scope: text(MAX_URL),
  ...reading,
});

type AddMailboxForm = z.output<typeof addMailboxForm>;

/** What a request of the API would contain in place of the form, so that both are checked alike. */
export function mailboxBodyOf(form: AddMailboxForm): Record<string, unknown> {
  return { name: form.name, user: form.user, ...sourceOf[form.provider](form), ...readingOf(form) };
}

const microsoftToken = (tenant: string) =>
  `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;

/** As the application, or with a refresh token as the user who signed in. */
const microsoftClient = (form: AddMailboxForm, host: string) => {
  const { secret, clientId, tenant, refreshToken } = form;
  const client = { tokenUrl: microsoftToken(tenant), clientId, refreshToken };
  return signInBy(secret, refreshToken === '' ? { ...client, scope: `https://${host}/.default` } : client);
};

/** "Using OAuth 2.0 for Web Server Applications" of Google. */
const GOOGLE_TOKEN = 'https://oauth2.googleapis.com/token';

const withPassword =
  (host: string) =>
  ({ secret: password }: AddMailboxForm) => ({
    source: 'imap',
    host,
    signIn: { kind: 'password', password },
  });

/** What each provider says in place of the user. */
const sourceOf: Readonly<Record<MailboxProvider, (form: AddMailboxForm) => object>> = {
  'microsoft-365': (form) => ({
    source: 'graph',
    signIn: microsoftClient(form, 'graph.microsoft.com'),
  }),
  'microsoft-365-imap': (form) => ({
    source: 'imap',
    host: 'outlook.office365.com',
    signIn: microsoftClient(form, 'outlook.office365.com'),
  }),
  'google-workspace': ({ secret: serviceAccountKey }) => ({
    source: 'gmail',
    signIn: { kind: 'google-service-account', serviceAccountKey },
  }),
  'google-oauth': ({ secret, clientId, refreshToken }) => ({
    source: 'gmail',
    signIn: signInBy(secret, { tokenUrl: GOOGLE_TOKEN, clientId, refreshToken }),
  }),
  gmail: withPassword('imap.gmail.com'),
  fastmail: withPassword('imap.fastmail.com'),
  imap: ({ host, port, security, secret, ...client }) => ({
    ...{ source: 'imap', host },
    ...(security !== '' && { security }),
    ...(port !== '' && { port: Number(port) }),
    signIn: signInBy(secret, client),
  }),
};

const readingOf = ({
  folder,
  after,
  moveTo,
  everyMinutes,
}: Pick<z.output<typeof changeMailboxForm>, keyof typeof reading>) => ({
  ...{ folder, after, everySeconds: Number(everyMinutes) * 60 },
  ...(moveTo !== '' && { moveTo }),
});

/** `again`: read all mails of the folder again. */
export const runMailboxForm = z.object({
  formToken,
  id: mailboxPath.shape.id,
  again: chosen,
});

export const removeMailboxForm = z.object({ formToken, id: mailboxPath.shape.id });

/** A button that pauses or resumes, or the form with everything else. */
export const changeMailboxForm = z.object({
  formToken,
  paused: z.optional(oneOf(['yes', 'no'])),
  name: text(MAX_MAILBOX_NAME),
  ...secrets,
  ...reading,
  /** A button has none. */
  everyMinutes: z.optional(reading.everyMinutes),
});

/**
 * What a request of the API would contain in place of the form.
 * @param signedIn How the service signs in until now: a new secret is for the same.
 */
export function mailboxChangeOf(
  { paused, name, secret, refreshToken, ...form }: z.output<typeof changeMailboxForm>,
  signedIn: SignIn,
): Record<string, unknown> {
  if (paused !== undefined) return { paused: paused === 'yes' };
  const isNew = secret !== '' || refreshToken !== '';
  return {
    ...{ name, moveTo: null, ...readingOf(form) },
    ...(isNew && { signIn: signInAgain(signedIn, { secret, refreshToken }) }),
  };
}
