import { describe, expect, test } from '@jest/globals';
import { MAX_POLICY_OCTETS, parsePolicy } from '../../../../shared/protocol/mta-sts/policy.ts';
import { corpusSuite, scoredVectors } from '../../../kit/corpus.ts';
import { messageOf } from '../../../kit/findings.ts';
import { mutations } from '../mutations.ts';

const parse = (text: string) => parsePolicy(new TextEncoder().encode(text));
const GOOD =
  'version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmx: *.example.net\r\nmax_age: 604800\r\n';

describe('a policy by the ABNF of RFC 8461 section 3.2', () => {
  test('is parsed field by field', () => {
    const { policy, findings } = parse(GOOD);
    expect(policy).toEqual({
      version: 'STSv1',
      mode: 'enforce',
      mx: ['mail.example.com', '*.example.net'],
      maxAge: 604_800,
    });
    expect(findings).toEqual([]);
  });

  test.each([
    ['may have LF line endings', GOOD.replaceAll('\r\n', '\n')],
    ['may mix both line endings', GOOD.replace('\r\n', '\n')],
    ['may lack the last line ending', GOOD.trimEnd()],
    [
      'may have white space after the colon and at the end of lines',
      'version:\t STSv1 \t\nmode:enforce\nmax_age:0\nmx:a',
    ],
    ['may have its fields in any order', 'max_age: 1\nmx: a.b\nmode: testing\nversion: STSv1'],
    ['needs no mx in mode none', 'version: STSv1\nmode: none\nmax_age: 86400'],
    ['may have the maximum max_age', 'version: STSv1\nmode: none\nmax_age: 31557600'],
    ['may contain unknown fields with any value', `${GOOD}note: two words; a=b: c\n`],
    ['may contain unknown fields, in UTF-8', `${GOOD}x_y-z.1: grüße aus 東京\n`],
  ])('%s', (_, text) => {
    const { policy, findings } = parse(text);
    expect(policy).not.toBeNull();
    expect(findings).toEqual([]);
  });

  test('uses the first of repeated fields other than mx, and reports it', () => {
    const { policy, findings } = parse(`${GOOD}mode: none\nmax_age: nonsense\n`);
    expect(policy).toMatchObject({ mode: 'enforce', maxAge: 604_800 });
    expect(findings).toMatchObject([
      {
        id: 'mta-sts-policy-fields-repeated',
        severity: 'warning',
        arguments: { names: ['mode', 'max_age'] },
      },
    ]);
  });

  test('with a blank line is usable, and the line is reported', () => {
    const { policy, findings } = parse(`${GOOD}\r\n`);
    expect(policy).not.toBeNull();
    expect(findings).toMatchObject([
      { id: 'mta-sts-policy-blank-line', severity: 'warning', arguments: { line: 6 } },
    ]);
  });
});

