/** The port for one folder of a mailbox on an IMAP server, without the library behind it. */
import type { FolderRequest } from './folder-port.ts';

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

/** A mail as a list shows it. */
export interface ImapMail {
  readonly uid: number;
  /** In bytes, as the server says. */
  readonly size: number;
  /** When the server received it (INTERNALDATE). */
  readonly receivedAt: Date;
}

export interface FetchedImapMail extends ImapMail {
  readonly content: Uint8Array;
}

/** An open folder. Its methods reject with FolderProblem. */
export interface ImapFolder {
  readonly path: string;
  /** UIDs mean what they meant before as long as this is the same (RFC 9051 section 2.3.1.1). */
  readonly uidValidity: string;
  /** The number of mails in the folder when it was opened. */
  readonly messages: number;
  /** The UIDs above `uid`, ascending. */
  uidsAfter(uid: number): Promise<readonly number[]>;
  /** At most `MOST_TOGETHER` mails; those that are gone are missing. */
  list(uids: readonly number[]): Promise<readonly ImapMail[]>;
  /** The mails one by one, without marking them as read; those that are gone are missing. */
  fetch(uids: readonly number[]): AsyncGenerator<FetchedImapMail>;
  markRead(uids: readonly number[]): Promise<void>;
  /** Moves mails to another folder, which is made if it does not exist. */
  move(uids: readonly number[], to: string): Promise<void>;
  delete(uids: readonly number[]): Promise<void>;
  /** Ends the session; never rejects. */
  close(): Promise<void>;
}

export interface Imap {
  /** @throws FolderProblem */
  open(account: ImapAccount, request: FolderRequest): Promise<ImapFolder>;
}

/** Bounds the length of a command. */
export const MOST_TOGETHER = 200;
