/** Requests and responses of the endpoints of mailboxes from which reports are fetched. */
import * as z from 'zod/mini';
import {
  afterwards,
  googleScope,
  type MailboxSettings,
  type SignIn,
  signInsOf,
  sources,
} from '../mailboxes/mailbox.ts';
import { explain, problemCodes } from '../mailboxes/problem.ts';
import { reachStatuses } from '../mailboxes/reach.ts';
import { securities } from '../network/imap-port.ts';
import { isHostName } from '../protocol/host-name.ts';
import { parseIp } from '../protocol/ip.ts';
import { oneLine } from '../protocol/one-line.ts';
import { count, described, oneOf, text, timestamp, uuid, wholeNumberFrom } from '../protocol/schema.ts';
import type { Mailbox } from '../store/fetched-mailboxes.ts';
import { idPath, missing } from './common.ts';
import { jsonObject } from './json-object.ts';
import { MAX_USER, signInInput, signInKind } from './mailbox-sign-in.ts';

/** What holds for a mailbox unless a request says something else. */
export const mailboxDefaults = {
  security: 'tls',
  ports: { tls: 993, starttls: 143 },
  folder: 'INBOX',
  after: 'keep',
  everySeconds: 900,
} as const;

export const MAX_FOLDER = 250;
export const MAX_MAILBOX_NAME = 100;
const SHORTEST_SECONDS = 300;
const LONGEST_SECONDS = 86_400;
const MAX_PORT = 65_535;

const name = described(oneLine(MAX_MAILBOX_NAME), 'What you call it', 'Reports of all domains');

const host = described(
  z.string('must be a string').check(
    z.toLowerCase(),
    z.refine(
      (given) => isHostName(given) || parseIp(given) !== undefined,
      'must be a host name or an IP address',
    ),
  ),
  'With `imap`: the server; its certificate must be for this name',
  'imap.example.org',
);

export const mailboxSource = described(
  oneOf(sources),
  '`imap`: a server with IMAP. `graph`: Microsoft 365, over Microsoft Graph. `gmail`: Google, over the Gmail API',
  'imap',
);

const port = described(
  wholeNumberFrom(1, MAX_PORT),
  'With `imap`: the port of the server. Default: 993 with `tls`, 143 with `starttls`',
  993,
);

export const mailboxSecurity = described(
  oneOf(securities),
  'With `imap`. `tls`: TLS from the start, the default. `starttls`: TLS by the command STARTTLS, before anything else is sent',
  'tls',
);

const user = described(
  oneLine(MAX_USER),
  'The user name; with `graph` the address of the mailbox, and with `gmail` that of the user who signs in',
  'reports@example.org',
);

const folder = described(
  oneLine(MAX_FOLDER),
  'The folder with the reports, or the label. Upper and lower case are the same; `/` separates the parts of a name',
  'INBOX',
);

export const afterStoring = described(
  oneOf(afterwards),
  'What happens to a mail after its reports are stored. `keep`: nothing. `mark-read`: it is marked as read. `move`: it is moved to the folder `moveTo`. `delete`: it is deleted. Other mails in the folder are never changed',
  'mark-read',
);

const moveTo = described(
  oneLine(MAX_FOLDER),
  'The folder to which mails are moved; it is made if it does not exist',
  'Reports/Done',
);

const everySeconds = described(
  wholeNumberFrom(SHORTEST_SECONDS, LONGEST_SECONDS),
  'How often the mailbox is read, in seconds. Default: 900',
  900,
);

export const mailboxBody = jsonObject({
  name,
  source: z._default(mailboxSource, 'imap'),
  host: z.optional(host),
  port: z.optional(port),
  security: z.optional(mailboxSecurity),
  user,
  signIn: signInInput,
  folder: z._default(folder, mailboxDefaults.folder),
  after: z._default(afterStoring, mailboxDefaults.after),
  moveTo: z.optional(moveTo),
  everySeconds: z._default(everySeconds, mailboxDefaults.everySeconds),
}).check((context) => {
  const { source, host, port, security } = context.value;
  const wrong = (path: string, message: string) =>
    context.issues.push({ code: 'custom', path: path.split('.'), message, input: context.value });
  if (source === 'imap' && host === undefined) wrong('host', 'is required with the source imap');
  for (const [name, value] of Object.entries({ host, port, security }))
    if (source !== 'imap' && value !== undefined) wrong(name, `is not of the source ${source}`);
  for (const { path, message } of problemsOf(context.value)) wrong(path, message);
});

/** What is wrong with settings that do not fit each other, by their path in a request. */
export function problemsOf({
  source,
  signIn: { kind },
  after,
  moveTo = null,
  folder,
}: Pick<MailboxSettings, 'source' | 'after' | 'folder'> & {
  readonly signIn: Pick<SignIn, 'kind'>;
  readonly moveTo?: string | null | undefined;
}): { readonly path: string; readonly message: string }[] {
  const kinds: readonly SignIn['kind'][] = signInsOf[source];
  const signIns = `must be ${kinds.join(' or ')} with the source ${source}`;
  const moves =
    (after === 'move') !== (moveTo !== null)
      ? ['is required with the value move of after, and only then']
      : moveTo?.toLowerCase() === folder.toLowerCase()
        ? ['must be another folder']
        : [];
  return [
    ...(kinds.includes(kind) ? [] : [{ path: 'signIn.kind', message: signIns }]),
    ...moves.map((message) => ({ path: 'moveTo', message })),
  ];
}

