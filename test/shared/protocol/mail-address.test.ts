import { describe, expect, test } from '@jest/globals';
import { parseMailAddress } from '../../../shared/protocol/mail-address.ts';

describe('a mail address', () => {
  test.each([
    ['ops@example.org', 'ops@example.org', 'example.org'],
    ["O'Brien+alerts@EXAMPLE.org", "O'Brien+alerts@example.org", 'example.org'],
    ['ops@bücher.example', 'ops@xn--bcher-kva.example', 'xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`, 'example.org'],
  ])('%j is accepted', (text, address, domain) => {
    expect(parseMailAddress(text)).toEqual({ address, domain });
  });

  test.each([
    ['no characters', ''],
    ['no domain', 'ops'],
    ['an empty domain', 'ops@'],
    ['no local part', '@example.org'],
    ['a single label', 'ops@localhost'],
    ['a trailing dot', 'ops@example.org.'],
    ['an address literal', 'ops@[192.0.2.1]'],
    ['a bare address', 'ops@192.0.2.1'],
    ['two dots', 'o..ps@example.org'],
    ['a quoted local part', '"o ps"@example.org'],
    ['a display name', 'Ops <ops@example.org>'],
    ['a list', 'a@example.org,b@example.org'],
    ['two at signs', 'a@b@example.org'],
    ['a comment', 'ops(x)@example.org'],
    ['an appended header', 'ops@example.org\r\nBcc: all@example.org'],
    ['a header before it', 'x\r\nBcc: all@example.org'],
    ['a NUL', 'ops\0@example.org'],
    ['white space around it', ' ops@example.org '],
    ['a local part that is too long', `${'a'.repeat(65)}@example.org`],
    ['a length above the limit of a path', `ops@${'a.'.repeat(125)}example`],
    ['non-ASCII letters', 'öps@example.org'],
  ])('with %s is rejected', (_title, text) => {
    expect(parseMailAddress(text)).toBeUndefined();
  });
});
