/** Untrusted JSON (RFC 8259): measured before it is parsed, so that the result is bounded. */
import { TextDecoder } from 'node:util';
import { detectUtf16 } from './byte-order.ts';
import { MAX_JSON_CONTAINERS, MAX_JSON_DEPTH, MAX_JSON_MEMBERS } from './limits.ts';
import { tooLarge, unreadable } from './refusal.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses a text; throws a refusal if it is not valid JSON or exceeds the limits. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder(detectUtf16(bytes) ?? 'utf-8').decode(bytes);
  measure(text);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('it is not valid JSON; it may be truncated');
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, never an inherited one. */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Counts brackets and commas outside of strings. */
function measure(text: string): void {
  let depth = 0;
  let containers = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at++;
      while (at < text.length && text.charCodeAt(at) !== QUOTE)
        at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_JSON_DEPTH)
        throw tooLarge(`the JSON is nested more than ${MAX_JSON_DEPTH} levels deep`);
      if (++containers > MAX_JSON_CONTAINERS) throw tooLarge('the JSON has too many objects and arrays');
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === COMMA && ++members > MAX_JSON_MEMBERS) throw tooLarge('the JSON has too many members');
  }
}
