import { describe, expect, test } from '@jest/globals';
import { inspectHeaders, parseDate } from '../../../shared/mail-test/headers.ts';
import { readHeaderSection } from '../../../shared/protocol/message/header-section.ts';

describe('a date', () => {
  test.each([
    ['Thu, 1 Jan 2026 10:00:00 +0000', '2026-01-01T10:00:00.000Z'],
    ['1 Jan 126 10:00 +0130', '2026-01-01T08:30:00.000Z'],
    ['Thu, 01 Jan 2026 10:00:00 -0500 (EST)', '2026-01-01T15:00:00.000Z'],
    ['Thu, 1 Jan 49 10:00:60 GMT', '2049-01-01T10:01:00.000Z'],
    ['Thu, 1 Jan 50 10:00:00 PST', '1950-01-01T18:00:00.000Z'],
    ['Thu, 1 Jan 2026 10:00:00 PDT', '2026-01-01T17:00:00.000Z'],
    ['Thu, 1 Jan 2026 10:00:00 MST', '2026-01-01T17:00:00.000Z'],
    ['Thu, 1 Jan 2026 10:00:00 MDT', '2026-01-01T16:00:00.000Z'],
    ['Thu, 1 Jan 2026 10:00:00 CST', '2026-01-01T16:00:00.000Z'],
    ['Thu, 1 Jan 2026 10:00:00 CDT', '2026-01-01T15:00:00.000Z'],
    ['Thu, 1 Jan 2026 10:00:00 EST', '2026-01-01T15:00:00.000Z'],
    ['Thu, 1 Jan 2026 10:00:00 EDT', '2026-01-01T14:00:00.000Z'],
    ['Thu,  1  January 2026 10:00:00'.padEnd(300), '2026-01-01T10:00:00.000Z'],
    ['Thu ,1 Jan 2026 10(hours): 30  :  07 +0000 (UTC (as everywhere))', '2026-01-01T10:30:07.000Z'],
  ])('reads %p as %s', (text, iso) => {
    expect(parseDate(text)?.toISOString()).toBe(iso);
  });

  test.each([
    '',
    'yesterday',
    '31 Feb 2026 10:00:00 +0000',
    '1 Foo 2026 10:00:00 +0000',
    '1 Jan 2026 24:00:00 +0000',
    '1 Jan 2026 1 0:00:00 +0000',
    '1 Jan 2026 10:60:00 +0000',
    '1 Jan 2026 10:00:61 +0000',
    '2026-01-01T10:00:00Z',
    '1 Jan 2026 10:00:00 +0000'.padEnd(301),
    `${'('.repeat(100_000)}`,
  ])('rejects %p', (text) => {
    expect(parseDate(text)).toBeNull();
  });
});

describe('the header fields', () => {
  const inspect = (...lines: string[]) =>
    inspectHeaders(
      readHeaderSection(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)),
      new Date('2026-01-01T10:00:00Z'),
    );

  test('are all reported as present', () => {
    expect(inspect('Message-ID: <a@example.org>', 'Date: Thu, 1 Jan 2026 10:00:00 +0000')).toEqual({
      messageId: '<a@example.org>',
      date: '2026-01-01T10:00:00.000Z',
      dateStatus: 'valid',
    });
  });

  test.each([
    ['all as missing in an empty header', [], null, 'missing'],
    ['an empty Message-ID', ['Message-ID:  '], null, 'missing'],
    ['an invalid date', ['Date: tomorrow'], null, 'unreadable'],
    ['a date in the future', ['Date: Thu, 1 Jan 2026 10:05:01 +0000'], null, 'future'],
    ['a date within the tolerated clock skew', ['Date: Thu, 1 Jan 2026 10:05:00 +0000'], null, 'valid'],
    ['a date long ago', ['Date: Thu, 1 Jan 1970 10:04:00 +0000'], null, 'valid'],
  ])('report %s', (_what, lines, messageId, dateStatus) => {
    expect(inspect(...lines)).toMatchObject({ messageId, dateStatus });
  });
});
