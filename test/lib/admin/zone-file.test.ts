import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { zoneFile } from '../../../lib/admin/zone-file.ts';
import { type DnsFacts, type DnsRecord, requiredRecords } from '../../../lib/cloud/dns-records.ts';
import { hasBind } from '../../kit/bind.ts';
import { useFolder } from '../../kit/use.ts';

const txt = (value: string, name = 'example.org'): DnsRecord => ({ name, type: 'TXT', value, why: 'w' });
const printed = (record: DnsRecord) => zoneFile([record])[1];

describe('a zone file', () => {
  test('has fully qualified names, and a comment with the purpose of each record', () => {
    const lines = zoneFile([
      { name: 'example.org', type: 'MX', value: '10 mx.example.net', why: 'mail arrives by it' },
      { name: 'k._domainkey.example.org', type: 'CNAME', value: 'k.dkim.example.net', why: 'a key' },
      { name: 'l._domainkey.example.org', type: 'CNAME', value: 'l.dkim.example.net', why: 'a key' },
    ]);
    expect(lines).toEqual([
      '; mail arrives by it',
      'example.org. 300 IN MX 10 mx.example.net.',
      '; a key',
      'k._domainkey.example.org. 300 IN CNAME k.dkim.example.net.',
      'l._domainkey.example.org. 300 IN CNAME l.dkim.example.net.',
    ]);
  });

  test.each([
    ['plain text', 'v=spf1 -all', '"v=spf1 -all"'],
    ['a semicolon, which starts no comment inside quotes', 'v=DMARC1; p=reject', '"v=DMARC1; p=reject"'],
    ['an empty text', '', '""'],
    ['quotes and backslashes', 'a"b\\c', '"a\\034b\\092c"'],
    ['a line break', 'a\nb', '"a\\010b"'],
    ['non-ASCII characters', 'é', '"\\195\\169"'],
    ['255 bytes', 'x'.repeat(255), `"${'x'.repeat(255)}"`],
    ['more than 255 bytes', 'x'.repeat(256), `"${'x'.repeat(255)}" "x"`],
    [
      'a character that crosses the 255-byte boundary',
      `${'x'.repeat(254)}é`,
      `"${'x'.repeat(254)}\\195" "\\169"`,
    ],
  ])('quotes %s', (_what, value, quoted) => {
    expect(printed(txt(value))).toBe(`example.org. 300 IN TXT ${quoted}`);
  });

  test('escapes special characters in names, so that none ends its line', () => {
    expect(printed(txt('t', '*.a b;"\n.example.org'))).toBe(
      '*.a\\032b\\059\\034\\010.example.org. 300 IN TXT "t"',
    );
  });
});

const facts: DnsFacts = {
  reportsDomain: 'reports.example.org',
  testerDomain: 'tester.example.org',
  region: 'eu-west-1',
  alertSender: 'alerts@example.org',
  dkimTokens: ['reports.example.org', 'tester.example.org', 'example.org'].flatMap((domain) =>
    ['abc', 'def', 'ghi'].map((key) => ({
      name: `${key}._domainkey.${domain}`,
      value: `${key}.dkim.amazonses.com`,
    })),
  ),
  apiDomain: { name: 'api.example.org', target: 'd-1234.execute-api.eu-west-1.amazonaws.com' },
};

const isBindInstalled = hasBind('named-checkzone');
const title = `the printed zone file in BIND${isBindInstalled ? '' : ' (skipped: named-checkzone is not installed)'}`;
(isBindInstalled ? describe : describe.skip)(title, () => {
  /** Loads the records as a zone with BIND. Returns the lines that BIND writes, each as `name TTL class type value`. */
  function readByBind(records: readonly DnsRecord[]): string[] {
    const folder = useFolder('zone');
    const file = join(folder, 'example.org.zone');
    const head = ['@ 300 IN SOA ns admin 1 3600 600 86400 300', '@ 300 IN NS ns', 'ns 300 IN A 192.0.2.53'];
    writeFileSync(file, [...head, ...zoneFile(records), ''].join('\n'));
    const written = join(folder, 'written');
    const path = `${process.env.PATH}:/usr/sbin`;
    execFileSync('named-checkzone', ['-s', 'full', '-o', written, 'example.org', file], {
      encoding: 'utf8',
      env: { ...process.env, PATH: path },
      timeout: 30_000,
    });
    return readFileSync(written, 'utf8').split('\n');
  }

  test('has every required record', () => {
    const records = requiredRecords(facts);
    const read = readByBind(records).map((line) => line.replaceAll(/\s+/g, ' '));
    for (const { name, type, value } of records) {
      const data = type === 'TXT' ? `"${value}"` : `${value}.`;
      expect(read).toContain(`${name}. 300 IN ${type} ${data}`);
    }
  });

  test('has the original text of a record, whatever it contains', () => {
    const values = ['a"b\\c;d', 'é\n\t\u0000', 'x'.repeat(600)];
    const read = readByBind(values.map((value, at) => txt(value, `t${at}.example.org`)));
    const texts = read.filter((line) => /\sTXT\s/.test(line)).map((line) => textOf(line));
    expect(texts).toEqual(values);
  });
});

/** The text of a TXT record in BIND's output. */
function textOf(line: string): string {
  const strings = line.slice(line.indexOf('"')).match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  const latin1 = strings
    .map((string) => string.slice(1, -1))
    .join('')
    .replaceAll(/\\(?:(\d{3})|(.))/g, (_all, octet: string | undefined, character: string) =>
      octet === undefined ? character : String.fromCharCode(Number(octet)),
    );
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
