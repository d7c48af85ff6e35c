import { describe, expect, test } from '@jest/globals';
import { mxMatcher } from '../../../../shared/protocol/mta-sts/match.ts';
import { corpusJson, corpusSuite } from '../../../kit/corpus.ts';

describe('an MX host and the mx fields of a policy (RFC 8461 section 4.1)', () => {
  test.each<[string, string, readonly string[], boolean]>([
    ['the same name matches', 'mx.example.org', ['mx.example.org'], true],
    ['case does not matter', 'MX.Example.ORG', ['mx.example.org'], true],
    ['one of several fields is enough', 'b.example.org', ['a.example.org', 'b.example.org'], true],
    ['a final dot does not matter', 'mx.example.org.', ['mx.example.org'], true],
    ['a wildcard stands for one label', 'mx.example.org', ['*.example.org'], true],
    ['a wildcard does not stand for two labels', 'a.mx.example.org', ['*.example.org'], false],
    ['a wildcard does not stand for no label', 'example.org', ['*.example.org'], false],
    ['a wildcard stands on the left only', 'mx.a.org', ['mx.*.org'], false],
    ['a part of a name does not match', 'badexample.org', ['example.org'], false],
    ['a subdomain does not match its parent', 'mx.example.org', ['example.org'], false],
    ['a top level is not covered by a wildcard', 'org', ['*.org'], false],
    ['an empty label is not a label', '.example.org', ['*.example.org'], false],
    ['nothing matches no field', 'mx.example.org', [], false],
    ['the root matches nothing', '', ['*.example.org'], false],
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
