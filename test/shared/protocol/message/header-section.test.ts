import { describe, expect, test } from '@jest/globals';
import {
  MAX_HEADER_OCTETS,
  readHeaderSection,
  valuesOf,
} from '../../../../shared/protocol/message/header-section.ts';
import { asWritten, byAnswer, byPlace, listed, type Named, printed } from '../../../kit/answers.ts';

const read = (text: string) => readHeaderSection(Buffer.from(text, 'utf8'));

describe('a header section', () => {
  test('is read as recorded', () => {
    const texts = [
      '',
      ...listed(`A: 1\r\nB: 2\r\n\r\nbody | A: 1\nB: 2\n\nbody | A: 1\nB: 2\n\r\nbody | \r\nFrom: a@example.org | \nx
      A: 1 | A: 1\r\n`),
      'A: \u00e9 ',
      ...listed(`A: 1\r\n\r\n | A: 1\r\n \r\n\r\nx |  A: 1 | A: 1\r\n b\r\n\tc\r\nD: 2 | A\r\n : 1 | A \t: 1 | A B: 1 | : 1
      A | a:b:c`),
      'A: 1\rB: 2\r\n\r\nx',
      '\r',
      '\rx',
      'A: 1\r\n\r',
      'é: 1',
      '~!: 1',
      ...[199, 200, 201].map((length) => `${'x'.repeat(length)}: 1`),
    ];
    const answer = (text: string) => {
      const { fields, bodyStart, complete } = read(text);
      return `${fields.map(({ name, value, raw }) => printed(`${name}=${value} (${raw.length})`)).join(' | ')}; body at ${bodyStart}${complete ? '' : ', cut'}`;
    };
    expect(byAnswer(asWritten(texts), answer)).toMatchSnapshot();
    expect(byPlace('A:1\r\n b\r\n\r\nx', ['\r', '\n', ' ', ':', 'x'], answer)).toMatchSnapshot('by place');
    const long = [-1, 0, 1].map(
      (more): Named<string> => [`${more} more`, `A: ${'x'.repeat(MAX_HEADER_OCTETS - 5 + more)}\r\n\r\nx`],
    );
    expect(byAnswer(long, (text) => answer(text).replaceAll(/x{9,}/g, 'x'))).toMatchSnapshot('limit');
  });

  test('is unfolded, read as UTF-8, and has case-insensitive names', () => {
    expect(valuesOf(read('SUBJECT: Grüße\r\n aus\r\n\tKöln\r\n\r\n'), 'subject')).toEqual([
      'Grüße aus\tKöln',
    ]);
  });
});
