/** Texts that once took seconds to hours: each is read at once, and its result is right. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readZone } from '../../shared/checks/preview/proposal.ts';
import { parseDkimKey } from '../../shared/protocol/dkim/key.ts';
import { corrected } from '../../shared/protocol/dmarc/lookalike.ts';
import { trimMatching } from '../../shared/protocol/trim.ts';
import { parseZone } from '../../shared/protocol/zone-file/parse.ts';
import { readFile } from '../../shared/reports/read-mail.ts';
import { isCurrent } from '../../shared/runtime/http/entity-tag.ts';
import { dmarcXml } from '../kit/report-mails.ts';

const long = 200_000;

describe('zone files', () => {
  test.each([28, 60, long])('a TTL of %i digits without a unit', (digits) => {
    const zone = `$TTL ${'0'.repeat(digits)}x\n`;
    expect(parseZone(zone, 'example.test')).toEqual({
      ok: false,
      problems: [{ line: 1, message: '$TTL requires a number of seconds' }],
    });
  });

  test.each([
    ['1h30m', 5400],
    ['1w2d3h4m5s', 788_645],
    ['0300', 300],
  ])('a TTL of %s', (ttl, seconds) => {
    expect(parseZone(`@ ${ttl} A 192.0.2.1\n`, 'example.test')).toMatchObject({ sets: [{ ttl: seconds }] });
  });

  test('a remove directive with 200,000 blanks', () => {
    const zone = `;remove ${' \t'.repeat(long / 2)}www${' '.repeat(long)}A \n`;
    expect(parseZone(zone, 'example.test')).toMatchObject({
      sets: [{ name: 'www.example.test', type: 'A', values: [] }],
    });
  });

  test.each([';remove\n', ';remove \n', ';remove www\n'])('an incomplete remove directive: %j', (zone) => {
    expect(readZone(zone, 'example.test')).toEqual({
      ok: false,
      problems: ['line 1: a remove directive requires a name and a type'],
    });
  });

  test('10,000 CNAME records', () => {
    const zone = Array.from({ length: 10_000 }, (_, at) => `n${at} CNAME www\n`).join('');
    expect(readZone(zone, 'example.test')).toEqual({ ok: false, problems: ['more than 500 record sets'] });
  });
});

describe('XML of reports', () => {
  test.each(['\u00a0', '\u3000', '\ufeff', ' ', '\u0085'])(
    'a hundred names with 60,000 times %j, in a few kilobytes of gzip',
    async (character) => {
      const names = `<a${character.repeat(60_000)}`.repeat(100);
      const xml = dmarcXml({ domain: 'example.test' }).replace(
        '<report_metadata>',
        `$&<extra_contact_info>${names}</extra_contact_info>`,
      );
      const file = gzipSync(xml, { level: 9 });
      expect(file.length).toBeLessThan(50_000);
      expect(await readFile('report.xml.gz', file)).toMatchObject([{ outcome: 'too-large' }]);
    },
  );

  test('a name with such a character is still a name', async () => {
    const xml = dmarcXml({ domain: 'example.test' }).replace('<report_metadata>', '$&<a\u00a0b>c</a\u00a0b>');
    expect(await readFile('report.xml', Buffer.from(xml))).toMatchObject([
      { outcome: 'dmarc', warnings: [{ id: 'unknown-element', value: 'a\\u{a0}b' }] },
    ]);
  });
});

describe('records', () => {
  const blanks = ' '.repeat(long);

  test('a text that was meant as a DMARC record, with 200,000 blanks in the middle', () => {
    expect(corrected(`"v=dmarc1; p=none;${blanks}x;"`)).toBe(`v=DMARC1; p=none;${blanks}x;`);
  });

  test('a DKIM key with 200,000 equals signs that are not at its end', () => {
    expect(parseDkimKey(`p=MIIB${'='.repeat(long)}A`, 's').findings.map(({ id }) => id)).toContain(
      'dkim-malformed-base64',
    );
  });

  test('runs that are not at an end', () => {
    expect(trimMatching(`,,a${','.repeat(long)}b;,`, /[,;]/)).toBe(`a${','.repeat(long)}b`);
    expect(trimMatching(',;,', /[,;]/)).toBe('');
  });
});

test('a conditional request with 16,000 quotation marks', () => {
  expect(isCurrent('v1', `${'W/"'.repeat(8_000)}"`)).toBe(false);
  expect(isCurrent('v1', '"other", "v1.hash"')).toBe(true);
  expect(isCurrent('v1', 'W/"v1.hash"')).toBe(false);
});
