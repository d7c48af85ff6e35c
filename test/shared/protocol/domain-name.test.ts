import { describe, expect, test } from '@jest/globals';
import {
  canonicalName,
  isLookupName,
  isOpenToAll,
  isWithin,
  mailDomainIn,
  nameInside,
  organizationalDomain,
  parseDomainName,
  parseLookupName,
  withoutWww,
} from '../../../shared/protocol/domain-name.ts';
import { asWritten, byAnswer, byPlace, words } from '../../kit/answers.ts';
import { corpusJson, corpusSuite } from '../../kit/corpus.ts';
import { mutations } from './mutations.ts';

const label = (length: number) => 'a'.repeat(length);
const name = (length: number) => `${`${label(49)}.`.repeat(4)}${label(length - 204)}.org`;

describe('user input', () => {
  test('gets the recorded answers', () => {
    const answer = (input: string) => {
      const [domain, lookup] = [parseDomainName(input), parseLookupName(input)].map((parsed) =>
        parsed.ok ? parsed.name : parsed.problem,
      );
      if (lookup === input) return domain === lookup ? 'as written' : `${domain}, for lookups as written`;
      return domain === lookup ? `${domain}` : `${domain}, for lookups ${lookup}`;
    };
    const inputs =
      words(`co.uk github.io _spf.example.org a._b.example.org a_.org com xn--p1ai uk.com www.co.uk
      a-.org -a.org a.b- [192.0.2.1] [::1] ::1 1.2.3 256.0.2.1 a.123 a.1b 0x7f.1 1 a..b .a.b a.b.. . .. a。b a.b。
      xn--.org xn--a.org me@example.org https://a.org *.a.org a.b/c a:53 example%2eorg bücher.example straße.de ﬀ.org
      a·b.org ①.org ☃.net`).concat(
        [62, 63, 64].map((length) => `${label(length)}.org`),
        [252, 253, 254, 255].map(name),
        ['', ' ', ' a.org\n', 'a b.org', 'a.org .', `${label(64)}.${name(253)}`],
      );
    expect(byAnswer(asWritten(inputs), answer)).toMatchSnapshot();
    expect(byPlace('ab.example', ['.', '-', '_', ' ', '*', '9', '。', 'A'], answer)).toMatchSnapshot(
      'by place',
    );
  });

  test('can be looked up', () => {
    const texts = ['', 'a', 'a.', '.a', 'a..b', ...[63, 64].map(label), ...[253, 254].map(name)];
    expect(byAnswer(asWritten(texts), (text) => String(isLookupName(text)))).toMatchSnapshot();
    expect(['A.Example.', 'a', '.', '', 'a..'].map(canonicalName)).toEqual(['a.example', 'a', '', '', 'a.']);
  });

  test('never causes an exception, and the canonical form parses to itself', () => {
    const seeds = words(`example.org Bücher.example xn--bcher-kva.example a-b.co.uk. 192.0.2.1 食狮.中国`);
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

test('recorded answers to pasted text', () => {
  const texts = words(`example.org example.org/ a://b.org //b.org https://example.org/path?x#y shop <b>
    HTTP://me:secret@example.org:8080/ mailto:me@example.org?subject=x mailto:ops@mail.example.org me@example.org
    a@b@example.org _spf.example.org:53 example.org:123456 192.0.2.1 192.0.2.1:25 2001:db8::1 [2001:db8::1]
    www.example.org WWW.example.org www.www.example.org wwww.example.org abcdefghijk://b.org 1://b.org`);
  // There is nothing below that could be a domain.
  const withoutDomain = words('www.com www.co.uk www.');
  const blanks = ['', ' Example.org. ', 'a b.example', ' https://www.Example.org:8443/path?q#f '];
  const answer = (typed: string) => `${nameInside(typed)} -> ${mailDomainIn(typed)}, ${withoutWww(typed)}`;
  expect(byAnswer(asWritten([...texts, ...withoutDomain, ...blanks]), answer)).toMatchSnapshot();
});

test('whether anybody can register names beside a name, and its organization', () => {
  const names = words(`a.com a.b.co.uk a.github.io a.blogspot.com a.s3.amazonaws.com a.edu a.ac.uk a.gov.uk`);
  const others = words(`a.test a.example a.invalid a.mil arpa com a.int x.gob.es localhost a.web.app`);
  const answer = (name: string) => `${isOpenToAll(name) ? 'open' : 'closed'}, ${organizationalDomain(name)}`;
  expect(byAnswer(asWritten([...names, ...others]), answer)).toMatchSnapshot();
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
