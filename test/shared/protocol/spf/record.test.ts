import { describe, expect, test } from '@jest/globals';
import {
  isSpfRecord,
  parseRecord,
  resemblesSpfRecord,
  type SpfRecord,
  type SyntaxFault,
} from '../../../../shared/protocol/spf/record.ts';

describe('the detection of SPF records (RFC 7208 section 4.5)', () => {
  test.each([
    ['v=spf1', true],
    ['v=spf1 -all', true],
    ['V=SPF1 -all', true],
    ['v=spf1  ', true],
    ['v=spf10', false],
    ['v=spf1-all', false],
    ['v=spf1\t-all', false],
    ['v=spf1;-all', false],
    [' v=spf1 -all', false],
    ['spf1 -all', false],
    ['', false],
  ])('of %j: %s', (text, expected) => {
    expect(isSpfRecord(text)).toBe(expected);
  });

  test.each([
    ['"v=spf1 -all"', true],
    [' v=spf1 -all', true],
    ['v = spf1 -all', true],
    ['v=spf2.0/pra -all', true],
    ['v=spf1;-all', true],
    ['v=spf1 -all', false],
    ['google-site-verification=spf', false],
  ])('recognizes a broken SPF record in %j: %s', (text, expected) => {
    expect(resemblesSpfRecord(text)).toBe(expected);
  });
});

/** The meaning of a record, without positions and spelling. */
const meaning = ({ terms }: SpfRecord) => terms.map(({ at: _, text: __, ...term }) => term);

describe('a valid record means the same as its canonical form', () => {
  test.each([
    ['v=spf1', 'v=spf1'],
    ['V=SPF1  +ALL  ', 'v=spf1 all'],
    ['v=spf1 -all', 'v=spf1 -all'],
    ['v=spf1 Include:_spf.Example.org ~all', 'v=spf1 include:_spf.Example.org ~all'],
    ['v=spf1 a mx ptr', 'v=spf1 a mx ptr'],
    ['v=spf1 a/24 mx//64 a/24//64 a/32//128', 'v=spf1 a/24 mx//64 a/24//64 a'],
    ['v=spf1 a/0 mx//0', 'v=spf1 a/0 mx//0'],
    ['v=spf1 a:example.org/24', 'v=spf1 a:example.org/24'],
    ['v=spf1 a:foo:bar/baz.example.org/24', 'v=spf1 a:foo:bar/baz.example.org/24'],
    ['v=spf1 ip4:192.0.2.1/24 ip4:192.0.2.1/32', 'v=spf1 ip4:192.0.2.0/24 ip4:192.0.2.1'],
    ['v=spf1 ip6:2001:DB8::1/32 ip6:::1', 'v=spf1 ip6:2001:db8::/32 ip6:::1'],
    ['v=spf1 exists:%{ir}.%{l1r+-}._spf.%{d2}', 'v=spf1 exists:%{ir}.%{l1r+-}._spf.%{d2}'],
    ['v=spf1 exists:%{d}', 'v=spf1 exists:%{d}'],
    ['v=spf1 exists:a.%%', 'v=spf1 exists:a.%%'],
    ['v=spf1 include:example.org.', 'v=spf1 include:example.org.'],
    ['v=spf1 include:example.xn--p1ai', 'v=spf1 include:example.xn--p1ai'],
    ['v=spf1 include:example.1-2', 'v=spf1 include:example.1-2'],
    ['v=spf1 REDIRECT=example.org EXP=why.example.org', 'v=spf1 redirect=example.org exp=why.example.org'],
    ['v=spf1 moo.cow-far_out=man:dog/cat', 'v=spf1 moo.cow-far_out=man:dog/cat'],
    ['v=spf1 empty=', 'v=spf1 empty='],
    ['v=spf1 a=192.0.2.1', 'v=spf1 a=192.0.2.1'],
  ])('%s', (text, canonical) => {
    const record = parseRecord(text);
    expect(record.problems).toEqual([]);
    expect(meaning(record)).toEqual(meaning(parseRecord(canonical)));
  });
});

