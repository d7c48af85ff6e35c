/** The port for one folder of a mailbox on an IMAP server, without the library behind it. */

/** How a connection is protected: TLS from its start (RFC 8314 section 3.2), or by the command STARTTLS. */
export const securities = ['tls', 'starttls'] as const;

export interface ImapAccount {
  readonly host: string;
  readonly port: number;
  readonly security: (typeof securities)[number];
  readonly user: string;
  /** A password, or an access token for SASL OAUTHBEARER (RFC 7628) or XOAUTH2. */
  readonly credential: { readonly kind: 'password' | 'token'; readonly value: string };
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

/** Why a folder cannot be read. `detail`: what the server said or what failed, for people; it can be anybody's text. */
export class ImapProblem extends Error {
  override readonly name = 'ImapProblem';
  readonly code: ImapProblemCode;
  readonly detail: string;

  constructor(code: ImapProblemCode, detail: string) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
  }
}

export type ImapProblemCode =
  | 'name-not-found'
  | 'name-resolution'
  | 'address-not-public'
  | 'unreachable'
  | 'timeout'
  | 'certificate'
  | 'tls'
  | 'sign-in-refused'
  | 'token-not-accepted'
  | 'throttled'
  | 'folder-not-found'
  | 'folder-read-only'
  | 'cannot-remove'
  | 'connection-lost'
  | 'server-error';

/** A mail as a list shows it. */
export interface ListedMail {
  readonly uid: number;
  /** In bytes, as the server says. */
  readonly size: number;
  /** When the server received it (INTERNALDATE). */
  readonly receivedAt: Date;
}

export interface FetchedMail extends ListedMail {
  readonly content: Uint8Array;
}

/** An open folder. Its methods reject with ImapProblem. */
export interface ImapFolder {
  readonly path: string;
  /** UIDs mean what they meant before as long as this is the same (RFC 9051 section 2.3.1.1). */
  readonly uidValidity: string;
  /** The number of mails in the folder when it was opened. */
  readonly messages: number;
  /** The UIDs above `uid`, ascending. */
  uidsAfter(uid: number): Promise<readonly number[]>;
  /** At most `MOST_TOGETHER` mails; those that are gone are missing. */
  list(uids: readonly number[]): Promise<readonly ListedMail[]>;
  /** The mails one by one, without marking them as read; those that are gone are missing. */
  fetch(uids: readonly number[]): AsyncGenerator<FetchedMail>;
  markRead(uids: readonly number[]): Promise<void>;
  /** Moves mails to another folder, which is made if it does not exist. */
  move(uids: readonly number[], to: string): Promise<void>;
  delete(uids: readonly number[]): Promise<void>;
  /** Ends the session; never rejects. */
  close(): Promise<void>;
}

export interface Imap {
  /** @throws ImapProblem */
  open(account: ImapAccount, request: FolderRequest): Promise<ImapFolder>;
}

/** Bounds the length of a command. */
export const MOST_TOGETHER = 200;
