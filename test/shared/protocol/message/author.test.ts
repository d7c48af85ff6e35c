import { describe, expect, test } from '@jest/globals';
import { authorDomains, readAuthor } from '../../../../shared/protocol/message/author.ts';
import { readHeaderSection } from '../../../../shared/protocol/message/header-section.ts';
import { asWritten, byAnswer, byPlace, listed } from '../../../kit/answers.ts';

describe('the domains of a From field', () => {
  test('are as recorded', () => {
    const values =
      listed(`a@example.org | Someone <a@EXAMPLE.org> | "Someone, <b@example.net>" <a@example.org> | a@example.org (b@example.net)
      a (nested (comment) <x@example.net>) <a@example.org> | a@example.org, b@example.net | Group: a@example.org, B <b@example.net>;
      "a@b"@example.org | "quoted \\" quote" <a@example.org> | <@relay.example:a@example.org> | <@relay.example,@other.example:a@example.org>
      Someone <a@example(comment).  org> | a @ mail . example . org | a@example org | a@bücher.example | nobody | <> | a@ | a@localhost
      a@[192.0.2.1] | a@b.c,,d@e.f | a@b.c;d@e.f | <a@b.c> <d@e.f> | <a@b.c>, x | x <a@b.c | a@b.c> | (a@b.c | a) x@y.z | "a@b.c
      a\\(@b.c | (\\)a@b.c) x@y.z | <@a.b> x@y.z | @b.c | a:b@c.d | <a:b@c.d> | a@b@c.d | <"x>"@b.c> | <x@b.c>y@d.e, z@f.g`);
    const answer = (value: string) => authorDomains(value).join(' ') || 'none';
    expect(byAnswer(asWritten(['', ...values]), answer)).toMatchSnapshot();
    expect(
      byPlace('"x" (y) <a@b.c>', ['"', '(', ')', '<', '>', ',', ':', ';', '\\', '@'], answer),
    ).toMatchSnapshot('by place');
    const many = [99, 100, 101].map((count) => authorDomains('a@b.c,'.repeat(count)).length);
    const long = [65_530, 65_531, 65_532].map((blanks) =>
      authorDomains(`${' '.repeat(blanks)}a@b.cd`).join(),
    );
    expect([many, long]).toEqual([
      [99, 100, 100],
      ['b.cd', 'b.c', ''],
    ]);
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
