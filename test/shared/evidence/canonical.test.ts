import { expect, test } from '@jest/globals';
import { canonicalJson, NotCanonical } from '../../../shared/evidence/canonical.ts';

/** RFC 8785 sections 3.2.2 and 3.2.3, and appendix B. */
test.each([
  [
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  ],
  [
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  ['[-0, 9007199254740994, 1e23]', '[0,9007199254740994,1e+23]'],
  ['{"10":1,"9":2}', '{"10":1,"9":2}'],
])('%s', (given, canonical) => {
  expect(canonicalJson(JSON.parse(given))).toBe(canonical);
});

test.each([
  ['half of a surrogate pair', ['\ud800']],
  ['such a name', { '\ud800': 1 }],
  ['no number', [Number.NaN]],
  ['nothing', [undefined]],
  ['a thousand levels', JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`)],
])('%s has no canonical form', (_title, value) => {
  expect(() => canonicalJson(value)).toThrow(NotCanonical);
});