describe('a policy that senders reject', () => {
  const field = (name: string, value: string) =>
    GOOD.replace(new RegExp(`^${name}: .*?\r$`, 'm'), `${name}: ${value}\r`);
  test.each([
    ['no text', '', 'mta-sts-policy-field-missing version'],
    ['no version', GOOD.replace('version: STSv1\r\n', ''), 'mta-sts-policy-field-missing version'],
    ['no mode', GOOD.replace('mode: enforce\r\n', ''), 'mta-sts-policy-field-missing mode'],
    ['no max_age', GOOD.replace('max_age: 604800\r\n', ''), 'mta-sts-policy-field-missing max_age'],
    ['no mx in mode enforce', 'version: STSv1\nmode: enforce\nmax_age: 1', 'mta-sts-policy-field-missing mx'],
    ['no mx in mode testing', 'version: STSv1\nmode: testing\nmax_age: 1', 'mta-sts-policy-field-missing mx'],
    ['another version', field('version', 'STSv2'), 'mta-sts-policy-field-invalid version'],
    ['a version in another case', field('version', 'stsv1'), 'mta-sts-policy-field-invalid version'],
    ['another mode', field('mode', 'report'), 'mta-sts-policy-field-invalid mode'],
    ['a mode in another case', field('mode', 'Enforce'), 'mta-sts-policy-field-invalid mode'],
    ['a max_age that is not a number', field('max_age', '1d'), 'mta-sts-policy-field-invalid max_age'],
    ['a negative max_age', field('max_age', '-1'), 'mta-sts-policy-field-invalid max_age'],
    ['a max_age above a year', field('max_age', '31557601'), 'mta-sts-policy-field-invalid max_age'],
    ['a max_age of eleven digits', field('max_age', '00000000001'), 'mta-sts-policy-field-invalid max_age'],
    ['an mx with two asterisks', field('mx', '**.example'), 'mta-sts-policy-field-invalid mx'],
    ['an mx with an asterisk inside', field('mx', 'mx.*.example'), 'mta-sts-policy-field-invalid mx'],
    ['an mx of only an asterisk', field('mx', '*'), 'mta-sts-policy-field-invalid mx'],
    ['an mx with a trailing dot', field('mx', 'mx.example.'), 'mta-sts-policy-field-invalid mx'],
    ['an mx with an underscore', field('mx', 'm_x.example'), 'mta-sts-policy-field-invalid mx'],
    ['an mx with a U-label', field('mx', 'møx.example'), 'mta-sts-policy-field-invalid mx'],
    ['an mx with two hosts', field('mx', 'a.example, b.example'), 'mta-sts-policy-field-invalid mx'],
    [
      'a label of 64 characters in mx',
      field('mx', `${'a'.repeat(64)}.example`),
      'mta-sts-policy-field-invalid mx',
    ],
    ['an mx of 255 characters', field('mx', `${'a.'.repeat(127)}a`), 'mta-sts-policy-field-invalid mx'],
    ['a line without a colon', `${GOOD}nonsense\n`, 'mta-sts-policy-malformed'],
    ['an empty field', `${GOOD}ext:\n`, 'mta-sts-policy-malformed'],
    ['a name of 33 characters', `${GOOD}${'a'.repeat(33)}: 1\n`, 'mta-sts-policy-malformed'],
    ['a leading space', ` ${GOOD}`, 'mta-sts-policy-malformed'],
    ['a space before the colon', GOOD.replace('mode:', 'mode :'), 'mta-sts-policy-malformed'],
    ['a byte order mark', `\ufeff${GOOD}`, 'mta-sts-policy-malformed'],
    ['a control character', `${GOOD}x: a\u0001b\n`, 'mta-sts-policy-malformed'],
    ['a web page', '<!DOCTYPE html>\n<p>Not found</p>', 'mta-sts-policy-malformed'],
  ])('has %s', (_, text, expected) => {
    const { policy, findings } = parse(text);
    expect(policy).toBeNull();
    const findingTexts = findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));
    expect(findingTexts).toContain(expected);
  });

  test('is still shown', () => {
    const { fields, mx } = parse('version: STSv1\nmode: enforced\nmx: a.example\nmax_age: 5');
    expect([...fields]).toEqual([
      ['version', 'STSv1'],
      ['mode', 'enforced'],
      ['max_age', '5'],
    ]);
    expect(mx).toEqual(['a.example']);
  });

  test('is reported with the first of many malformed lines, in printable characters, and their number', () => {
    const { findings } = parse(`${GOOD}${'é\u202e\n'.repeat(1_000)}`);
    expect(findings).toHaveLength(1);
    expect(messageOf(findings[0])).toBe(
      'Line 6 of the policy is not a valid field (1000 invalid lines in total): "\\u{e9}\\u{202e}".',
    );
  });

  test('is larger than 64 kB', () => {
    const padding = 'a: b\n'.repeat(MAX_POLICY_OCTETS / 5);
    expect(parse(GOOD + padding)).toMatchObject({
      policy: null,
      findings: [{ id: 'mta-sts-policy-too-large' }],
    });
  });

  test('is not UTF-8', () => {
    const findings = [{ id: 'mta-sts-policy-malformed', arguments: { text: 'not UTF-8' } }];
    expect(parsePolicy(Uint8Array.of(0x61, 0xff))).toMatchObject({ policy: null, findings });
  });
});

test('the parser always ends, and accepts no policy without a lifetime', () => {
  const seeds = [GOOD, 'version:STSv1\nmode:none\nmax_age:0\nx: y z\n', 'mx: *.a\nmx: b\n\n'];
  for (const text of mutations(seeds, 5_000)) {
    const { policy } = parse(text);
    if (policy !== null) expect(policy.maxAge).toBeGreaterThanOrEqual(0);
  }
});

test('parses 64 kB of any text in linear time', () => {
  const started = performance.now();
  for (const filler of ['a', ' ', 'a: b ', 'a:\t', '\r', '\n', 'mx: a\n', 'a: \u0001']) {
    parse(`x: ${filler.repeat(Math.floor(65_000 / filler.length))}`);
  }
  expect(performance.now() - started).toBeLessThan(10_000);
});

corpusSuite('the public vectors of MTA-STS policies', () => {
  for (const { id, input, origin_verdict } of scoredVectors('records/002-mta-sts-policy.json')) {
    test(`${id}: ${JSON.stringify(input)} is ${origin_verdict}`, () => {
      expect(parse(input).policy !== null).toBe(origin_verdict === 'valid');
    });
  }
});
