/** Everything that a test learns about a message, before scoring. */
import type { Authentication } from '../protocol/message/evaluate.ts';
import { type HeaderSection, valuesOf } from '../protocol/message/header-section.ts';
import type { Blocklists } from './blocklists.ts';
import { decodeWords } from './encoded-words.ts';
import type { Headers } from './headers.ts';
import { type Hop, readHops } from './hops.ts';
import type { ReverseDns } from './reverse-dns.ts';
import type { SenderMx } from './sender-mx.ts';

export interface Facts extends Authentication {
  readonly reverseDns: ReverseDns;
  readonly senderMx: SenderMx;
  readonly blocklists: Blocklists;
  readonly headers: Headers;
}

/** The message according to its own header; texts are untrusted and truncated. */
export interface MessageFacts {
  readonly octets: number;
  readonly from: string | null;
  readonly to: string | null;
  /** With encoded words decoded. */
  readonly subject: string | null;
  /** From the top; only the first entry was added by our own mail server. */
  readonly received: readonly Hop[];
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** The number of fields that are not listed. */
  readonly moreFields: number;
  /** How often the message has each of the fields in `unscoredNames`. */
  readonly unscored: readonly { readonly name: UnscoredName; readonly count: number }[];
}

/**
 * Fields of authentication methods that do not affect the score: DKIM2, which is an Internet-Draft, and ARC (RFC 8617),
 * which proves nothing about a sender whom the receiver does not trust already.
 */
export const unscoredNames = [
  'DKIM2-Signature',
  'Message-Instance',
  'ARC-Seal',
  'ARC-Message-Signature',
  'ARC-Authentication-Results',
] as const;

type UnscoredName = (typeof unscoredNames)[number];

const MAX_FIELDS = 100;
const MAX_VALUE = 500;

export function describeMessage(message: Uint8Array, section: HeaderSection): MessageFacts {
  const first = (name: string) => {
    const [value] = valuesOf(section, name);
    return value === undefined ? null : cut(decodeWords(value));
  };
  return {
    octets: message.length,
    from: first('from'),
    to: first('to'),
    subject: first('subject'),
    received: readHops(section),
    fields: section.fields
      .slice(0, MAX_FIELDS)
      .map(({ name, value }) => ({ name: cut(name), value: cut(value) })),
    moreFields: Math.max(0, section.fields.length - MAX_FIELDS),
    unscored: unscoredNames
      .map((name) => ({ name, count: valuesOf(section, name.toLowerCase()).length }))
      .filter(({ count }) => count > 0),
  };
}

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
