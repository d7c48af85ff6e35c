/** Mails that are broken in the ways in which mails break, and in some that somebody has to think of. */
import { random } from './random.ts';

type Below = (limit: number) => number;
type Mutation = (mail: string, below: Below) => string;

const CHARSETS = [
  'utf-8',
  'utf-7',
  'utf-16',
  'iso-2022-jp',
  'x-unknown',
  '',
  '"',
  "utf-8''",
  '\0',
  '=?utf-8?q?a?=',
];
const ENCODINGS = [
  'base64',
  'quoted-printable',
  '7bit',
  'binary',
  'x-uuencode',
  '',
  'base64 (really)',
  'b\0se64',
];
const DISPOSITIONS = [
  'inline',
  'attachment',
  'attachment; filename=a.eml',
  'form-data',
  '',
  '=?utf-8?q?inline?=',
];
const WORDS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '--',
  '--b',
  '--b--',
  '\0',
  '\xff',
  ' ',
  '\t',
  '=',
  '<',
  '"',
  ';',
  ':',
  '(',
  '=?',
  '?=',
];

const picked = <T>(list: readonly T[], below: Below): T => list[below(list.length)] as T;

/** The mail with a part of it, from one place to another, replaced. */
const spliced = (mail: string, from: number, to: number, text: string): string =>
  mail.slice(0, from) + text + mail.slice(to);

/** Changes the lines of the header section, or of the whole mail. */
function inLines(change: (lines: string[], below: Below) => void, wholeMail: boolean): Mutation {
  return (mail, below) => {
    const end = wholeMail ? mail.length : Math.max(0, mail.search(/\r?\n\r?\n/));
    const lines = mail.slice(0, end).split('\n');
    change(lines, below);
    return lines.join('\n') + mail.slice(end);
  };
}

function swap(lines: string[], below: Below): void {
  const [one, other] = [below(lines.length), below(lines.length)];
  [lines[one], lines[other]] = [lines[other] ?? '', lines[one] ?? ''];
}

function repeat(lines: string[], below: Below): void {
  const at = below(lines.length);
  lines.splice(at, 0, ...Array<string>(1 + below(20)).fill(lines[at] ?? ''));
}

function remove(lines: string[], below: Below): void {
  lines.splice(below(lines.length), 1);
}

/** Another value for one of the places that a pattern finds. */
function replaced(pattern: RegExp, values: readonly string[]): Mutation {
  return (mail, below) => {
    const found = [...mail.matchAll(pattern)];
    if (found.length === 0) return mail;
    const { index, 0: text } = picked(found, below);
    return spliced(mail, index, index + text.length, picked(values, below));
  };
}

/** The mail as a message in a message, encoded or said to be. */
const nested: Mutation = (mail, below) => {
  const disposition = picked(DISPOSITIONS, below);
  const encoding = picked(ENCODINGS, below);
  const isEncoded = encoding === 'base64' && below(2) === 0;
  const content = isEncoded ? Buffer.from(mail, 'latin1').toString('base64') : mail;
  const head = `Content-Type: message/rfc822\r\nContent-Disposition: ${disposition}\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
  if (below(2) === 0) return `${head}\r\n${content}`;
  const end = picked(['\r\n--n--\r\n', '\r\n--n\r\n', ''], below);
  return `Subject: x\r\nContent-Type: multipart/mixed; boundary=n\r\n\r\n--n\r\n${head}\r\n${content}${end}`;
};

const mutations: readonly Mutation[] = [
  // Octets.
  (mail, below) => {
    const at = below(mail.length);
    return spliced(mail, at, at + 1, String.fromCharCode(below(256)));
  },
  (mail, below) => {
    const at = below(mail.length);
    return spliced(mail, at, at, picked(WORDS, below).repeat(1 + below(below(8) === 0 ? 4_000 : 4)));
  },
  (mail, below) => {
    const at = below(mail.length);
    return spliced(mail, at, at + below(200), '');
  },
  // The end.
  (mail, below) => mail.slice(0, below(mail.length)),
  (mail) => mail.slice(0, Math.max(0, mail.search(/\r?\n\r?\n/)) + 2),
  // Lines.
  inLines(swap, false),
  inLines(repeat, false),
  inLines(remove, false),
  inLines(swap, true),
  inLines(repeat, true),
  inLines(remove, true),
  // Boundaries.
  replaced(/(?<=^--)b/gm, ['c', '', 'bb', 'b ', 'b--', 'b\0']),
  replaced(/boundary="?b"?/g, [
    'boundary=',
    'boundary="b',
    'boundary=b; boundary=c',
    'boundary*=b',
    "boundary*0*=utf-8''b",
    '',
  ]),
  // What is said of the content.
  replaced(
    /charset=[^\r\n;]*|(?<=Content-Type: [^\r\n;]*)/gi,
    CHARSETS.map((charset) => `; charset=${charset}`),
  ),
  replaced(/(?<=Content-Transfer-Encoding: )[^\r\n]*/gi, ENCODINGS),
  replaced(/(?<=Content-Disposition: )[^\r\n]*/gi, DISPOSITIONS),
  replaced(/(?<=Content-Type: )[^\r\n;]*/gi, [
    'message/rfc822',
    'multipart/mixed',
    'text/xml',
    'message/feedback-report',
    '',
    '/',
  ]),
  nested,
];

/** As many mails as asked for, each of the seeds changed up to six times; never empty. The same ones for the same seed. */
export function* mutatedMails(seeds: readonly string[], count: number, seed: number): Generator<Buffer> {
  const below = random(seed);
  for (let made = 0; made < count; made++) {
    let mail = picked(seeds, below);
    for (let times = 1 + below(6); times > 0; times--) mail = picked(mutations, below)(mail, below) || 'x';
    yield Buffer.from(mail, 'latin1');
  }
}

/** Mails on which libraries that read mail wait without end, or compute for minutes. */
export const hangingMails: Readonly<Record<string, string>> = {
  'an inline message whose header is cut off':
    'Subject: x\r\nContent-Type: message/rfc822\r\nContent-Disposition: inline\r\n',
  'an inline message of nothing in a multipart':
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\nContent-Disposition: inline\r\n\r\n--b--\r\n',
  '100 KB of blanks in quoted-printable': `Content-Type: text/xml\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<${' '.repeat(100_000)}x`,
  'a field of 200 KB of carriage returns': `Subject: x${'\r'.repeat(200_000)}x\r\n\r\nbody`,
};
