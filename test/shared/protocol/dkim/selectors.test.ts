import { describe, expect, test } from '@jest/globals';
import {
  commonSelectors,
  selectorsOfProviders,
  spfTargets,
} from '../../../../shared/protocol/dkim/selectors.ts';

describe('the selectors of providers revealed by host names', () => {
  test.each([
    ['an MX host of Google', ['aspmx.l.google.com'], ['google']],
    ['an alternative MX host of Google', ['ALT1.ASPMX.L.GOOGLE.COM.'], ['google']],
    ['an MX host of Microsoft', ['example-org.mail.protection.outlook.com'], ['selector1', 'selector2']],
    ['an SPF include', ['_spf.protonmail.ch'], ['protonmail', 'protonmail2', 'protonmail3']],
    [
      'several providers, each once',
      ['servers.mcsv.net', 'servers.mcsv.net', '_spf.google.com'],
      ['google', 'k1', 'k2', 'k3'],
    ],
    ['no provider: only the end of the name is the same', ['notsendgrid.net'], []],
    ['no provider: only the start of the name is the same', ['sendgrid.net.example.org'], []],
    ['no provider: no hosts', [], []],
  ])('%s', (_, hosts, selectors) => {
    expect(selectorsOfProviders(hosts)).toEqual(selectors);
  });
});

describe('the domains named in an SPF record', () => {
  test.each([
    [
      'are those of include and redirect',
      'v=spf1 include:a.example redirect=b.example',
      ['a.example', 'b.example'],
    ],
    ['are found whatever the qualifier and case', 'v=spf1 ?INCLUDE:A.example -all', ['A.example']],
    ['exclude those with macros', 'v=spf1 include:%{i}.example -all', []],
    ['exclude those inside other terms', 'v=spf1 exp=x.include:a.example -all', []],
    ['are none for an empty record', '', []],
  ])('%s', (_, record, targets) => {
    expect(spfTargets(record)).toEqual(targets);
  });
});

test('the common list names each selector once and has about seventy', () => {
  expect(new Set(commonSelectors).size).toBe(commonSelectors.length);
  expect(commonSelectors.length).toBeLessThanOrEqual(70);
});
