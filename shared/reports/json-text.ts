/** JSON of strangers (RFC 8259): measured before it is read, so that what comes out of it is bounded too. */
import { TextDecoder } from 'node:util';
import { MAX_JSON_CONTAINERS, MAX_JSON_DEPTH, MAX_JSON_MEMBERS } from './limits.ts';
import { tooLarge, unreadable } from './refusal.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a text; throws a refusal where it is no JSON or an unreasonable one. */
export function parseJson(bytes: Uint8Array): unknown {
  measure(bytes);
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return JSON.parse(new TextDecoder(encoding).decode(bytes));
  } catch {
    throw unreadable('it is not valid JSON; it may be cut off');
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of its own, never one that every object has. */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Counts outside of strings. */
function measure(bytes: Uint8Array): void {
  let depth = 0;
  let containers = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at++;
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) throw tooLarge(`the JSON is nested more than ${MAX_JSON_DEPTH} deep`);
      if (++containers > MAX_JSON_CONTAINERS) throw tooLarge('the JSON has too many objects and arrays');
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === COMMA && ++members > MAX_JSON_MEMBERS) throw tooLarge('the JSON has too many members');
  }
}
