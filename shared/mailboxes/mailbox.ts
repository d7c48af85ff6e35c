/** A mailbox of an organization elsewhere, from which its reports are fetched. */
import * as z from 'zod/mini';
import { securities } from '../network/imap-port.ts';

/** What happens to a mail in the mailbox once its reports are stored. */
export const afterwards = ['keep', 'mark-read', 'move', 'delete'] as const;

/** How the service signs in, without what is secret. */
const signIn = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('password') }),
  z.object({
    kind: z.literal(['oauth2-client-credentials', 'google-service-account']),
    tokenUrl: z.string(),
    /** Of a service account: its address. */
    clientId: z.string(),
    scope: z.string(),
  }),
]);

export type SignIn = Readonly<z.infer<typeof signIn>>;

export const signInKinds = [
  'password',
  'oauth2-client-credentials',
  'google-service-account',
] as const satisfies readonly SignIn['kind'][];

export const mailboxSettings = z.object({
  name: z.string(),
  host: z.string(),
  port: z.number(),
  security: z.enum(securities),
  user: z.string(),
  signIn,
  folder: z.string(),
  after: z.enum(afterwards),
  /** The folder to which mails are moved; null unless they are. */
  moveTo: z.nullable(z.string()),
  everySeconds: z.number(),
});

export type MailboxSettings = Readonly<z.infer<typeof mailboxSettings>>;

/** What signs in to a mailbox: the password, the secret of the client, or the private key of the service account. */
export const mailboxSecret = z.object({ secret: z.string() });

export type MailboxSecret = Readonly<z.infer<typeof mailboxSecret>>;

/** How far a folder was read: all mails up to this UID. */
export const position = z.object({ uidValidity: z.string(), uid: z.number() });

export type Position = Readonly<z.infer<typeof position>>;
