import { expect, test } from '@jest/globals';
import { parseIp } from '../../../../shared/protocol/ip.ts';
import {
  expandMacros,
  fixedSuffix,
  type MacroUse,
  macroValue,
  parseMacroString,
} from '../../../../shared/protocol/spf/macro.ts';
import { asWritten, byAnswer, byPlace, listed, words } from '../../../kit/answers.ts';

const client = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };

function expanded(text: string, ip = '192.0.2.3', use: MacroUse = 'explanation'): string | undefined {
  const parsed = parseMacroString(text, use);
  if (!parsed.ok) return undefined;
  const message = {
    client: client(ip),
    localPart: 'strong-bad',
    senderDomain: 'email.example.com',
    helo: 'mx.example.net',
    receiver: 'mail.example.edu',
    now: new Date(1_700_000_000_999),
  };
  return expandMacros(parsed.value, (letter) =>
    macroValue(letter, 'spf.example.com', message, 'mx.example.org'),
  );
}

test.each([
  ['%{i}', '2.0.0.1.0.D.B.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.C.B.0.1'],
  ['%{c}', '2001:db8::cb01'],
  ['%{v}', 'ip6'],
  ['%%%_%-', '% %20'],
])('%s of an IPv6 client is %s (RFC 7208 section 7.2)', (text, value) => {
  expect(expanded(text, '2001:db8::cb01')).toBe(value);
});

test('upper-case letters escape all but the unreserved characters of URLs', () => {
  const parsed = parseMacroString('%{L}|%{l}');
  const local = "a-b._~!'()*&=é/ \ud800";
  const text = parsed.ok ? expandMacros(parsed.value, () => local) : undefined;
  expect(text).toBe(`a-b._~%21%27%28%29%2A%26%3D%C3%A9%2F%20%EF%BF%BD|${local}`);
});

test('recorded answers to macros', () => {
  const letters = ['s', 'l', 'o', 'd', 'i', 'p', 'v', 'h', 'c', 'r', 't', 'S', 'C', 'x'];
  const ends = ['', ' ', ...words(`1 2 0 9 02 r 1r r1 R - . 1- r.- r+,/_= @`)];
  const macros = letters.flatMap((letter) => ends.map((end) => `%{${letter}${end}}`));
  const both = (text: string) => {
    const [explained, inTerm] = [expanded(text), expanded(text, '192.0.2.3', 'term')];
    return explained === inTerm ? `${explained}` : `${explained}, in a term ${inTerm}`;
  };
  expect(byAnswer(asWritten(macros), both)).toMatchSnapshot();
  expect(byPlace('a%{d2r.}b', ['%', '{', '}', ' ', '\t', 'é', '0', '-', '~'], both)).toMatchSnapshot(
    'by place',
  );
});

test('the faults of macros and where they are', () => {
  const fault = (text: string) =>
    (['term', 'explanation'] as const)
      .map((use) => parseMacroString(text, use))
      .map((parsed) =>
        parsed.ok ? `${parsed.value.pieces.length} pieces` : `${parsed.problem} at ${parsed.at}`,
      )
      .join(', ');
  const texts = [
    '',
    ...listed(`a% | a%{d0} | %{d}%{c} | ab %{d} | a\u007f | a~%%%_%- | %{d}%{d | a\u001f | %{T1}`),
  ];
  expect(byAnswer(asWritten(texts), fault)).toMatchSnapshot();
});

test('the end of a name that is the same for all messages', () => {
  const end = (text: string) => {
    const parsed = parseMacroString(text);
    return parsed.ok ? String(fixedSuffix(parsed.value, (letter) => `${letter}.example`)) : 'none';
  };
  const texts = words(`b.example %{i}.b.example %{i}b.example %{d} %{i}.%{d} %{d}.%{i} %{i} %{l}%{o}`);
  expect(byAnswer(asWritten([...texts, 'a%%.b', '%{i}.', '%{d2}.%{i}.x', 'b']), end)).toMatchSnapshot();
});
