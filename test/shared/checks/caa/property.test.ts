import { expect, test } from '@jest/globals';
import { issuerDomain } from '../../../../shared/checks/caa/property.ts';
import { mutations } from '../../protocol/mutations.ts';

test.each<[value: string, issuer: string | undefined]>([
  ['ca1.example.net', 'ca1.example.net'],
  [' \tCA1.Example.net \t', 'ca1.example.net'],
  ['ca1.example.net;', 'ca1.example.net'],
  ['ca1.example.net; account=230123', 'ca1.example.net'],
  ['ca1.example.net;account = 230123 ; policy=ev', 'ca1.example.net'],
  ['ca1.example.net; account=', 'ca1.example.net'],
  ['ca1.example.net; account=a=b', 'ca1.example.net'],
  ['localhost', 'localhost'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['', ''],
  [';', ''],
  [' ; ', ''],
  ['; account=1', ''],
  ['%%%%%', undefined],
  ['"ca1.example.net"', undefined],
  ['https://ca1.example.net', undefined],
  ['ca1.example.net.', undefined],
  ['ca1..example.net', undefined],
  ['-ca1.example.net', undefined],
  ['ca1-.example.net', undefined],
  ['ca1.example.net account=1', undefined],
  ['ca1.example.net, ca2.example.net', undefined],
  ['ca1.example.net; account=1;', undefined],
  ['ca1.example.net; account', undefined],
  ['ca1.example.net; =1', undefined],
  ['ca1.example.net; account=1 2', undefined],
  ['ca1.example.net; account=\u00fc', undefined],
  ['c\u00e4.example', undefined],
])('the value "%s" names the CA %s (RFC 8659 section 4.2)', (value, issuer) => {
  expect(issuerDomain(value)).toBe(issuer);
});

test('random values never cause an exception, and name a CA by itself or none', () => {
  for (const value of mutations(
    ['ca1.example.net; account=1; policy=ev', ' ; a-b=c', 'xn--a.example;'],
    3000,
  )) {
    const issuer = issuerDomain(value);
    expect(issuerDomain(issuer ?? '')).toBe(issuer ?? '');
  }
});

test('the time for a value grows with its length only', () => {
  const values = ['a-'.repeat(32_000), `a${' '.repeat(64_000)}b`, ';='.repeat(32_000), 'a.'.repeat(32_000)];
  const start = process.cpuUsage();
  expect(values.map(issuerDomain)).toEqual(values.map(() => undefined));
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(500);
});
