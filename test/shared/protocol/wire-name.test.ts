import { describe, expect, test } from '@jest/globals';
import { encodeName, MalformedMessage, readName } from '../../../shared/protocol/wire-name.ts';

const wire = (...labels: string[]) =>
  Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);

describe('names in text and wire form', () => {
  test.each([
    ['encodes labels as counted octets', 'mx.example.org', wire('mx', 'example', 'org'), 'mx.example.org'],
    ['reads a trailing dot as the root', 'example.org.', wire('example', 'org'), 'example.org'],
    ['encodes the root as one zero octet', '.', wire(), ''],
    ['lowercases names when reading', 'EXAMPLE.org', wire('EXAMPLE', 'org'), 'example.org'],
    ['escapes a dot inside a label', 'a\\.b.example', wire('a.b', 'example'), 'a\\.b.example'],
    ['escapes a backslash', 'a\\\\b.example', wire('a\\b', 'example'), 'a\\\\b.example'],
    [
      'writes unprintable octets as decimal escapes',
      'a\\000\\255b.example',
      wire('a\x00\xffb', 'example'),
      'a\\000\\255b.example',
    ],
    [
      'encodes letters outside ASCII in UTF-8',
      'ü.example',
      wire('\xc3\xbc', 'example'),
      '\\195\\188.example',
    ],
    [
      'accepts a label of 63 octets',
      `${'a'.repeat(63)}.org`,
      wire('a'.repeat(63), 'org'),
      `${'a'.repeat(63)}.org`,
    ],
  ])('%s', (_title, written, encoded, read) => {
    expect(Buffer.from(encodeName(written) ?? [])).toEqual(encoded);
    expect(readName(encoded, 0)).toMatchObject({ name: read, next: encoded.length });
    expect(
      Buffer.from(encodeName(read) ?? [])
        .toString('latin1')
        .toLowerCase(),
    ).toBe(encoded.toString('latin1').toLowerCase());
  });

  test.each([
    ['an empty label', 'a..b'],
    ['a leading dot', '.example.org'],
    ['a label of 64 octets', `${'a'.repeat(64)}.org`],
    ['more than 255 octets', Array.from({ length: 5 }, () => 'a'.repeat(60)).join('.')],
    ['a decimal escape above 255', 'a\\256.org'],
    ['an escape at the end', 'a\\'],
    ['a very long text', 'a.'.repeat(100_000)],
  ])('rejects %s', (_title, written) => {
    expect(encodeName(written)).toBeUndefined();
  });

  test('follows a pointer back into the message and continues after it', () => {
    const message = Buffer.concat([wire('example', 'org'), Buffer.from([2, 0x6d, 0x78, 0xc0, 0, 0xff])]);
    expect(readName(message, 13)).toMatchObject({
      name: 'mx.example.org',
      wire: Uint8Array.from(wire('mx', 'example', 'org')),
      next: 18,
    });
  });

  test.each([
    ['that points to itself', Buffer.from([0xc0, 0])],
    ['that points forward', Buffer.from([0xc0, 2, 0])],
    ['in a loop of two pointers', Buffer.from([0xc0, 2, 0xc0, 0])],
    ['cut after the pointer octet', Buffer.from([0xc0])],
    ['cut inside a label', Buffer.from([5, 0x61])],
    ['without an end', Buffer.from([1, 0x61])],
    ['with an unknown label type', Buffer.from([0x41, 0x61, 0])],
    [
      'of more than 255 octets',
      Buffer.concat(Array.from({ length: 5 }, () => Buffer.from([63, ...Buffer.alloc(63, 0x61)]))),
    ],
  ])('rejects a name %s', (_title, message) => {
    expect(() => readName(message, message[0] === 0xc0 && message.length === 4 ? 2 : 0)).toThrow(
      MalformedMessage,
    );
  });

  test('does not follow a long chain of pointers', () => {
    const message = Buffer.alloc(4000);
    for (let at = 2; at < 4000; at += 2) message.writeUInt16BE(0xc000 | (at - 2), at);
    expect(() => readName(message, 3998)).toThrow('pointer');
  });
});
