/** Requests and responses of the endpoints of mailboxes from which reports are fetched. */
import { createPrivateKey } from 'node:crypto';
import * as z from 'zod/mini';
import { afterwards, type SignIn, signInKinds } from '../mailboxes/mailbox.ts';
import { explain, problemCodes } from '../mailboxes/problem.ts';
import { securities } from '../network/imap-port.ts';
import { isHostName } from '../protocol/host-name.ts';
import { parseIp } from '../protocol/ip.ts';
import { count, described, text, timestamp, uuid } from '../protocol/schema.ts';
import type { Mailbox } from '../store/fetched-mailboxes.ts';
import { idPath, missing, oneLine } from './common.ts';

/** What holds for a mailbox unless a request says something else. */
export const mailboxDefaults = {
  security: 'tls',
  ports: { tls: 993, starttls: 143 },
  folder: 'INBOX',
  after: 'keep',
  everySeconds: 900,
} as const;

export const MAX_FOLDER = 250;
export const MAX_USER = 320;
export const MAX_SECRET = 1_000;
export const MAX_URL = 2_048;
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
  'The IMAP server; its certificate must be for this name',
  'imap.example.org',
);

const port = described(
  z
    .int(`must be a whole number from 1 to ${MAX_PORT}`)
    .check(
      z.minimum(1, `must be a whole number from 1 to ${MAX_PORT}`),
      z.maximum(MAX_PORT, `must be a whole number from 1 to ${MAX_PORT}`),
    ),
  'The port of the server. Default: 993 with `tls`, 143 with `starttls`',
  993,
);

export const mailboxSecurity = described(
  z.enum(securities, `must be one of ${securities.join(', ')}`),
  '`tls`: TLS from the start. `starttls`: TLS by the command STARTTLS, before anything else is sent',
  'tls',
);

const user = described(oneLine(MAX_USER), 'The user name', 'reports@example.org');

const folder = described(
  oneLine(MAX_FOLDER),
  'The folder with the reports. Upper and lower case are the same; `/` separates the parts of a name',
  'INBOX',
);

export const afterStoring = described(
  z.enum(afterwards, `must be one of ${afterwards.join(', ')}`),
  'What happens to a mail after its reports are stored. `keep`: nothing. `mark-read`: it is marked as read. `move`: it is moved to the folder `moveTo`. `delete`: it is deleted. Other mails in the folder are never changed',
  'mark-read',
);

const moveTo = described(
  oneLine(MAX_FOLDER),
  'The folder to which mails are moved; it is made if it does not exist',
  'Reports/Done',
);

const everySeconds = described(
  z
    .int(`must be a whole number from ${SHORTEST_SECONDS} to ${LONGEST_SECONDS}`)
    .check(
      z.minimum(SHORTEST_SECONDS, `must be a whole number from ${SHORTEST_SECONDS} to ${LONGEST_SECONDS}`),
      z.maximum(LONGEST_SECONDS, `must be a whole number from ${SHORTEST_SECONDS} to ${LONGEST_SECONDS}`),
    ),
  'How often the mailbox is read, in seconds. Default: 900',
  900,
);

export const signInKind = described(
  z.enum(signInKinds, `must be one of ${signInKinds.join(', ')}`),
  'How the service signs in. `password`: with a password. `oauth2-client-credentials`: with an access token that it gets with the ID and secret of a client (RFC 6749 section 4.4), as Microsoft 365 requires. `google-service-account`: with an access token that a service account of Google gets for the user',
  'password',
);

/** What signs in. */
const secretText = (description: string, example: string) =>
  described(
    z.string('must be a string').check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(MAX_SECRET, `must not be longer than ${MAX_SECRET} characters`),
      z.refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters'),
    ),
    `${description}. It is stored encrypted, and no response contains it`,
    example,
  );

