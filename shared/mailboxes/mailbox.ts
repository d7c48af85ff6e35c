/** A mailbox of an organization elsewhere, from which its reports are fetched. */
import * as z from 'zod/mini';
import { type FolderRequest, securities } from '../network/imap-port.ts';

/** What becomes of a mail in the mailbox once its reports are stored. */
export const afterwards = ['keep', 'mark-read', 'move', 'delete'] as const;

export const mailboxSettings = z.object({
  name: z.string(),
  host: z.string(),
  port: z.number(),
  security: z.enum(securities),
  user: z.string(),
  folder: z.string(),
  after: z.enum(afterwards),
  /** The folder to which mails are moved; null unless they are. */
  moveTo: z.nullable(z.string()),
  everySeconds: z.number(),
});

export type MailboxSettings = Readonly<z.infer<typeof mailboxSettings>>;

/** What signs in to a mailbox. */
export const mailboxSecret = z.object({ password: z.string() });

export type MailboxSecret = Readonly<z.infer<typeof mailboxSecret>>;

/** How far a folder was read: all mails up to this UID. */
export const position = z.object({ uidValidity: z.string(), uid: z.number() });

export type Position = Readonly<z.infer<typeof position>>;

/** How the folder of a mailbox is opened. */
export const folderRequest = (
  { folder, after }: Pick<MailboxSettings, 'folder' | 'after'>,
  signal: AbortSignal,
): FolderRequest => ({
  folder,
  readOnly: after === 'keep',
  removes: after === 'move' || after === 'delete',
  signal,
});
