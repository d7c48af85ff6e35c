/**
 * Converts domain names between presentation and wire form (RFC 1035 section 3.1). In presentation form, an octet that
 * is not a visible ASCII character is `\DDD`, and a dot or backslash inside a label is escaped with a backslash (RFC
 * 1035 section 5.1). Every wire name therefore has exactly one presentation form and survives the round trip.
 */

/** RFC 1035 section 2.3.4. */
const MAX_LABEL = 63;
const MAX_NAME = 255;
/** A name has at most 127 labels, and a legitimate one no more pointers than labels. */
const MAX_POINTERS = 127;

/** Bytes that are not a valid DNS message. */
export class MalformedMessage extends Error {}

/** A name read from a message. */
interface WireName {
  /** Presentation form, lower case, without trailing dot; the root is the empty string. */
  readonly name: string;
  /** Wire form without compression; the case is preserved. */
  readonly wire: Uint8Array;
  /** Offset of the octet after the name. */
  readonly next: number;
}

/**
 * The wire form of a name (non-ASCII as UTF-8); undefined if a label is empty or longer than 63 octets, or the name is
 * longer than 255.
 */
export function encodeName(name: string): Uint8Array | undefined {
  if (name === '' || name === '.') return Uint8Array.of(0);
  if (name.length > MAX_NAME * 4) return undefined;
  const labels = writtenLabels(name);
  if (labels === undefined) return undefined;
  const wire: number[] = [];
  for (const label of labels) {
    if (label.length === 0 || label.length > MAX_LABEL) return undefined;
    wire.push(label.length, ...label);
  }
  wire.push(0);
  return wire.length > MAX_NAME ? undefined : Uint8Array.from(wire);
}

/**
 * Reads the name that starts at `offset`. Follows compression pointers (RFC 1035 section 4.1.4), which must point
 * backwards. Throws MalformedMessage.
 */
export function readName(message: Uint8Array, offset: number): WireName {
  const wire: number[] = [];
  const written: string[] = [];
  let at = offset;
  let next: number | undefined;
  let pointers = 0;
  for (;;) {
    const length = octet(message, at);
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | octet(message, at + 1);
      next ??= at + 2;
      pointers += 1;
      if (target >= at || pointers > MAX_POINTERS) throw new MalformedMessage('name with a bad pointer');
      at = target;
      continue;
    }
    if (length > MAX_LABEL) throw new MalformedMessage('name with an unknown label type');
    const end = at + 1 + length;
    if (end > message.length) throw new MalformedMessage('name beyond the end of the message');
    for (let index = at; index < end; index += 1) wire.push(octet(message, index));
    if (wire.length > MAX_NAME) throw new MalformedMessage('name of more than 255 octets');
    if (length === 0) return { name: written.join('.'), wire: Uint8Array.from(wire), next: next ?? end };
    written.push(writeLabel(message.subarray(at + 1, end)));
    at = end;
  }
}

function octet(message: Uint8Array, offset: number): number {
  const value = message[offset];
  if (value === undefined) throw new MalformedMessage('name beyond the end of the message');
  return value;
}

function writeLabel(label: Uint8Array): string {
  let written = '';
  for (const value of label) {
    const character = String.fromCharCode(value).toLowerCase();
    if (value <= 0x20 || value >= 0x7f) written += `\\${String(value).padStart(3, '0')}`;
    else written += character === '.' || character === '\\' ? `\\${character}` : character;
  }
  return written;
}

function writtenLabels(name: string): number[][] | undefined {
  const octets = new TextEncoder().encode(name);
  const labels: number[][] = [];
  let label: number[] = [];
  for (let index = 0; index < octets.length; index += 1) {
    const value = octets[index] ?? 0;
    if (value === 0x2e) {
      labels.push(label);
      label = [];
    } else if (value === 0x5c) {
      const digits = /^\d{3}/.exec(String.fromCharCode(...octets.subarray(index + 1, index + 4)))?.[0];
      const escaped = digits === undefined ? octets[index + 1] : Number(digits);
      if (escaped === undefined || escaped > 255) return undefined;
      label.push(escaped);
      index += digits === undefined ? 1 : 3;
    } else {
      label.push(value);
    }
  }
  // A trailing dot is the root, not an empty label.
  if (label.length > 0) labels.push(label);
  return labels;
}
