import { expect, test } from '@jest/globals';
import { observedChanges, remembered } from '../../../shared/alerts/observed.ts';

const type = 'certificate_issuer_change';
const of = (host: string, ...issuers: string[]) => ({ [type]: { [host]: issuers } });

test('what is observed first is no change, whatever a stranger calls a host', () => {
  for (const host of ['mx.example.org', 'constructor', 'toString']) {
    const before = { [type]: {} };
    expect(observedChanges(before, of(host, 'One CA'))).toEqual([]);
    expect(remembered(before, of(host, 'One CA'))).toEqual(of(host, 'One CA'));
    expect(observedChanges(of(host, 'One CA'), of(host, 'Other CA'))).toEqual([
      { type, about: host, before: ['One CA'], after: ['Other CA'] },
    ]);
  }
});

test.each([
  ['one of two values stays', ['One CA', 'Other CA'], ['Other CA']],
  ['a lookup failed before', [], ['One CA']],
  ['a lookup failed now', ['One CA'], []],
])('no change: %s', (_what, before, after) => {
  expect(observedChanges(of('mx', ...before), of('mx', ...after))).toEqual([]);
});
