import { describe, expect, test } from '@jest/globals';
import {
  commonSelectors,
  selectorsOfProviders,
  spfTargets,
} from '../../../../shared/protocol/dkim/selectors.ts';

describe('the selectors of the providers that hosts reveal', () => {
  test.each([
    ['an MX host of Google', ['aspmx.l.google.com'], ['google']],
    ['an alternative MX host of Google', ['ALT1.ASPMX.L.GOOGLE.COM.'], ['google']],
    ['an MX host of Microsoft', ['example-org.mail.protection.outlook.com'], ['selector1', 'selector2']],
    ['an SPF include', ['_spf.protonmail.ch'], ['protonmail', 'protonmail2', 'protonmail3']],
    [
      'several, each once',
      ['servers.mcsv.net', 'servers.mcsv.net', '_spf.google.com'],
      ['google', 'k1', 'k2', 'k3'],
    ],
    ['nobody: a name that only ends alike', ['notsendgrid.net'], []],
    ['nobody: a name that only begins alike', ['sendgrid.net.example.org'], []],
    ['nobody: no hosts', [], []],
  ])('%s', (_, hosts, selectors) => {
    expect(selectorsOfProviders(hosts)).toEqual(selectors);
  });
});

describe('the domains an SPF record names', () => {
  test.each([
    [
      'are those of include and redirect',
      'v=spf1 include:a.example redirect=b.example',
      ['a.example', 'b.example'],
    ],
    ['whatever the qualifier and case', 'v=spf1 ?INCLUDE:A.example -all', ['A.example']],
    ['not those with macros', 'v=spf1 include:%{i}.example -all', []],
    ['not those inside other terms', 'v=spf1 exp=x.include:a.example -all', []],
    ['none in an empty record', '', []],
  ])('%s', (_, record, targets) => {
    expect(spfTargets(record)).toEqual(targets);
  });
});

test('the common list names each selector once and stays near seventy', () => {
  expect(new Set(commonSelectors).size).toBe(commonSelectors.length);
  expect(commonSelectors.length).toBeLessThanOrEqual(70);
});
