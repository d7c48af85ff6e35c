import { describe, expect, test } from '@jest/globals';
import { formatPrefix } from '../../../../shared/protocol/ip.ts';
import { isSpfRecord, parseRecord, resemblesSpfRecord } from '../../../../shared/protocol/spf/record.ts';
import { asWritten, byAnswer, byPlace, words } from '../../../kit/answers.ts';

const kindOf = (text: string): string =>
  isSpfRecord(text) ? 'a record' : resemblesSpfRecord(text) ? 'resembles a record' : 'no record';

test('texts that almost begin like a record (RFC 7208 section 4.5)', () => {
  const texts = ['v=spf1', 'V=SPF1 -all', 'v=spf1  ', 'v=spf2.0/pra', 'google-site-verification=spf', ''];
  expect(byAnswer(asWritten(texts), kindOf)).toMatchSnapshot();
  expect(byPlace('v=spf1 a', [' ', '\t', 'x', '"', ';', '0', 'V'], kindOf)).toMatchSnapshot('by place');
  const blanks = Array.from({ length: 10 }, (_, n) => ' '.repeat(n));
  const spaced = blanks.flatMap((blank) => [`${blank}v=spf1`, `v${blank}=spf1`, `v=${blank}spf1`]);
  expect(byAnswer(asWritten(spaced), kindOf)).toMatchSnapshot('blanks');
});

/** What a term means, with its domain as written, or its fault (RFC 7208 section 4.6). */
function answer(term: string): string {
  const { terms, mechanisms } = parseRecord(`v=spf1 ip4:192.0.2.1 ${term} -all`);
  const middle = terms.slice(1, -1).map(({ at, text: _, ...read }) => {
    if (read.kind === 'invalid') return `${read.fault}${at === 21 ? '' : ` at ${at}`}`;
    const words = Object.entries(read).map(([name, value]) =>
      name === 'network' ? formatPrefix(value) : (value?.text ?? value),
    );
    return words
      .map((value) => (typeof value === 'object' ? Object.values(value).join('//') : value))
      .join(' ');
  });
  const isMechanism = mechanisms.length === terms.length;
  return `${middle.join(' | ')}${isMechanism ? '' : ' (no mechanism)'}`;
}

describe('recorded answers', () => {
  const names = words(`all include a mx ptr ip4 ip6 exists redirect exp moo.cow-f_1`);
  const values = ['', ...words(`b.example 192.0.2.1 192.0.2.9/24 2001:DB8::1/32 %{d} %{c}.b.example 50%`)];

  test('to each term with each kind of value', () => {
    const terms = names.flatMap((name) => [
      name,
      `-${name.toUpperCase()}`,
      ...['/24', '//64', '.', '1', ':b.example/24//64'].map((end) => `${name}${end}`),
      ...values.map((value) => `${name}:${value}`),
      ...values
        .slice(0, /^(?:a|redirect|exp|moo)/.test(name) ? values.length : 1)
        .map((value) => `${name}=${value}`),
    ]);
    expect(byAnswer(asWritten(terms), answer)).toMatchSnapshot();
  });

  test('to prefix lengths', () => {
    const lengths = words(`/0 /1 /9 /08 /024 /31 /32 /33 /99 /100 //0 //9 //064 //127 //128 //129 //999 //1000
      /24//64 /24/64 //64/24 ///24 / // /x`);
    const hosts = ['a', 'mx:b.example', 'ip4:192.0.2.9', 'ip6:2001:db8::1'];
    const terms = lengths.flatMap((length) => hosts.map((host) => `${host}${length}`));
    expect(byAnswer(asWritten(terms), answer)).toMatchSnapshot();
  });

  test('to domains', () => {
    const domains =
      words(`b.example. b.1a. .c. b.xn--p1ai b.1-2 b.1 b.a1 museum. localhost b.-org b.org- b.o-rg b..org .org .
      192.0.2.256 b.example:8080 foo:bar/baz.example %{d}org %{d}.org %{d} a.%% %_ b.\u00fcg b\u0000.example
      %{x}.b.org %(i).b.org %{d0} %{d2x} %{d %{ir}.%{l1r+-}._spf.%{d2} %{R}.b.org`);
    expect(byAnswer(asWritten(domains.map((domain) => `a:${domain}`)), answer)).toMatchSnapshot();
  });

  test('to terms that are none', () => {
    const terms =
      words(`++all +all ?all ~all =all -redirect=b.example -x=y spf2:x 1up=foo 192.0.2.1 al _a=b a_=b
      a=192.0.2.1 :b.example / a24 ip6:fe80::1%eth0 -ip4=192.0.2.1 +a=b.example`);
    terms.push(
      '?all\t',
      '\u00a0mx',
      '\u200eip4:192.0.2.1',
      '\u2013all',
      'a:b.example\tmx',
      'ip4:192.0.2.1\n',
    );
    expect(byAnswer(asWritten(terms), answer)).toMatchSnapshot();
  });
});

describe('a record', () => {
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
