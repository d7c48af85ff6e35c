import { describe, expect, test } from '@jest/globals';
import { parseZone } from '../../../../shared/protocol/zone-file/parse.ts';
import { zoneLines } from '../../../../shared/protocol/zone-file/write.ts';
import { asWritten, byAnswer, byPlace, listed, printed, words } from '../../../kit/answers.ts';
import { mutations } from '../mutations.ts';

const DOMAIN = 'example.org';

function setsOf(text: string) {
  const parsed = parseZone(text, DOMAIN);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.sets.map(({ name, type, ttl, values }) => [name, type, ttl, ...values]);
}

function answer(text: string): string {
  const parsed = parseZone(text, DOMAIN);
  if (!parsed.ok) return parsed.problems.map(({ line, message }) => `${line}: ${message}`).join(' | ');
  const sets = parsed.sets.map(({ name, type, ttl, values }) =>
    [name.replace('example.org', '@'), ttl, type, values.map((value) => printed(value)).join(' + ')].join(
      ' ',
    ),
  );
  return [...sets, ...parsed.ignored.map((set) => `ignored ${set}`)].join(' | ') || 'nothing';
}

describe('a zone file (RFC 1035 section 5)', () => {
  test('has relative names, default values and continuation lines', () => {
    const text =
      listed(`$TTL 1h | @ IN SOA ns admin (1 ; serial |   3600 600 86400 300) |   MX 10 mx |   MX 20 MX2.example.net.
      $ORIGIN mail.example.org. | a 60 IN A 192.0.2.1 | b IN 60 AAAA 2001:DB8::1 | _25._tcp.a TLSA 3 1 1 (AB |  CD)
      c CNAME a`).join('\r\n');
    expect(setsOf(text)).toEqual([
      ['example.org', 'MX', 3600, '10 mx.example.org', '20 mx2.example.net'],
      ['a.mail.example.org', 'A', 60, '192.0.2.1'],
      ['b.mail.example.org', 'AAAA', 60, '2001:db8::1'],
      ['_25._tcp.a.mail.example.org', 'TLSA', 3600, '3 1 1 abcd'],
      ['c.mail.example.org', 'CNAME', 3600, 'a.mail.example.org'],
    ]);
    expect(parseZone(text, DOMAIN)).toMatchObject({ ignored: ['example.org SOA'] });
  });

  test('removes a record set by a directive that is a comment to DNS servers', () => {
    expect(setsOf(';remove mail MX\n;remove _dmarc.example.org. TXT')).toEqual([
      ['mail.example.org', 'MX', 3600],
      ['_dmarc.example.org', 'TXT', 3600],
    ]);
  });

  test('gets the recorded answers', () => {
    const texts =
      listed(`www.example.net. A 192.0.2.1 | notexample.org. A 192.0.2.1 | a CNAME b\na TXT x | @ CNAME b\n@ NS ns
      a CNAME b\na CNAME c
      a CNAME b\na CNAME b.example.org. | a CNAME b\n;remove a TXT | a A 192.0.2.256 | a A 192.0.2.1 x | a A
      a AAAA 192.0.2.1
      a MX mail | a MX 65535 m | a MX 65536 m | a MX x m | a MX 1 m m | a MX 0 . | a MX 1 m. | a MX 1 "m"
      a MX 1 m_\u00e9
      a CNAME | a CNAME b c | a CNAME "b" | a CNAME . | a CNAME * | a CNAME *.b. | a CNAME b.*. | a TXT
      a TXT ""
      a TXT (x | a TXT x) | a TXT (x)) | a TXT (x\n y) z\nb TXT y | a TXT "x | \na TXT "x\nb TXT y
      a TXT "a\\"b" | a TXT x\\ | a TXT \\x
      a TXT "a\\059b" | a TXT "a\\256b" | a TXT "\\195\\164" | a TXT a ; b | a TXT "a;b" c;d | a TXT ;
      ; a TXT x | ;a TXT x\n TXT y
      $INCLUDE /etc/passwd | $GENERATE 1-9 a$ A 192.0.2.$ | "$TTL" 1 | $TTL | $TTL x | $TTL 60\na TXT x
      $ORIGIN | $ORIGIN b\na TXT x
      $origin example.net.\na TXT x | $ORIGIN "b" | a FOO x | a IN | a |  A 192.0.2.1 | \tTXT x
      a TXT x\n TXT y\n\tTXT z | a TXT x\n  \n TXT y
      ;remove a | ;remove a FOO | ;remove a txt | ;remove a.example.net. TXT |  ;remove a TXT
      a TXT x ;remove b TXT | ;removex a TXT | ;remove "a" TXT
      a\\046b A 192.0.2.1 | "a" TXT x | a..b TXT x | -a- TXT x | a IN IN TXT x | a 60 IN TXT x | a IN 60 TXT x
      a 60 60 TXT x | a 1 2 3 TXT x | a in txt x
      a TYPE1 x | a TYPE65535 x | a TYPE123456 x | a XTYPE1 x | a NS x\na NS y | A.Example.ORG. TXT x
      a TXT x\na 60 TXT x\na TXT y | @ TXT x | a TXT @`);
    expect(byAnswer(asWritten(texts), answer)).toMatchSnapshot();
    const ttls = words(
      '0 1 60 1s 1m 1h 1d 1w 1H30m 1h30 30m1h 2147483647 2147483648 3550w 3551w 12345678901 1x s -1 1.5 h1 1hh',
    );
    expect(byAnswer(asWritten(ttls), (ttl) => answer(`a ${ttl} TXT x`))).toMatchSnapshot('TTLs');
    const hex = (octets: number) => 'ab'.repeat(octets);
    const tlsa = listed(
      `3 1 1 ab | 3 1 1 AB cd | 3 1 1 (AB\n CD) | 255 255 255 ab | 256 1 1 ab | 3 1 1 abc | 3 1 1 | 3 1 1 xy | 3 1`,
    );
    expect(
      byAnswer(asWritten([...tlsa, `3 1 1 ${hex(64)}`]), (data) => answer(`a TLSA ${data}`)),
    ).toMatchSnapshot('TLSA');
    const lengths = [3999, 4000, 4001].map((length) => `a TXT ${'x'.repeat(length)}`);
    const lines = [999, 1000, 1001].map((length) => `a TXT (${'\n'.repeat(length)} x)\nb TXT y`);
    const problems = [19, 20, 21].map((count) => 'a X\n'.repeat(count));
    const problemsAt = (text: string) => {
      const parsed = parseZone(text, DOMAIN);
      return parsed.ok
        ? `${parsed.sets.length} sets`
        : `${parsed.problems.length} problems, ${answer(text).slice(0, 50)}`;
    };
    expect(byAnswer(asWritten([...lengths, ...lines, ...problems]), problemsAt)).toMatchSnapshot('limits');
  });

  test('with a character more or less gets the recorded answers', () => {
    expect(
      byPlace('a 60 TXT (b "c;" ;d\n) e', ['"', '(', ')', ';', '\\', ' ', '\n'], answer),
    ).toMatchSnapshot();
  });

  test('is written as recorded', () => {
    const texts = [
      '',
      'a b',
      'ä',
      '"\\;()$@',
      '\u007f~!#[]^',
      ...[254, 255, 256, 510, 511].map((length) => 'x'.repeat(length)),
    ];
    const written = (text: string) => zoneLines({ name: 'a.b', type: 'TXT', ttl: 60, values: [text] }).join();
    expect(byAnswer(asWritten(texts), written)).toMatchSnapshot();
    const names = words('a.b *.b _dmarc.b a\u00e9.b a$.b');
    const named = (name: string) =>
      zoneLines({ name, type: 'MX', ttl: 1, values: ['10 m', '0 .'] }).join(' | ');
    expect(byAnswer(asWritten(names), named)).toMatchSnapshot('names');
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
