/** How the service signs in to a mailbox: what requests say, and what is stored of it. */
import { createPrivateKey } from 'node:crypto';
import * as z from 'zod/mini';
import { type MailboxSecret, type SignIn, signInKinds } from '../mailboxes/mailbox.ts';
import { MAX_REFRESH_TOKEN } from '../network/token-port.ts';
import { oneLine } from '../protocol/one-line.ts';
import { described, oneOf } from '../protocol/schema.ts';

export const MAX_USER = 320;
export const MAX_SECRET = 1_000;
export const MAX_URL = 2_048;

export const signInKind = described(
  oneOf(signInKinds),
  'How the service signs in. `password`: with a password. `oauth2-client-credentials`: with an access token that it gets with the ID and secret of a client (RFC 6749 section 4.4), as Microsoft 365 requires. `oauth2-refresh-token`: with an access token that it gets with a refresh token of the user (section 6). `google-service-account`: with an access token that a service account of Google gets for the user',
  'password',
);

/** What signs in. */
const secretText = (description: string, example: string, longest = MAX_SECRET) =>
  described(
    z.string('must be a string').check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(longest, `must not be longer than ${longest} characters`),
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

const scope = described(
  oneLine(MAX_URL),
  'The scope of the token; with a refresh token, by default the one that was granted',
  'https://graph.microsoft.com/.default',
);

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

/** The fields of each kind, which another kind does not have. Those that can be absent have a question mark. */
const signInFields = {
  'google-service-account': ['serviceAccountKey'],
  password: ['password'],
  'oauth2-client-credentials': ['tokenUrl', 'clientId', 'clientSecret', 'scope'],
  'oauth2-refresh-token': ['tokenUrl', 'clientId', 'refreshToken', 'clientSecret?', 'scope?'],
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
      clientSecret: z.optional(
        secretText('The secret of the client, which a public client with a refresh token lacks', 'Zm9v'),
      ),
      refreshToken: z.optional(
        secretText('The refresh token; the one that takes its place is stored', 'MS4wLg', MAX_REFRESH_TOKEN),
      ),
      scope: z.optional(scope),
      serviceAccountKey: z.optional(serviceAccountKey),
    },
    'must be an object',
  )
  .check((context) => {
    const { kind, ...given } = context.value;
    const fields: readonly string[] = signInFields[kind];
    for (const [name, value] of Object.entries({ ...noFields, ...given })) {
      const isOf = fields.includes(name) || fields.includes(`${name}?`);
      if (value === undefined ? !fields.includes(name) : isOf) continue;
      const message = isOf ? `is required with the kind ${kind}` : `is not of the kind ${kind}`;
      context.issues.push({ code: 'custom', path: [name], message, input: value });
    }
  });

const noFields = {
  ...{ password: undefined, tokenUrl: undefined, clientId: undefined, refreshToken: undefined },
  ...{ clientSecret: undefined, scope: undefined, serviceAccountKey: undefined },
};

/**
 * How to sign in with what people give without saying what it is: a JSON key, or a secret; with a refresh token that of a user,
 * otherwise with a token URL that of a client. What is empty was not given.
 */
export function signInBy(
  secret: string,
  client: {
    readonly tokenUrl?: string | undefined;
    readonly clientId?: string | undefined;
    readonly scope?: string | undefined;
    readonly refreshToken?: string | undefined;
  },
) {
  if (readServiceAccountKey(secret) !== undefined)
    return { kind: 'google-service-account', serviceAccountKey: secret };
  const given = Object.fromEntries(
    Object.entries({ ...client, clientSecret: secret }).filter(([, value]) => (value ?? '') !== ''),
  );
  if ('refreshToken' in given) return { kind: 'oauth2-refresh-token', ...given };
  return 'tokenUrl' in given
    ? { kind: 'oauth2-client-credentials', ...given }
    : { kind: 'password', password: secret };
}

/** How to sign in as until now, with new secrets; what is empty is not given. */
export function signInAgain(
  { kind, ...client }: SignIn,
  { secret, refreshToken }: { readonly secret: string; readonly refreshToken: string },
): Record<string, unknown> {
  const given = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  switch (kind) {
    case 'password':
      return { kind, password: secret };
    case 'google-service-account':
      return { kind, serviceAccountKey: secret };
    case 'oauth2-client-credentials':
      return { kind, ...client, clientSecret: secret };
    case 'oauth2-refresh-token':
      return { kind, ...given({ ...client, refreshToken, clientSecret: secret }) };
  }
}

/** What a request says about signing in: what is stored with the mailbox, and what is secret. */
export function signInOf(given: z.output<typeof signIn>): {
  readonly signIn: SignIn;
  readonly secret: MailboxSecret;
} {
  const { kind, password = '', tokenUrl = '', clientId = '', clientSecret, scope = '' } = given;
  if (given.serviceAccountKey !== undefined) {
    const { privateKey: secret, ...account } = given.serviceAccountKey;
    return { signIn: { kind: 'google-service-account', ...account }, secret: { secret } };
  }
  if (kind === 'oauth2-refresh-token') {
    const secret = { secret: given.refreshToken ?? '', ...(clientSecret !== undefined && { clientSecret }) };
    return { signIn: { kind, tokenUrl, clientId, scope }, secret };
  }
  return kind === 'oauth2-client-credentials'
    ? { signIn: { kind, tokenUrl, clientId, scope }, secret: { secret: clientSecret ?? '' } }
    : { signIn: { kind: 'password' }, secret: { secret: password } };
}

export const signInInput = described(signIn, 'What signs in to the mailbox', {
  kind: 'password',
  password: 'correct horse',
});