export const updateMailboxBody = jsonObject({
  name: z.optional(name),
  signIn: z.optional(signInInput),
  folder: z.optional(folder),
  after: z.optional(afterStoring),
  moveTo: z.optional(z.nullable(moveTo)),
  everySeconds: z.optional(everySeconds),
  paused: z.optional(
    described(
      z.boolean('must be true or false'),
      'Whether the mailbox is not read until this is `false`',
      true,
    ),
  ),
});

/** The settings of a mailbox that is added. */
export function settingsOf(body: z.output<typeof mailboxBody>, signIn: SignIn): MailboxSettings {
  const { source, host = '', port, security = mailboxDefaults.security, moveTo = null, ...given } = body;
  const common = { ...given, moveTo, signIn };
  return source === 'imap'
    ? { ...common, source, host, security, port: port ?? mailboxDefaults.ports[security] }
    : { ...common, source };
}

export const mailboxPath = idPath(missing.mailbox);

export const runBody = jsonObject({
  again: described(
    z._default(z.boolean('must be true or false'), false),
    'Reads all mails of the folder again, for example after more domains were registered. What is stored already does not count twice',
  ),
});

export const mailboxProblemCode = described(
  z.enum(problemCodes),
  'What failed; `internal`: the service itself',
  'sign-in-refused',
);

export const mailboxProblem = z.object({
  code: mailboxProblemCode,
  message: described(text, 'What failed, or what the server said', 'Invalid credentials'),
  fix: described(text, 'What to do, in sentences', 'Check the user name and the password.'),
});

export const mailboxState = described(
  z.enum(['ok', 'failing', 'paused']),
  '`failing`: the last run failed. `paused`: it is not read, because its owner does not want it to be',
  'ok',
);

export const shownSignIn = z.object({
  kind: signInKind,
  tokenUrl: described(z.nullable(text), 'The token endpoint; `null` with a password', null),
  clientId: described(z.nullable(text), 'The ID of the client; `null` with a password', null),
  scope: described(z.nullable(text), 'The scope of the token; `null` with a password', null),
});

export const mailbox = z.object({
  id: uuid,
  ...{ name, source: mailboxSource },
  host: described(z.nullable(text), 'The server; `null` for an API', 'imap.example.org'),
  port: described(z.nullable(z.int()), 'The port of the server; `null` for an API', 993),
  security: z.nullable(mailboxSecurity),
  user,
  signIn: described(shownSignIn, 'How the service signs in', {
    kind: 'password',
    tokenUrl: null,
    clientId: null,
    scope: null,
  }),
  ...{ folder, after: afterStoring },
  moveTo: described(z.nullable(text), 'The folder to which mails are moved; `null` if they are not', null),
  everySeconds,
  createdAt: described(timestamp, 'When it was added; reports that arrived before raise no alerts'),
  state: mailboxState,
  lastRunAt: described(z.nullable(timestamp), 'When the last run ended; `null` before the first one'),
  nextRunAt: described(
    z.nullable(timestamp),
    'When it is read next, at the earliest; `null` while it is paused',
  ),
  lastError: described(z.nullable(mailboxProblem), 'Why the last run failed; `null` if it did not'),
  read: described(count, 'How many mails were read', 120),
  accepted: described(count, 'How many reports were stored of them', 118),
  remaining: described(
    count,
    'How many mails the last run left for the next one; for an API, at least 1 if there are more',
    0,
  ),
});

/** A mailbox in a response, without what signs in to it. */
export const showMailbox = (stored: Mailbox): z.output<typeof mailbox> => {
  const { id, name, user, signIn, folder, after, moveTo, everySeconds, paused } = stored;
  const { createdAt, lastRunAt, lastError, gsi1sk, read, accepted, remaining } = stored;
  return {
    ...{ id, name, ...serverOf(stored), user },
    signIn: {
      ...{ tokenUrl: null, clientId: null, scope: null, ...signIn },
      ...(signIn.kind === 'google-service-account' && { scope: googleScope(stored) }),
    },
    ...{ folder, after, moveTo, everySeconds, createdAt },
    state: paused ? 'paused' : lastError === null ? 'ok' : 'failing',
    ...{ lastRunAt, nextRunAt: paused ? null : gsi1sk, lastError: lastError && explain(lastError) },
    ...{ read, accepted, remaining },
  };
};

const serverOf = (settings: MailboxSettings) => {
  const { source } = settings;
  if (source !== 'imap') return { source, host: null, port: null, security: null };
  const { host, port, security } = settings;
  return { source, host, port, security };
};

export const mailboxReachStatus = described(
  z.enum(reachStatuses),
  '`this-mailbox`: nothing says that it opens others. `further`: it opens others, too. `unknown`: nobody tried',
  'this-mailbox',
);

export const mailboxReach = z.object({
  status: mailboxReachStatus,
  message: described(text, 'What is known', 'The password opens this account'),
  fix: described(z.nullable(text), 'How to limit it, or how to find out', null),
});

export const mailboxTest = z.object({
  messages: described(
    z.nullable(count),
    'How many mails are in the folder; `null` if it could not be opened',
    120,
  ),
  error: described(z.nullable(mailboxProblem), 'Why it could not be opened; `null` if it was'),
  reach: described(
    z.nullable(mailboxReach),
    'What the permission opens; `null` if the folder could not be opened',
  ),
});

export const mailboxTestQuery = z.object({
  other: z.optional(
    described(
      oneLine(MAX_USER),
      'The user name of another mailbox, to try whether the permission of an application opens it, too',
      'person@example.org',
    ),
  ),
});