const tokenUrl = described(
  z
    .string('must be a string')
    .check(
      z.maxLength(MAX_URL, `must not be longer than ${MAX_URL} characters`),
      z.refine(isTokenUrl, 'must be an https URL without credentials'),
    ),
  'The token endpoint of the authorization server, an https URL',
  'https://login.microsoftonline.com/example.org/oauth2/v2.0/token',
);

const clientId = described(oneLine(MAX_USER), 'The ID of the client', '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11');

const scope = described(oneLine(MAX_URL), 'The scope of the token', 'https://outlook.office365.com/.default');

function isTokenUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}

/** Keys are encrypted as a whole, which KMS does up to 4 KB. */
export const MAX_KEY = 4_000;

/** The parts of the JSON key of a service account that sign in; undefined for anything else. */
function readServiceAccountKey(
  text: string,
): { readonly tokenUrl: string; readonly clientId: string; readonly privateKey: string } | undefined {
  try {
    const { type, token_uri: tokenUrl, client_email: clientId, private_key: privateKey } = JSON.parse(text);
    const isKey = type === 'service_account' && [tokenUrl, clientId].every((one) => typeof one === 'string');
    if (!isKey || !isTokenUrl(tokenUrl) || clientId.length > MAX_USER) return undefined;
    const key = createPrivateKey(privateKey);
    if (key.asymmetricKeyType !== 'rsa') return undefined;
    return { tokenUrl, clientId, privateKey: String(key.export({ type: 'pkcs8', format: 'pem' })) };
  } catch {
    return undefined;
  }
}

/** What a token of a service account is for: reading mail over IMAP ("OAuth 2.0 Scopes for Google APIs"). */
const GMAIL_SCOPE = 'https://mail.google.com/';

const serviceAccountKey = described(
  z.pipe(
    z.string('must be a string').check(z.maxLength(MAX_KEY, `must not be longer than ${MAX_KEY} characters`)),
    z.transform((text, context) => {
      const key = readServiceAccountKey(text);
      if (key !== undefined) return key;
      const message = 'must be the text of a JSON key of a service account of Google';
      context.issues.push({ code: 'custom', message, input: text });
      return z.NEVER;
    }),
  ),
  'The JSON key of the service account, as text. Its private key is stored encrypted, and no response contains it',
  '{"type": "service_account"}',
);

/** The fields of each kind, which another kind does not have. */
const signInFields = {
  'google-service-account': ['serviceAccountKey'],
  password: ['password'],
  'oauth2-client-credentials': ['tokenUrl', 'clientId', 'clientSecret', 'scope'],
} as const satisfies Record<SignIn['kind'], readonly string[]>;

const signIn = z
  .object(
    {
      kind: signInKind,
      password: z.optional(
        secretText('With `password`: the password, for many providers an app password', 'correct horse'),
      ),
      tokenUrl: z.optional(tokenUrl),
      clientId: z.optional(clientId),
      clientSecret: z.optional(secretText('The secret of the client', 'Zm9v')),
      scope: z.optional(scope),
      serviceAccountKey: z.optional(serviceAccountKey),
    },
    'must be an object',
  )
  .check((context) => {
    const { kind, ...given } = context.value;
    const wanted: readonly string[] = signInFields[kind];
    for (const [name, value] of Object.entries({ ...noFields, ...given }))
      if (wanted.includes(name) !== (value !== undefined))
        context.issues.push({
          code: 'custom',
          path: [name],
          message: wanted.includes(name) ? `is required with the kind ${kind}` : `is not of the kind ${kind}`,
          input: value,
        });
  });

const noFields = {
  ...{ password: undefined, tokenUrl: undefined, clientId: undefined },
  ...{ clientSecret: undefined, scope: undefined, serviceAccountKey: undefined },
};

/** How to sign in with what people give without saying what it is: a JSON key, or a secret, with a token URL that of a client. */
export function signInBy(
  secret: string,
  client: {
    readonly tokenUrl: string | undefined;
    readonly clientId?: string | undefined;
    readonly scope?: string | undefined;
  },
) {
  if (readServiceAccountKey(secret) !== undefined)
    return { kind: 'google-service-account', serviceAccountKey: secret };
  return client.tokenUrl === undefined
    ? { kind: 'password', password: secret }
    : { kind: 'oauth2-client-credentials', ...client, clientSecret: secret };
}

