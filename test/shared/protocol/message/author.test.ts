import { describe, expect, test } from '@jest/globals';
import { authorDomains, readAuthor } from '../../../../shared/protocol/message/author.ts';
import { readHeaderSection } from '../../../../shared/protocol/message/header-section.ts';

describe('the domains of a From field', () => {
  test.each([
    ['a@example.org', ['example.org']],
    ['Someone <a@EXAMPLE.org>', ['example.org']],
    ['"Someone, <b@example.net>" <a@example.org>', ['example.org']],
    ['a@example.org (b@example.net)', ['example.org']],
    ['a (nested (comment) <x@example.net>) <a@example.org>', ['example.org']],
    ['a@example.org, b@example.net', ['example.org', 'example.net']],
    ['Group: a@example.org, B <b@example.net>;', ['example.org', 'example.net']],
    ['"a@b"@example.org', ['example.org']],
    ['"quoted \\" quote" <a@example.org>', ['example.org']],
    ['<@relay.example:a@example.org>', ['example.org']],
    ['<@relay.example,@other.example:a@example.org>', ['example.org']],
    ['Someone <a@example(comment).  org>', ['example.org']],
    ['a @ mail . example . org', ['mail.example.org']],
    ['a@example org', []],
    ['a@bücher.example', ['xn--bcher-kva.example']],
    ['nobody', []],
    ['<>', []],
    ['a@', []],
    ['a@localhost', []],
    ['a@[192.0.2.1]', []],
  ])('of %p are %p', (value, domains) => {
    expect(authorDomains(value)).toEqual(domains);
  });

  test.each(['(', '<', '"', ',', 'a@b.example,', '\\', 'x:', '<a@b.example>', '<@a,', ' . '])(
    'are parsed in seconds from endless %p',
    (part) => {
      const start = performance.now();
      authorDomains(part.repeat(100_000));
      expect(performance.now() - start).toBeLessThan(5_000);
    },
  );
});

describe('the author', () => {
  test.each([
    ['From: a@example.org', { status: 'found', domain: 'example.org' }],
    ['From: a@example.org, b@example.org', { status: 'found', domain: 'example.org' }],
    [
      'From: a@example.org, b@example.net',
      { status: 'ambiguous', reason: 'several-authors', domain: 'example.org' },
    ],
    [
      'From: a@example.org\r\nFrom: a@example.org',
      { status: 'ambiguous', reason: 'several-from', domain: 'example.org' },
    ],
    ['From: nobody', { status: 'missing', reason: 'no-author-domain' }],
    ['To: a@example.org', { status: 'missing', reason: 'no-from' }],
  ])('is determined from %p', (header, author) => {
    expect(readAuthor(readHeaderSection(Buffer.from(`${header}\r\n\r\n`)))).toEqual(author);
  });
});
