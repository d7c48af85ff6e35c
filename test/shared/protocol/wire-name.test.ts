import { describe, expect, test } from '@jest/globals';
import { encodeName, MalformedMessage, readName } from '../../../shared/protocol/wire-name.ts';
import { asWritten, byAnswer, byOctet, listed, type Named, words } from '../../kit/answers.ts';

const wire = (...labels: string[]) =>
  Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);

describe('names in text and wire form', () => {
  test('get the recorded answers', () => {
    const answer = (text: string) => {
      const encoded = encodeName(text);
      return encoded === undefined
        ? 'no name'
        : `${Buffer.from(encoded).toString('hex')} ${readName(encoded, 0).name}`;
    };
    const label = (length: number) => 'a'.repeat(length);
    const texts = [
      ...['', ...words(`. .. a a. a.. .a a..b A.b ü.b a\\.b a\\\\b a\\ a\\000b a\\255 a\\256`)],
      ' ',
      ...listed(
        `a\\25 | a\\2555 | a\\999 | \\a | a\\032b | a b | a\u007f | \u00e9 | a\\033 | a\\126 | a\\127`,
      ),
    ];
    expect(byAnswer(asWritten(texts), answer)).toMatchSnapshot();
    const long = [62, 63, 64].map(label);
    const whole = [253, 254, 255].map((length) => `${`${label(49)}.`.repeat(5)}${label(length - 250)}`);
    const inLength = (text: string) => `${encodeName(text)?.length ?? 'no name'}`;
    const tooLong = ['a.'.repeat(100_000), '\\097'.repeat(63), `${'\\097'.repeat(63)}.`.repeat(4)];
    expect(byAnswer(asWritten([...long, ...whole, ...tooLong]), inLength)).toMatchSnapshot('lengths');
  });

  test('are read from messages, or are malformed, as recorded', () => {
    const message = Uint8Array.from([
      ...wire('example', 'org'),
      2,
      0x6d,
      0x78,
      0xc0,
      0,
      1,
      0x4d,
      0xc0,
      13,
      0xff,
    ]);
    const read = (octets: Uint8Array) =>
      [0, 13, 18].map((at) => {
        try {
          const { name, wire: whole, next } = readName(octets, at);
          return `${name.split(/\b\./).length} ${whole.length} ${next}`;
        } catch (error) {
          return error instanceof MalformedMessage ? error.message.replace('name ', '') : 'another error';
        }
      });
    expect(byOctet(message, (octets) => read(octets).join(' | '))).toMatchSnapshot();
    const labels = (lengths: readonly number[]) =>
      Uint8Array.from([...lengths.flatMap((length) => [length, ...Array<number>(length).fill(0x61)]), 0]);
    const lengths = [
      [63],
      [64],
      [63, 63, 63, 61],
      [63, 63, 63, 62],
      [63, 63, 63, 63],
      Array<number>(127).fill(1),
    ];
    const ofLabels = lengths.map((of): Named<Uint8Array> => [of.join(), labels(of)]);
    expect(byAnswer(ofLabels, (octets) => read(octets)[0]?.replaceAll(/a+/g, '') ?? '')).toMatchSnapshot(
      'lengths',
    );
    // Each points to the one before it.
    const chain = Uint8Array.from({ length: 300 }, (_, at) =>
      at < 2 ? 0 : at % 2 === 0 ? 0xc0 | ((at - 2) >> 8) : (at - 3) & 0xff,
    );
    const ends = [2, 4, 252, 254, 256, 258].map((at): Named<number> => [`${at / 2} pointers`, at]);
    const follow = (at: number) => {
      try {
        return `ends, next ${readName(chain, at).next - at}`;
      } catch (error) {
        return String(error);
      }
    };
    expect(byAnswer(ends, follow)).toMatchSnapshot('chains of pointers');
  });

  test('follows a pointer back into the message and continues after it', () => {
    const message = Buffer.concat([wire('example', 'org'), Buffer.from([2, 0x6d, 0x78, 0xc0, 0, 0xff])]);
    expect(readName(message, 13)).toMatchObject({
      name: 'mx.example.org',
      wire: Uint8Array.from(wire('mx', 'example', 'org')),
      next: 18,
    });
  });

  test('does not follow a long chain of pointers', () => {
    const message = Buffer.alloc(4000);
    for (let at = 2; at < 4000; at += 2) message.writeUInt16BE(0xc000 | (at - 2), at);
    expect(() => readName(message, 3998)).toThrow('pointer');
  });
});