/** What a request says about signing in: what is stored with the mailbox, and what is secret. */
export function signInOf(given: z.output<typeof signIn>): {
  readonly signIn: SignIn;
  readonly secret: string;
} {
  const { kind, password = '', tokenUrl = '', clientId = '', clientSecret = '', scope = '' } = given;
  if (given.serviceAccountKey !== undefined) {
    const { privateKey: secret, ...account } = given.serviceAccountKey;
    return { signIn: { kind: 'google-service-account', ...account, scope: GMAIL_SCOPE }, secret };
  }
  return kind === 'password'
    ? { signIn: { kind }, secret: password }
    : { signIn: { kind, tokenUrl, clientId, scope }, secret: clientSecret };
}

export const mailboxBody = z
  .object(
    {
      name,
      host,
      port: z.optional(port),
      security: z._default(mailboxSecurity, mailboxDefaults.security),
      user,
      signIn: described(signIn, 'What signs in to the mailbox', {
        kind: 'password',
        password: 'correct horse',
      }),
      folder: z._default(folder, mailboxDefaults.folder),
      after: z._default(afterStoring, mailboxDefaults.after),
      moveTo: z.optional(moveTo),
      everySeconds: z._default(everySeconds, mailboxDefaults.everySeconds),
    },
    'must be a JSON object',
  )
  .check(
    z.refine(({ after, moveTo }) => (after === 'move') === (moveTo !== undefined), {
      error: 'is required with the value move of after, and only then',
      path: ['moveTo'],
    }),
  );

export const mailboxPath = idPath(missing.mailbox);

export const runBody = z.object(
  {
    again: described(
      z._default(z.boolean('must be true or false'), false),
      'Reads all mails of the folder again, for example after more domains were registered. What is stored already does not count twice',
    ),
  },
  'must be a JSON object',
);

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

export const mailboxState = described(z.enum(['ok', 'failing']), '`failing`: the last run failed', 'ok');

export const shownSignIn = z.object({
  kind: signInKind,
  tokenUrl: described(z.nullable(text), 'The token endpoint; `null` with a password', null),
  clientId: described(z.nullable(text), 'The ID of the client; `null` with a password', null),
  scope: described(z.nullable(text), 'The scope of the token; `null` with a password', null),
});

export const mailbox = z.object({
  id: uuid,
  ...{ name, host, port, security: mailboxSecurity, user },
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
  nextRunAt: described(timestamp, 'When it is read next, at the earliest'),
  lastError: described(z.nullable(mailboxProblem), 'Why the last run failed; `null` if it did not'),
  read: described(count, 'How many mails were read', 120),
  accepted: described(count, 'How many reports were stored of them', 118),
  remaining: described(count, 'How many mails the last run left for the next one', 0),
});

/** A mailbox in a response, without what signs in to it. */
export const showMailbox = (stored: Mailbox): z.output<typeof mailbox> => {
  const { id, name, host, port, security, user, folder, after, moveTo, everySeconds } = stored;
  const { createdAt, lastRunAt, lastError, gsi1sk, read, accepted, remaining } = stored;
  return {
    ...{ id, name, host, port, security, user },
    signIn: { tokenUrl: null, clientId: null, scope: null, ...stored.signIn },
    ...{ folder, after, moveTo, everySeconds, createdAt },
    state: lastError === null ? 'ok' : 'failing',
    ...{ lastRunAt, nextRunAt: gsi1sk, lastError: lastError && explain(lastError) },
    ...{ read, accepted, remaining },
  };
};

export const mailboxTest = z.object({
  messages: described(
    z.nullable(count),
    'How many mails are in the folder; `null` if it could not be opened',
    120,
  ),
  error: described(z.nullable(mailboxProblem), 'Why it could not be opened; `null` if it was'),
});
