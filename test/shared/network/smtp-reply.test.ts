import { describe, expect, test } from '@jest/globals';
import { ReplyReader, writeReply } from '../../../shared/network/smtp-reply.ts';

function read(...chunks: string[]) {
  const reader = new ReplyReader();
  const replies = [];
  for (const chunk of chunks) {
    reader.push(Buffer.from(chunk, 'latin1'));
    for (let reply = reader.next(); reply !== undefined; reply = reader.next()) replies.push(reply);
  }
  return replies;
}

describe('SMTP replies (RFC 5321 section 4.2)', () => {
  test.each<[string, string[], object[]]>([
    ['one line', ['220 mx.test ESMTP\r\n'], [{ code: 220, lines: ['mx.test ESMTP'] }]],
    [
      'several lines',
      ['250-mx.test\r\n250-SIZE 1\r\n250 STARTTLS\r\n'],
      [{ code: 250, lines: ['mx.test', 'SIZE 1', 'STARTTLS'] }],
    ],
    ['a line split into pieces', ['2', '20 h', 'i\r', '\n'], [{ code: 220, lines: ['hi'] }]],
    [
      'two replies at once',
      ['220 a\r\n250 b\r\n'],
      [
        { code: 220, lines: ['a'] },
        { code: 250, lines: ['b'] },
      ],
    ],
    ['a code without text', ['250\r\n'], [{ code: 250, lines: [''] }]],
    ['a bare line feed ends a line', ['250 ok\n'], [{ code: 250, lines: ['ok'] }]],
    ['no reply before the line ends', ['250 ok'], []],
    ['a line of 2,048 octets', [`220 ${'x'.repeat(2044)}`, '\n'], [{ code: 220, lines: ['x'.repeat(2044)] }]],
    ['a hundred lines', ['250-x\n'.repeat(99), '250 x\n'], [{ code: 250, lines: Array(100).fill('x') }]],
  ])('%s', (_title, chunks, expected) => {
    expect(read(...chunks)).toEqual(expected);
  });

  test.each([
    ['text without a code', 'hello\r\n'],
    ['a code of two digits', '25 ok\r\n'],
    ['a code above 599', '600 ok\r\n'],
    ['a code below 200', '150 ok\r\n'],
    ['a code followed by text without a separator', '250ok\r\n'],
    ['a code that changes inside a reply', '250-a\r\n220 b\r\n'],
    ['a line without an end', `220 ${'x'.repeat(2045)}`],
    ['a line that is too long', `220 ${'x'.repeat(2045)}\n`],
    ['a reply without an end', '250-x\r\n'.repeat(101)],
    ['another protocol', 'HTTP/1.1 400 Bad Request\r\n'],
    ['nothing', '\r\n'],
  ])('%s is malformed', (_title, text) => {
    expect(() => read(text)).toThrow();
  });

  test('a reply prints as one line of visible characters', () => {
    expect(writeReply({ code: 554, lines: ['first', 'no\u001b[31m\u00fc access'] })).toBe(
      '554 no?[31m? access',
    );
    expect(writeReply({ code: 554, lines: ['x'.repeat(900)] })).toHaveLength(200);
    expect(writeReply({ code: 250, lines: [''] })).toBe('250');
  });
});
