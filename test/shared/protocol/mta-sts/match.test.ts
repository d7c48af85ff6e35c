import { describe, expect, test } from '@jest/globals';
import { mxMatcher } from '../../../../shared/protocol/mta-sts/match.ts';
import { corpusJson, corpusSuite } from '../../../kit/corpus.ts';

describe('an MX host and the mx fields of a policy (RFC 8461 section 4.1)', () => {
  test.each<[string, string, readonly string[], boolean]>([
    ['the same name matches', 'mx.example.org', ['mx.example.org'], true],
    ['case is ignored', 'MX.Example.ORG', ['mx.example.org'], true],
    ['one of several fields is enough', 'b.example.org', ['a.example.org', 'b.example.org'], true],
    ['a trailing dot is ignored', 'mx.example.org.', ['mx.example.org'], true],
    ['a wildcard matches one label', 'mx.example.org', ['*.example.org'], true],
    ['a wildcard does not match two labels', 'a.mx.example.org', ['*.example.org'], false],
    ['a wildcard does not match an empty label', 'example.org', ['*.example.org'], false],
    ['a wildcard is only valid on the left', 'mx.a.org', ['mx.*.org'], false],
    ['a part of a name does not match', 'badexample.org', ['example.org'], false],
    ['a subdomain does not match its parent', 'mx.example.org', ['example.org'], false],
    ['a wildcard does not match a top-level domain', 'org', ['*.org'], false],
    ['an empty label is not a label', '.example.org', ['*.example.org'], false],
    ['no host matches an empty list', 'mx.example.org', [], false],
    ['the root matches no field', '', ['*.example.org'], false],
  ])('%s', (_, host, patterns, matches) => {
    expect(mxMatcher(patterns)(host)).toBe(matches);
  });
});

corpusSuite('the public vectors of mx patterns', () => {
  for (const { id, mx_host, pattern, match } of corpusJson('records/004-mta-sts-mx.json').cases) {
    test(`${id}: ${mx_host} ${match ? 'matches' : 'does not match'} ${pattern}`, () => {
      expect(mxMatcher([pattern])(mx_host)).toBe(match);
    });
  }
});
