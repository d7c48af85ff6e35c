/** A mailbox of an organization elsewhere, from which its reports are fetched. */
import * as z from 'zod/mini';
import { securities } from '../network/imap-port.ts';

/** What reads a mailbox: IMAP, or the API of a provider. */
export const sources = ['imap', 'graph', 'gmail'] as const;

export type Source = (typeof sources)[number];

/** What happens to a mail in the mailbox once its reports are stored. */
export const afterwards = ['keep', 'mark-read', 'move', 'delete'] as const;

/** How the service signs in, without what is secret. */
const signIn = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('password') }),
  z.object({
    kind: z.literal(['oauth2-client-credentials', 'oauth2-refresh-token']),
    tokenUrl: z.string(),
    clientId: z.string(),
    /** Empty for the one that was granted, which only a refresh token has. */
    scope: z.string(),
  }),
  z.object({
    kind: z.literal('google-service-account'),
    tokenUrl: z.string(),
    /** The address of the account. */
    clientId: z.string(),
  }),
]);

export type SignIn = Readonly<z.infer<typeof signIn>>;

export const signInKinds = [
  'password',
  'oauth2-client-credentials',
  'oauth2-refresh-token',
  'google-service-account',
] as const satisfies readonly SignIn['kind'][];

/** How each source can be signed in to. */
export const signInsOf = {
  imap: signInKinds,
  graph: ['oauth2-client-credentials', 'oauth2-refresh-token'],
  gmail: ['google-service-account', 'oauth2-refresh-token'],
} as const satisfies Record<Source, readonly SignIn['kind'][]>;

const server = z.pipe(
  // Mailboxes of this layout can lack it: IMAP was the only source.
  z.transform((settings: object) => ({ source: 'imap', ...settings })),
  z.discriminatedUnion('source', [
    z.object({
      source: z.literal('imap'),
      ...{ host: z.string(), port: z.number(), security: z.enum(securities) },
    }),
    z.object({ source: z.literal(['graph', 'gmail']) }),
  ]),
);

const common = z.object({
  name: z.string(),
  user: z.string(),
  signIn,
  folder: z.string(),
  after: z.enum(afterwards),
  /** The folder to which mails are moved; null unless they are. */
  moveTo: z.nullable(z.string()),
  everySeconds: z.number(),
});

export const mailboxSettings = z.intersection(common, server);

export type MailboxSettings = Readonly<z.infer<typeof mailboxSettings>>;

/** What signs in to a mailbox. */
export const mailboxSecret = z.object({
  /** The password, the secret of the client, the refresh token, or the private key of the service account. */
  secret: z.string(),
  /** With a refresh token: the secret of the client, if it has one. */
  clientSecret: z.optional(z.string()),
});

export type MailboxSecret = Readonly<z.infer<typeof mailboxSecret>>;

/** How far a folder was read. */
export const position = z.union([
  z.object({ uidValidity: z.string(), uid: z.number() }),
  z.object({ folder: z.string(), changes: z.string() }),
  z.object({ label: z.string(), historyId: z.string() }),
  z.object({
    ...{ label: z.string(), nextHistoryId: z.string(), receivedBefore: z.number() },
    window: z.nullable(z.object({ until: z.nullable(z.number()), lastId: z.string() })),
  }),
]);

/** What a token of a service account is for ("OAuth 2.0 Scopes for Google APIs"): the least that the settings need. */
export function googleScope({ source, after }: Pick<MailboxSettings, 'source' | 'after'>): string {
  if (source === 'imap') return 'https://mail.google.com/';
  return `https://www.googleapis.com/auth/gmail.${after === 'keep' ? 'readonly' : 'modify'}`;
}
