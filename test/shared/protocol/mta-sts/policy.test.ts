import { describe, expect, test } from '@jest/globals';
import { MAX_POLICY_OCTETS, parsePolicy } from '../../../../shared/protocol/mta-sts/policy.ts';
import { byAnswer, fieldEdits, inShort, type Named, printed, unlike, words } from '../../../kit/answers.ts';
import { corpusSuite, testVectors } from '../../../kit/corpus.ts';
import { messageOf } from '../../../kit/findings.ts';
import { mutations } from '../mutations.ts';

const parse = (text: string) => parsePolicy(new TextEncoder().encode(text));
const GOOD =
  'version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmx: *.example.net\r\nmax_age: 604800\r\n';

function answer(text: string): string {
  const { policy, fields, mx, findings } = parse(text);
  const usual = {
    version: 'STSv1',
    mode: 'enforce',
    mx: ['mail.example.com', '*.example.net'],
    maxAge: 604_800,
  };
  return policy === null
    ? `rejected | ${inShort({ fields, mx }, findings)}`
    : inShort({ ...policy, others: fields.size - 3 }, findings, { ...usual, others: 0 });
}

describe('recorded answers', () => {
  test('to a policy with each of its lines written otherwise', () => {
    const text =
      'version: STSv1\nmode: enforce\nmx: mail.example.com\nmx: *.example.net\nmax_age: 604800\nnote: a=b: c';
    const short = unlike(answer(text));
    const edits = fieldEdits(text, { between: '\n', inside: ':' });
    const idsOnly = (edited: string) => short(answer(edited).replace(/fields=.*? \| mx=[^|]*\| /, ''));
    expect(byAnswer(edits, idsOnly)).toMatchSnapshot();
  });

  test('to values of each field', () => {
    const labels = [62, 63, 64].map((length) => `mx: ${'a'.repeat(length)}.example`);
    const names = [252, 253, 254].map((length) => `mx: ${'a.'.repeat(125)}${'b'.repeat(length - 250)}`);
    const lines = [
      ...words('STSv1 stsv1 STSv2').map((version) => `version: ${version}`),
      ...words('enforce testing none report Enforce').map((mode) => `mode: ${mode}`),
      ...words('0 1 31557599 31557600 31557601 -1 1d 0000000001 00000000001 1.5').map(
        (age) => `max_age: ${age}`,
      ),
      ...words('** **.a *.*.a mx.*.a * *. *.a a.b. m_x.a møx.a a-.b -a.b a,b a..b .a').map(
        (mx) => `mx: ${mx}`,
      ),
      ...labels,
      ...names,
      'mx: a.example, b.example',
      'x',
      'x:',
      ':x',
      'x: a\u0001b',
      'x: a\u007f',
      'x: \u0085',
      ' x: y',
      ...[31, 32, 33].map((length) => `${'n'.repeat(length)}: 1`),
      ...words('-x:1 x_y-z.1:é x:1\r 1:x').concat(
        'x: 東京',
        'x:\ty\t',
        'x : y',
        '\t',
        'x: y\u00a0',
        '\ufeffx: y',
      ),
    ];
    const others = (line: string) =>
      GOOD.trimEnd()
        .split('\r\n')
        .filter((one) => one.split(':')[0] !== line.split(':')[0]);
    const named = lines.map((line): Named<string> => [printed(line), [line, ...others(line)].join('\n')]);
    expect(
      byAnswer(named, (text) => answer(text).replace(/fields=.*? \| mx=[^|]*\| /, '')),
    ).toMatchSnapshot();
  });

  test('to other files', () => {
    const without = (name: string): Named<string> => [
      `without ${name}`,
      GOOD.replaceAll(new RegExp(`^${name}: .*\r\n`, 'gm'), ''),
    ];
    const texts: readonly Named<string>[] = [
      ...words('version mode max_age mx').map(without),
      ['mode none', without('mx')[1].replace('enforce', 'none')],
      ['mode testing without mx', without('mx')[1].replace('enforce', 'testing')],
      ['no CR', GOOD.replaceAll('\r\n', '\n')],
      ['one CR less', GOOD.replace('\r\n', '\n')],
      ['no end', GOOD.trimEnd()],
      ['an empty line', `${GOOD}\r\n`],
      ['two empty lines', `${GOOD}\r\n \n`],
      ['byte order mark', `\ufeff${GOOD}`],
      ['two invalid lines', `${GOOD}x\ny\n`],
      ['repeated fields', `${GOOD}mode: none\nmax_age: 1\nmode: x\n`],
      ...['', '\n', '\r\n', '<!DOCTYPE html>\n<p>Not found</p>'].map(
        (text): Named<string> => [printed(text), text],
      ),
      ...[-1, 0, 1].map(
        (more): Named<string> => [
          `${MAX_POLICY_OCTETS + more} octets`,
          `${GOOD}x: ${'y'.repeat(MAX_POLICY_OCTETS - GOOD.length - 4 + more)}\n`,
        ],
      ),
    ];
    expect(byAnswer(texts, answer)).toMatchSnapshot();
  });
});

describe('a policy that senders reject', () => {
  test('is reported with the first of many malformed lines, in printable characters, and their number', () => {
    const { findings } = parse(`${GOOD}${'é\u202e\n'.repeat(1_000)}`);
    expect(findings).toHaveLength(1);
    expect(messageOf(findings[0])).toBe(
      'Line 6 of the policy is not a valid field (1000 invalid lines in total): "\\u{e9}\\u{202e}".',
    );
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

corpusSuite('the public vectors of MTA-STS policies', () => {
  testVectors('records/002-mta-sts-policy.json', (input) => parse(input).policy !== null);
});
