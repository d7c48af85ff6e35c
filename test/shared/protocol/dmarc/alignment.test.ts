import { describe, expect, test } from '@jest/globals';
import { alignmentOf } from '../../../../shared/protocol/dmarc/alignment.ts';

describe('an authenticated identifier (RFC 9989 section 4.4)', () => {
  test.each([
    ['aligns if it equals the Author Domain', 'r', ['example.org', null], ['example.org', null], 'aligned'],
    [
      'aligns in strict mode if it equals the Author Domain',
      's',
      ['example.org', null],
      ['example.org', null],
      'aligned',
    ],
    [
      'aligns in relaxed mode within one organization',
      'r',
      ['mail.example.org', 'example.org'],
      ['news.example.org', 'example.org'],
      'aligned',
    ],
    [
      'does not align in strict mode within one organization',
      's',
      ['mail.example.org', 'example.org'],
      ['example.org', 'example.org'],
      'not-aligned',
    ],
    [
      'does not align in relaxed mode with another organization',
      'r',
      ['example.net', 'example.net'],
      ['example.org', 'example.org'],
      'not-aligned',
    ],
    [
      'does not align with a parent that is another organization',
      'r',
      ['example.org', 'example.org'],
      ['unit.example.org', 'unit.example.org'],
      'not-aligned',
    ],
    ['is undecided if its organization is unknown', 'r', ['a.org', null], ['b.org', 'b.org'], 'unknown'],
    [
      'is undecided if the organization of the author is unknown',
      'r',
      ['a.org', 'a.org'],
      ['b.org', null],
      'unknown',
    ],
    ['needs no organization to fail in strict mode', 's', ['a.org', null], ['b.org', null], 'not-aligned'],
  ] as const)('%s', (_, mode, identifier, author, expected) => {
    const placed = ([domain, organizationalDomain]: readonly [string, string | null]) => ({
      domain,
      organizationalDomain,
    });
    expect(alignmentOf(placed(identifier), placed(author), mode)).toBe(expected);
  });
});
