/** The delivery path of a message according to its `Received` fields (RFC 5321 section 4.4). */

import { withoutComments } from '../protocol/message/comments.ts';
import { type HeaderSection, valuesOf } from '../protocol/message/header-section.ts';

/** One hop. Only the topmost one was recorded by us; the others can be forged. */
export interface Hop {
  readonly from: string | null;
  readonly by: string | null;
  readonly protocol: string | null;
  /** The TLS version, such as `1.3`; null if the field does not state it. */
  readonly tls: string | null;
  readonly date: string | null;
}

const MAX_HOPS = 30;
const MAX_TEXT = 300;
const MAX_DATE = 100;
/** No mail server writes longer `Received` fields; the rest is not searched. */
const MAX_RECEIVED = 4000;

/** The hops from the top, at most `MAX_HOPS`. */
export function readHops(section: HeaderSection): readonly Hop[] {
  return valuesOf(section, 'received').slice(0, MAX_HOPS).map(readHop);
}

/**
 * `from <host> by <host> with <protocol> id <id>; <date>`, with comments anywhere. Comments can contain the same
 * keywords, and most mail servers describe TLS in a comment in their own format; others use a clause `tls <cipher>`
 * (RFC 8314 section 4.3).
 */
function readHop(value: string): Hop {
  const line = value.slice(0, MAX_RECEIVED).replace(/\s+/g, ' ');
  const plain = withoutComments(line);
  const semicolon = plain.lastIndexOf(';');
  const end = semicolon === -1 ? line.length : semicolon;
  const clause = (name: string, text: string) => {
    const start = ` ${plain.slice(0, end)}`.toLowerCase().indexOf(` ${name} `);
    if (start === -1) return null;
    const begin = start + name.length + 1;
    const length = plain.slice(begin, end).search(/ (from|by|via|with|tls|id|for) /i);
    const found = text.slice(begin, length === -1 ? end : begin + length);
    return found.trim().slice(0, MAX_TEXT) || null;
  };
  return {
    from: clause('from', line),
    by: clause('by', line),
    protocol: clause('with', plain),
    tls: /\bTLS ?v?(1[._][0-3])\b/i.exec(line.slice(0, end))?.[1]?.replace('_', '.') ?? null,
    date:
      semicolon === -1
        ? null
        : line
            .slice(semicolon + 1)
            .trim()
            .slice(0, MAX_DATE) || null,
  };
}