describe('an invalid term makes the record a permerror (RFC 7208 section 4.6)', () => {
  test.each<[string, SyntaxFault]>([
    ['al', 'unknown-mechanism'],
    ['all.', 'unknown-mechanism'],
    ['ip:192.0.2.1', 'unknown-mechanism'],
    ['spf2:x', 'unknown-mechanism'],
    ['redirect:example.org', 'unknown-mechanism'],
    ['all:example.org', 'unexpected-argument'],
    ['all/8', 'unexpected-argument'],
    ['-redirect=example.org', 'unknown-mechanism'],
    ['--all', 'malformed-term'],
    ['=all', 'malformed-term'],
    ['1up=foo', 'malformed-term'],
    ['include', 'missing-domain'],
    ['include:', 'missing-domain'],
    ['exists', 'missing-domain'],
    ['exists:', 'missing-domain'],
    ['a:', 'missing-domain'],
    ['ptr:', 'missing-domain'],
    ['redirect=', 'missing-domain'],
    ['exp=', 'missing-domain'],
    ['include/24', 'invalid-prefix-length'],
    ['include:example.org/24', 'invalid-domain'],
    ['ptr/0', 'invalid-prefix-length'],
    ['a/33', 'invalid-prefix-length'],
    ['a//129', 'invalid-prefix-length'],
    ['a/024', 'invalid-prefix-length'],
    ['a/24/64', 'invalid-prefix-length'],
    ['a24', 'unknown-mechanism'],
    ['a:example.org/024', 'invalid-domain'],
    ['a:example.org:8080', 'invalid-domain'],
    ['a:localhost', 'invalid-domain'],
    ['a:museum.', 'invalid-domain'],
    ['a:192.0.2.1', 'address-for-domain'],
    ['a:192.0.2.1/24', 'address-for-domain'],
    ['include:192.0.2.0/24', 'address-for-domain'],
    ['mx:2001:db8::1', 'address-for-domain'],
    ['a:192.0.2.256', 'invalid-domain'],
    ['a:example.-org', 'invalid-domain'],
    ['a:example.org-', 'invalid-domain'],
    ['a:%{d}org', 'invalid-domain'],
    ['ip4', 'invalid-address'],
    ['ip4:', 'invalid-address'],
    ['ip4:192.0.2', 'invalid-address'],
    ['ip4:192.0.2.01', 'invalid-address'],
    ['ip4:192.0.2.1/33', 'invalid-address'],
    ['ip4:192.0.2.1/032', 'invalid-address'],
    ['ip4:192.0.2.1//32', 'invalid-address'],
    ['ip4:192.0.2.1:25', 'invalid-address'],
    ['ip4:2001:db8::1', 'invalid-address'],
    ['ip6', 'invalid-address'],
    ['ip6:192.0.2.1', 'invalid-address'],
    ['ip6:2001:db8::/129', 'invalid-address'],
    ['ip6:fe80::1%eth0', 'invalid-address'],
    ['exists:%{x}.example.org', 'invalid-macro'],
    ['exists:%(i).example.org', 'invalid-macro'],
    ['exists:%{d0}', 'invalid-macro'],
    ['exists:%{d2x}', 'invalid-macro'],
    ['exists:%{d', 'invalid-macro'],
    ['exists:50%.example.org', 'invalid-macro'],
    ['unknown=50%', 'invalid-macro'],
    ['exists:%{c}.example.org', 'explanation-macro'],
    ['exp=%{R}.example.org', 'explanation-macro'],
    ['include:b\u00fccher.example.org', 'invalid-character'],
    ['include:example\u0000.example.org', 'invalid-character'],
    ['ip4:192.0.2.1\n', 'invalid-character'],
    ['?all\t', 'invalid-character'],
    ['\u00a0mx', 'invalid-character'],
    ['\u200eip4:192.0.2.1', 'invalid-character'],
    ['\u2013all', 'invalid-character'],
    ['a:example.org\tmx', 'invalid-character'],
    ['\u201317', 'invalid-character'],
    ['192.0.2.1', 'malformed-term'],
  ])('%j: %s', (term, fault) => {
    const { problems, mechanisms } = parseRecord(`v=spf1 ip4:192.0.2.1 ${term} -all`);
    expect(problems).toEqual([{ kind: 'invalid', text: term, at: 21, fault }]);
    expect(mechanisms).toHaveLength(2);
  });

  test.each(['redirect', 'exp'])('%s may appear once', (name) => {
    const { problems } = parseRecord(`v=spf1 ${name}=a.example.org ${name.toUpperCase()}=b.example.org`);
    expect(problems.map(({ fault }) => fault)).toEqual(['duplicate-modifier']);
  });

  test('positions count from the start of the published record', () => {
    const text = 'v=spf1   a   nonsense mx  -all ';
    for (const term of parseRecord(text).terms)
      expect(text.slice(term.at, term.at + term.text.length)).toBe(term.text);
    expect(parseRecord(text).terms).toHaveLength(4);
  });
});
