/** The port for where composed mails go: files, or a relay. */

export interface OutgoingMessage {
  /** Unique, and the left part of the Message-ID. */
  readonly id: string;
  readonly composedAt: Date;
  /** Addresses of the envelope, without names. */
  readonly from: string;
  readonly to: readonly string[];
  /** RFC 5322, with CRLF. */
  readonly content: Buffer;
}

export interface MessageSender {
  /** @throws NotSent */
  send(message: OutgoingMessage): Promise<void>;
  stop(): void;
}

/** A mail was not sent. The message says why, for the organization that expects it. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  /** Whether another attempt is of no use (RFC 5321 section 4.2.1, replies 5yz). */
  readonly isPermanent: boolean;

  constructor(reason: string, isPermanent: boolean) {
    super(reason);
    this.isPermanent = isPermanent;
  }
}
