/** TNEF messages of Exchange ([MS-OXTNEF]) for tests. */

export interface PackedMessage {
  readonly body?: string;
  /** Attributes of the message itself. */
  readonly properties?: readonly Buffer[];
  readonly attachments?: readonly PackedAttachment[];
}

export interface PackedAttachment {
  readonly title?: string;
  readonly bytes?: Uint8Array;
  readonly properties?: readonly Buffer[];
}

const SIGNATURE = Buffer.from('789f3e22', 'hex');
/** IID_IMessage, the interface of an embedded message. */
const MESSAGE = Buffer.from('0703020000000000c000000000000046', 'hex');

export function tnefFile({ body, properties, attachments = [] }: PackedMessage): Buffer {
  return Buffer.concat([
    SIGNATURE,
    Buffer.from([1, 0]),
    attribute(1, 0x0008_9006, number(0x0001_0000, 4)),
    ...(body === undefined ? [] : [attribute(1, 0x0002_800c, Buffer.from(`${body}\0`))]),
    ...(properties === undefined ? [] : [attribute(1, 0x0006_9003, list(properties))]),
    ...attachments.flatMap((attachment) => [
      attribute(2, 0x0006_9002, Buffer.alloc(14)),
      ...(attachment.title === undefined
        ? []
        : [attribute(2, 0x0001_8010, Buffer.from(`${attachment.title}\0`))]),
      ...(attachment.bytes === undefined ? [] : [attribute(2, 0x0006_800f, attachment.bytes)]),
      ...(attachment.properties === undefined
        ? []
        : [attribute(2, 0x0006_9005, list(attachment.properties))]),
    ]),
  ]);
}

/** A message as a property of an attachment. */
export const inner = (message: Uint8Array): Buffer =>
  sized(0x3701, 0x0d, [Buffer.concat([MESSAGE, message])]);
export const unicode = (id: number, text: string): Buffer =>
  sized(id, 0x1f, [Buffer.from(`${text}\0`, 'utf16le')]);

/** A property whose values have a length prefix. */
export function sized(id: number, type: number, values: readonly Uint8Array[]): Buffer {
  const written = values.flatMap((value) => [number(value.length, 4), padded(value)]);
  return Buffer.concat([tag(id, type), number(values.length, 4), ...written]);
}

/**
 * A property whose length follows from its type; `value` and `name` are hexadecimal. IDs from 0x8000 on need a name.
 */
export const fixed = (id: number, type: number, value: string, name = ''): Buffer =>
  Buffer.concat([tag(id, type), Buffer.from(name, 'hex'), padded(Buffer.from(value, 'hex'))]);

const tag = (id: number, type: number): Buffer => Buffer.concat([number(type, 2), number(id, 2)]);
const list = (properties: readonly Buffer[]): Buffer =>
  Buffer.concat([number(properties.length, 4), ...properties]);

function attribute(level: number, id: number, data: Uint8Array): Buffer {
  const checksum = data.reduce((sum, byte) => (sum + byte) % 0x1_0000, 0);
  return Buffer.concat([
    Buffer.from([level]),
    number(id, 4),
    number(data.length, 4),
    data,
    number(checksum, 2),
  ]);
}

function number(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}

const padded = (bytes: Uint8Array): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
