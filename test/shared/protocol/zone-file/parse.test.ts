import { describe, expect, test } from '@jest/globals';
import { parseZone } from '../../../../shared/protocol/zone-file/parse.ts';
import { zoneLines } from '../../../../shared/protocol/zone-file/write.ts';
import { mutations } from '../mutations.ts';

const DOMAIN = 'example.org';

function setsOf(text: string) {
  const parsed = parseZone(text, DOMAIN);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.sets.map(({ name, type, ttl, values }) => [name, type, ttl, ...values]);
}

function problemsOf(text: string) {
  const parsed = parseZone(text, DOMAIN);
  return parsed.ok ? [] : parsed.problems.map(({ line, message }) => `${line}: ${message}`);
}

describe('a zone file (RFC 1035 section 5)', () => {
  test('has relative names, default values and continuation lines', () => {
    const text = [
      '$TTL 1h',
      '@ IN SOA ns admin (1 ; serial',
      '  3600 600 86400 300)',
      '  MX 10 mx',
      '  MX 20 MX2.example.net.',
      '$ORIGIN mail.example.org.',
      'a 60 IN A 192.0.2.1',
      'b IN 60 AAAA 2001:DB8::1',
      '_25._tcp.a TLSA 3 1 1 (AB',
      ' CD)',
      'c CNAME a',
    ].join('\r\n');
    expect(setsOf(text)).toEqual([
      ['example.org', 'MX', 3600, '10 mx.example.org', '20 mx2.example.net'],
      ['a.mail.example.org', 'A', 60, '192.0.2.1'],
      ['b.mail.example.org', 'AAAA', 60, '2001:db8::1'],
      ['_25._tcp.a.mail.example.org', 'TLSA', 3600, '3 1 1 abcd'],
      ['c.mail.example.org', 'CNAME', 3600, 'a.mail.example.org'],
    ]);
    expect(parseZone(text, DOMAIN)).toMatchObject({ ignored: ['example.org SOA'] });
  });

  test.each([
    ['one string', '"v=spf1 -all"', 'v=spf1 -all'],
    ['several strings, joined without a space', '"v=spf1 " "-all"', 'v=spf1 -all'],
    ['a string without quotes', 'v=spf1', 'v=spf1'],
    ['a semicolon in quotes', '"v=DMARC1; p=none" ; comment', 'v=DMARC1; p=none'],
    ['escapes', '"a\\"b\\\\c\\059d\\195\\164"', 'a"b\\c;dä'],
    ['an escape at the start of a word', '\\065b', 'Ab'],
  ])('has TXT records with %s', (_, data, value) => {
    expect(setsOf(`@ TXT ${data}`)).toEqual([['example.org', 'TXT', 3600, value]]);
  });

  test('removes a record set by a directive that is a comment to DNS servers', () => {
    expect(setsOf(';remove mail MX\n;remove _dmarc.example.org. TXT')).toEqual([
      ['mail.example.org', 'MX', 3600],
      ['_dmarc.example.org', 'TXT', 3600],
    ]);
  });

  test.each([
    ['www.example.net. A 192.0.2.1', '1: www.example.net is outside of example.org'],
    ['notexample.org. A 192.0.2.1', '1: notexample.org is outside of example.org'],
    ['a CNAME b\na TXT x', '1: a.example.org has a CNAME record beside other data'],
    ['@ CNAME b\n@ NS ns', '1: example.org has a CNAME record beside other data'],
    ['a A 192.0.2.256', '1: invalid data of a A record'],
    ['a MX mail', '1: invalid data of a MX record'],
    ['\na TXT "x', '2: a quotation mark is not closed'],
    ['a A (192.0.2.1', '1: a parenthesis is not closed'],
    ['a A 192.0.2.1)', '1: a parenthesis is not opened'],
    ['$INCLUDE /etc/passwd', '1: unsupported directive: $INCLUDE'],
    ['$GENERATE 1-9 a$ A 192.0.2.$', '1: unsupported directive: $GENERATE'],
    ['a FOO x', '1: unknown type or class: FOO'],
    [' A 192.0.2.1', '1: the first record has no name'],
    [';remove a', '1: a remove directive requires a name and a type'],
    ['a\\046b A 192.0.2.1', '1: invalid name: a.b'],
  ])('%j is rejected with its line', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test('reads back what is written, whatever the text', () => {
    const texts = [
      '',
      'x'.repeat(600),
      '"\\;()$@',
      'ä\u0000\n\r\t',
      ';remove example.org TXT',
      '$\u007bx} %\u007by}',
    ];
    const sets = [
      { name: 'example.org', type: 'TXT', ttl: 60, values: texts },
      { name: 'example.org', type: 'MX', ttl: 60, values: ['0 .'] },
      { name: '*.example.org', type: 'CNAME', ttl: 60, values: ['a.example.net'] },
      { name: 'old.example.org', type: 'A', ttl: 3600, values: [] },
    ] as const;
    const parsed = parseZone(sets.flatMap(zoneLines).join('\n'), DOMAIN);
    expect(parsed).toEqual({ ok: true, sets, ignored: [] });
  });

  test('never makes the parser throw', () => {
    const sample = '$TTL 1h\n@ IN TXT "a" (b\n c) ; d\n;remove x A\nm MX 10 \\065.\n';
    for (const text of mutations([sample], 1000)) expect(typeof parseZone(text, DOMAIN).ok).toBe('boolean');
  });
});
