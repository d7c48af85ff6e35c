/**
 * Messages as Exchange packs them for Outlook (winmail.dat, [MS-OXTNEF]): a sequence of attributes, some of which contain
 * properties. Presented as the equivalent compound file.
 */

import { MAX_MIME_PARTS } from '../limits.ts';
import { tooLarge, unreadable } from '../refusal.ts';
import type { Storage, Stream } from './compound-file.ts';
import { ATTACHMENT, PROPERTIES, PROPERTY, streamName, TYPE } from './properties.ts';

type Entries = Map<string, Stream | Storage>;

/** The properties that are kept; a hostile file can have any number of others. */
const kept: ReadonlySet<number> = new Set(Object.values(PROPERTY));

const SIGNATURE = Buffer.from('789f3e22', 'hex');
/** The signature and a meaningless key. */
const HEADER_BYTES = 6;
const CHECKSUM_BYTES = 2;
/** Section 2.1.3.2: the levels of attributes. */
const levels: ReadonlySet<number> = new Set([1, 2]);
const ATTRIBUTE = {
  messageProperties: 0x0006_9003,
  body: 0x0002_800c,
  beginOfAttachment: 0x0006_9002,
  title: 0x0001_8010,
  data: 0x0006_800f,
  attachmentProperties: 0x0006_9005,
} as const;

/** Section 2.1.3.4: value sizes in bytes by type ([MS-OXCDATA] section 2.11.1); values of other types state their size. */
const fixedSizes: ReadonlyMap<number, number> = new Map([
  ...[0x0003, 0x0004, 0x000a].map((type) => [type, 4] as const),
  ...[0x0002, 0x000b].map((type) => [type, 2] as const),
  ...[0x0005, 0x0006, 0x0007, 0x0014, 0x0040].map((type) => [type, 8] as const),
  [0x0048, 16],
]);
const MULTIPLE = 0x1000;
/** Ids from here on are followed by a name. */
const NAMED = 0x8000;
const GUID_BYTES = 16;

/** Whether a TNEF file starts here. */
export function isTnef(bytes: Uint8Array): boolean {
  return SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length));
}

/** Opens a message. Throws a refusal if the file is corrupt or truncated. */
export function openTnef(bytes: Uint8Array): Storage {
  const message: Entries = new Map([[PROPERTIES, stream(new Uint8Array())]]);
  let attachment: Entries = new Map();
  let attachments = 0;
  const cursor = new Cursor(bytes.subarray(HEADER_BYTES));
  while (levels.has(cursor.next())) {
    cursor.take(1);
    const id = cursor.number(4);
    const data = cursor.take(cursor.number(4));
    cursor.take(CHECKSUM_BYTES);
    if (id === ATTRIBUTE.messageProperties) readProperties(data, message);
    else if (id === ATTRIBUTE.body) set(message, PROPERTY.body, TYPE.octets, data);
    else if (id === ATTRIBUTE.beginOfAttachment) {
      if (attachments === MAX_MIME_PARTS)
        throw tooLarge(`the mail has more than ${MAX_MIME_PARTS} MIME parts`);
      const listed: Entries = new Map();
      attachment = listed;
      const name = ATTACHMENT + String(attachments++).padStart(8, '0');
      message.set(name, { kind: 'storage', list: () => listed });
    } else if (id === ATTRIBUTE.title) set(attachment, PROPERTY.fileName, TYPE.octets, data);
    else if (id === ATTRIBUTE.data) set(attachment, PROPERTY.data, TYPE.binary, data);
    else if (id === ATTRIBUTE.attachmentProperties) readProperties(data, attachment);
  }
  return { kind: 'storage', list: () => message };
}

function readProperties(data: Uint8Array, into: Entries): void {
  const cursor = new Cursor(data);
  for (let left = cursor.number(4); left > 0; left--) {
    const typed = cursor.number(2);
    const id = cursor.number(2);
    if (id >= NAMED) skipName(cursor);
    const type = typed & ~MULTIPLE;
    const size = fixedSizes.get(type);
    const count = typed !== type || size === undefined ? cursor.number(4) : 1;
    if (size !== undefined) cursor.takePadded(size * count);
    else for (let at = 0; at < count; at++) set(into, id, type, cursor.takePadded(cursor.number(4)));
  }
}

/** A number, or text of this many bytes. */
function skipName(cursor: Cursor): void {
  cursor.take(GUID_BYTES);
  const isNumber = cursor.number(4) === 0;
  const value = cursor.number(4);
  if (!isNumber) cursor.takePadded(value);
}

/** Text ends with a zero; an embedded message is another TNEF file after the id of its interface. */
function set(entries: Entries, property: number, type: number, value: Uint8Array): void {
  if (!kept.has(property)) return;
  const name = streamName(property, type);
  const inner = value.subarray(GUID_BYTES);
  if (type === TYPE.octets) entries.set(name, stream(value.at(-1) === 0 ? value.subarray(0, -1) : value));
  else if (type === TYPE.unicode) entries.set(name, stream(value.subarray(0, -2)));
  else if (type !== TYPE.object) entries.set(name, stream(value));
  else if (isTnef(inner)) entries.set(name, { kind: 'storage', list: () => openTnef(inner).list() });
}

const stream = (bytes: Uint8Array): Stream => ({ kind: 'stream', read: () => bytes });

class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The next byte; 0 at the end. */
  next(): number {
    return this.#bytes[this.#at] ?? 0;
  }

  number(bytes: 2 | 4): number {
    const at = this.#pass(bytes);
    return bytes === 2 ? this.#view.getUint16(at, true) : this.#view.getUint32(at, true);
  }

  take(length: number): Uint8Array {
    const at = this.#pass(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** Values are padded to multiples of four bytes. */
  takePadded(length: number): Uint8Array {
    const at = this.#pass(Math.ceil(length / 4) * 4);
    return this.#bytes.subarray(at, at + length);
  }

  #pass(length: number): number {
    const at = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw unreadable('the TNEF file is corrupt or truncated');
    return at;
  }
}
