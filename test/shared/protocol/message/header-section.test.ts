import { describe, expect, test } from '@jest/globals';
import {
  MAX_HEADER_OCTETS,
  readHeaderSection,
  valuesOf,
} from '../../../../shared/protocol/message/header-section.ts';

const read = (text: string) => readHeaderSection(Buffer.from(text, 'utf8'));

describe('a header section', () => {
  test.each([
    ['CRLF', 'A: 1\r\nB: 2\r\n\r\nbody'],
    ['bare line feeds', 'A: 1\nB: 2\n\nbody'],
    ['both', 'A: 1\nB: 2\n\r\nbody'],
  ])('ends at the first empty line with %s', (_what, text) => {
    const section = read(text);
    expect(section.fields.map(({ name, value }) => [name, value])).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(text.slice(section.bodyStart)).toBe('body');
  });

  test.each([
    ['an empty message', '', 0, 0],
    ['a message that starts with an empty line', '\r\nFrom: a@example.org', 0, 2],
    ['a header without a body', 'A: 1', 1, 4],
  ])('is read from %s', (_what, text, fields, bodyStart) => {
    const section = read(text);
    expect(section.fields).toHaveLength(fields);
    expect(section.bodyStart).toBe(bodyStart);
  });

  test('is unfolded, read as UTF-8, and has case-insensitive names', () => {
    expect(valuesOf(read('SUBJECT: Grüße\r\n aus\r\n\tKöln\r\n\r\n'), 'subject')).toEqual([
      'Grüße aus\tKöln',
    ]);
  });

  test('keeps lines that are not fields, without a name', () => {
    expect(read('no field\r\nA : 1\r\n\r\n').fields).toMatchObject([
      { name: '', value: 'no field' },
      { name: 'a', value: '1' },
    ]);
  });

  test('is read up to a limit above real messages', () => {
    const section = read(`A: ${'x'.repeat(MAX_HEADER_OCTETS)}\r\nB: 1\r\n\r\nbody`);
    expect(section.complete).toBe(false);
    expect(section.fields).toHaveLength(1);
  });
});
