/** The port for one folder of a mailbox, whatever protocol reads it. */
import { Problem } from './problem.ts';

/** A mail that was listed. */
export interface ListedMail {
  /** What the provider calls it in this folder. */
  readonly id: string;
}

export interface FetchedMail extends ListedMail {
  readonly content: Uint8Array;
  /** When the provider received it. */
  readonly receivedAt: Date;
}

/** What is not a valid date counts as 1970. */
export function receivedAtOf(date: Date | string | number | undefined): Date {
  const receivedAt = new Date(date ?? 0);
  return Number.isNaN(receivedAt.getTime()) ? new Date(0) : receivedAt;
}

/** How far a folder was read. */
export type Position =
  /** IMAP: all mails up to this UID. */
  | { readonly uidValidity: string; readonly uid: number }
  /** Microsoft Graph: where the list of changes of the folder with this ID goes on, a URL. */
  | { readonly folder: string; readonly changes: string }
  /** Gmail: all changes of the label with this ID up to this record of the history of the mailbox. */
  | { readonly label: string; readonly historyId: string }
  /**
   * Gmail, until the mails from before this record are read: all that were received before this time, in seconds. `window`:
   * those of the next window of time, until a time or without an end, up to an ID; null if it was not begun.
   */
  | {
      readonly label: string;
      readonly nextHistoryId: string;
      readonly receivedBefore: number;
      readonly window: { readonly until: number | null; readonly lastId: string } | null;
    };

/** Mails that are fetched, stored and acknowledged together. */
export interface Batch {
  readonly mails: readonly ListedMail[];
  /** How far the folder is read after them. */
  readonly position: Position;
  /** How many mails are known to be left after them; at least 1 if there can be more. */
  readonly remaining: number;
}

/** An open folder. Its methods reject with FolderProblem. */
export interface MailFolder {
  /** The number of mails in the folder when it was opened. */
  readonly messages: number;
  /**
   * What was not read yet, in the order of positions. Starts at the beginning if the provider no longer knows the position.
   * @param from How far the folder was read; null if it was not.
   */
  batches(from: Position | null): AsyncIterable<Batch>;
  /** The mails one by one, without marking them as read; those that are gone or too large are missing. */
  fetch(mails: readonly ListedMail[]): AsyncIterable<FetchedMail>;
  markRead(mails: readonly ListedMail[]): Promise<void>;
  /** Moves mails to another folder, which is made if it does not exist. */
  move(mails: readonly ListedMail[], to: string): Promise<void>;
  delete(mails: readonly ListedMail[]): Promise<void>;
  /** Ends the session; never rejects. */
  close(): Promise<void>;
}

export interface FolderRequest {
  /** The name of the folder, in any case, with `/` or the server's own delimiter between its parts. */
  readonly folder: string;
  /** Whether nothing in the folder changes: it is then opened read-only. */
  readonly readOnly: boolean;
  /** Whether mails are deleted or moved out of the folder, which needs a server that does so one by one. */
  readonly removes: boolean;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/** Opens a folder of a user's mailbox with an access token. */
export interface MailApi {
  /** @throws FolderProblem */
  open(account: ApiAccount, request: FolderRequest): Promise<MailFolder>;
}

export interface ApiAccount {
  readonly user: string;
  readonly token: string;
}

/** Why a folder cannot be read. */
export class FolderProblem extends Problem<FolderProblemCode> {
  override readonly name = 'FolderProblem';
}

export type FolderProblemCode =
  | 'name-not-found'
  | 'name-resolution'
  | 'address-not-public'
  | 'unreachable'
  | 'timeout'
  | 'certificate'
  | 'tls'
  | 'sign-in-refused'
  | 'token-not-accepted'
  | 'api-token'
  | 'wrong-user'
  | 'not-permitted'
  | 'mailbox-not-found'
  | 'api-disabled'
  | 'throttled'
  | 'folder-not-found'
  | 'folder-read-only'
  | 'cannot-remove'
  | 'cannot-make-folder'
  | 'mailbox-full'
  | 'connection-lost'
  | 'server-error';
