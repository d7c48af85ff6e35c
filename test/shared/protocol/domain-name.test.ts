import { describe, expect, test } from '@jest/globals';
import {
  canonicalName,
  isLookupName,
  isWithin,
  mailDomainIn,
  nameInside,
  organizationalDomain,
  parseDomainName,
  parseLookupName,
} from '../../../shared/protocol/domain-name.ts';
import { corpusJson, corpusSuite } from '../../kit/corpus.ts';
import { mutations } from './mutations.ts';

const label = (length: number) => 'a'.repeat(length);
const name = (length: number) => `${`${label(49)}.`.repeat(4)}${label(length - 204)}.org`;

describe('user input', () => {
  test.each([
    ['canonical form', 'example.org', 'example.org'],
    ['upper case', 'EXAMPLE.Org', 'example.org'],
    ['a trailing dot', 'example.org.', 'example.org'],
    ['surrounding blanks', ' example.org\n', 'example.org'],
    ['any script (RFC 5891 section 5)', 'Bücher.example', 'xn--bcher-kva.example'],
    ['a full stop of another script (RFC 3490 section 3.1)', 'bücher。example', 'xn--bcher-kva.example'],
    ['labels of 63 octets', `${label(63)}.org`, `${label(63)}.org`],
    ['253 characters', name(253), name(253)],
  ])('is a domain name: %s', (_, input, expected) => {
    expect(parseDomainName(input)).toEqual({ ok: true, name: expected });
  });

  test.each([
    ['an empty text', '', 'empty'],
    ['the root', '.', 'empty'],
    ['an IP address', '192.0.2.1', 'ip-address'],
    ['an IP address in brackets', '[2001:db8::1]', 'ip-address'],
    ['a text that browsers read as an IP address', '1.2.3', 'numeric-top-level'],
    ['a number beyond the range of IP addresses', '256.0.2.1', 'numeric-top-level'],
    ['a name in a numeric top-level domain (RFC 3696 section 2)', 'a.example.123', 'numeric-top-level'],
    ['a single label', 'localhost', 'single-label'],
    ['a public suffix', 'co.uk', 'public-suffix'],
    ['a public suffix of a private registry', 'github.io', 'public-suffix'],
    ['an empty label', 'example..org', 'invalid-character'],
    ['a label that ends with a hyphen', 'example-.org', 'invalid-character'],
    ['a mail address', 'me@example.org', 'invalid-character'],
    ['a URL', 'https://example.org', 'invalid-character'],
    ['a blank within the name', 'exam ple.org', 'invalid-character'],
    ['a wildcard', '*.example.org', 'invalid-character'],
    ['a DNS name that is not a host name', '_dmarc.example.org', 'invalid-character'],
    ['a character that URL parsers read as a dot', 'example%2eorg', 'invalid-character'],
    ['a label of 64 octets', `${label(64)}.org`, 'label-too-long'],
    ['254 characters', name(254), 'name-too-long'],
  ])('is not a domain name: %s', (_, input, problem) => {
    expect(parseDomainName(input)).toEqual({ ok: false, problem });
  });

  test.each([
    ['a public suffix', 'co.uk'],
    ['a name with an underscore', '_spf.example.org'],
  ])('may be %s if only records are looked up', (_what, name) => {
    expect(parseLookupName(name)).toEqual({ ok: true, name });
  });

  test('never causes an exception, and the canonical form parses to itself', () => {
    const seeds = [
      'example.org',
      'Bücher.example',
      'xn--bcher-kva.example',
      'a-b.co.uk.',
      '192.0.2.1',
      '食狮.中国',
    ];
    let names = 0;
    for (const text of mutations(seeds, 5000)) {
      const parsed = parseDomainName(text);
      if (!parsed.ok) continue;
      names += 1;
      expect(parseDomainName(parsed.name)).toEqual(parsed);
      expect(isLookupName(parsed.name)).toBe(true);
      expect(canonicalName(parsed.name)).toBe(parsed.name);
    }
    expect(names).toBeGreaterThan(1000);
  });
});

test.each([
  ['example.org', 'example.org', true],
  ['mail.example.org', 'example.org', true],
  ['badexample.org', 'example.org', false],
  ['example.org', 'mail.example.org', false],
])('whether %s is within %s: %s', (inner, outer, expected) => {
  expect(isWithin(inner, outer)).toBe(expected);
});

test.each([
  ['example.org', 'example.org'],
  ['  example.org ', 'example.org'],
  ['https://example.org/path?x#y', 'example.org'],
  ['http://me:secret@example.org:8080/', 'example.org'],
  ['mailto:me@example.org?subject=x', 'example.org'],
  ['me@example.org', 'example.org'],
  ['_spf.example.org:53', '_spf.example.org'],
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '[2001:db8::1]'],
  ['example.org/', 'example.org'],
  ['a b.example', 'a b.example'],
  ['', ''],
])('the domain name in %j is %j', (typed, name) => {
  expect(nameInside(typed)).toBe(name);
});

test('a long line is parsed quickly', () => {
  const started = performance.now();
  nameInside(`${'a'.repeat(100_000)}@${'b:'.repeat(100_000)}`);
  expect(performance.now() - started).toBeLessThan(5_000);
});

corpusSuite('the vectors of the public suffix list', () => {
  const { cases } = corpusJson('psl/001-test-psl.json');
  // The list contains names as written, and we use A-labels.
  const kept = (text: string) => {
    const parsed = parseLookupName(text);
    return parsed.ok ? parsed.name : undefined;
  };

  for (const { input, registrable_domain: expected } of cases) {
    test(`${input} ${expected === null ? 'is in no organizational domain' : `is within ${expected}`}`, () => {
      const parsed = parseDomainName(input ?? '');
      expect(parsed.ok).toBe(expected !== null);
      if (parsed.ok) expect(organizationalDomain(parsed.name)).toBe(kept(expected));
    });
  }
});

test.each([
  ['example.org', 'example.org'],
  [' https://www.Example.org:8443/path?q#f ', 'example.org'],
  ['mailto:ops@mail.example.org', 'mail.example.org'],
  ['Ops@example.org', 'example.org'],
  ['www.example.org', 'example.org'],
  // There is nothing below that could be a domain.
  ['www.com', 'www.com'],
  ['www.co.uk', 'www.co.uk'],
  ['shop', 'shop'],
  [' <b> ', '<b>'],
  ['', ''],
])('the mail domain in %j is %j', (typed, name) => {
  expect(mailDomainIn(typed)).toBe(name);
});
