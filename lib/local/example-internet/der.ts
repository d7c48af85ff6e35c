/** Writes the subset of DER (ITU-T X.690) that certificates need. */

type Tag = 'boolean' | 'integer' | 'bits' | 'octets' | 'oid' | 'text' | 'ia5' | 'time' | 'sequence' | 'set';

const tags: Readonly<Record<Tag, number>> = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  text: 0x0c,
  ia5: 0x16,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
};

/** An element of a universal type with the given content. */
export function der(tag: Tag, ...content: readonly Uint8Array[]): Buffer {
  return element(tags[tag], content);
}

/** An element with a context-specific tag, `[number]`; constructed if it contains elements. */
export function context(
  number: number,
  form: 'primitive' | 'constructed',
  ...content: readonly Uint8Array[]
): Buffer {
  return element((form === 'constructed' ? 0xa0 : 0x80) | number, content);
}

/** An object identifier such as `1.2.840.10045`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der('oid', Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** UTCTime, which certificates use until 2049 (RFC 5280 section 4.1.2.5.1). */
export function time(date: Date): Buffer {
  return der(
    'time',
    Buffer.from(
      `${date
        .toISOString()
        .replace(/[-:T]|\.\d+Z/g, '')
        .slice(2)}Z`,
    ),
  );
}

export function text(value: string): Buffer {
  return der('text', Buffer.from(value));
}

/** A bit string of whole bytes. */
export function bits(octets: Uint8Array): Buffer {
  return der('bits', Buffer.of(0), octets);
}

function element(tag: number, content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), body]);
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
  return groups;
}
