import { describe, expect, test } from '@jest/globals';
import { eventTime, html, timeElement, untrustedText, visibleStart } from '../../../shared/pages/markup.ts';
import { formatNumber, pluralize } from '../../../shared/protocol/quantity.ts';
import { timeInWords } from '../../../shared/protocol/time.ts';

describe('untrusted text', () => {
  test.each([
    ['printable ASCII', 'include:_spf.example.org', 'include:_spf.example.org'],
    ['markup', '<script>alert("x")</script>', '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;'],
    ['the end of an attribute', `'"&`, '&#39;&quot;&amp;'],
    ['a NUL', 'a\u0000b', 'a<span class="odd">\\u{0}</span>b'],
    ['a line break', 'a\r\nb', 'a<span class="odd">\\u{d}\\u{a}</span>b'],
    ['a right-to-left override', 'a\u202eb', 'a<span class="odd">\\u{202e}</span>b'],
    ['a zero-width space', 'a\u200bb', 'a<span class="odd">\\u{200b}</span>b'],
    ['a no-break space', 'v=spf1\u00a0-all', 'v=spf1<span class="odd">\\u{a0}</span>-all'],
    ['a look-alike letter of another script', 'ex\u0430mple', 'ex<span class="odd">\\u{430}</span>mple'],
    ['combining marks stacked on a letter', 'a\u0301\u0302', 'a<span class="odd">\\u{301}\\u{302}</span>'],
    ['a character beyond the Basic Multilingual Plane', '\u{1f4e7}', '<span class="odd">\\u{1f4e7}</span>'],
    ['a lone surrogate', '\ud83d', '<span class="odd">\\u{d83d}</span>'],
    ['an empty text', '', ''],
  ])('with %s is shown unambiguously', (_what, text, shown) => {
    expect(String(untrustedText(text))).toBe(shown);
  });

  test('above the limit is cut, and shows its length', () => {
    expect(String(visibleStart('x'.repeat(20_000), 5))).toBe(
      'xxxxx<span class="note">… 20,000 characters in total</span>',
    );
    expect(String(visibleStart('xxxxx', 5))).toBe('xxxxx');
  });
});

test('a template escapes inserted values, also in attributes', () => {
  const value = '" autofocus onfocus="alert(1)';
  expect(String(html`<input value="${value}">`)).toBe(
    '<input value="&quot; autofocus onfocus=&quot;alert(1)">',
  );
});

test('numbers and times are shown in words', () => {
  expect([formatNumber(16_777_216), pluralize(1, 'lookup'), pluralize(0, 'lookup')]).toEqual([
    '16,777,216',
    '1 lookup',
    '0 lookups',
  ]);
  expect(timeInWords('2026-11-01T09:05:59.999Z')).toBe('1 Nov 2026, 09:05 UTC');
});

test('an event in the future says that a clock was wrong, and one within a minute does not', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');
  const [soon, future] = ['2026-03-01T12:01:00.000Z', '2026-03-02T12:00:00.000Z'];
  expect(`${eventTime(soon, now)}`).toBe(`${timeElement(soon)}`);
  expect(`${eventTime(future, now)}`).toBe(
    `${timeElement(future)} (in the future, because a clock was wrong)`,
  );
});
