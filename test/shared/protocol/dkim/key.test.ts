import { describe, expect, test } from '@jest/globals';
import { parseDkimKey, resemblesDkimKey } from '../../../../shared/protocol/dkim/key.ts';
import {
  asWritten,
  byAnswer,
  fieldEdits,
  inShort,
  listed,
  type Named,
  printed,
  unlike,
  words,
} from '../../../kit/answers.ts';
import { rsaForm } from '../../../kit/dkim-signer.ts';
import { mutations } from '../mutations.ts';

const RSA_2048 = rsaForm(2048);
const ED25519_SPKI = Buffer.from(`302a300506032b6570032100${'5a'.repeat(32)}`, 'hex');
const ED25519 = ED25519_SPKI.subarray(-32).toString('base64');

function answer(text: string): string {
  const { key, findings } = parseDkimKey(text, 'sel');
  const { tags: _, p, ...values } = key;
  const usual = { v: 'DKIM1', k: 'rsa', size: 2048, h: null, s: ['*'], t: [], n: null };
  return inShort({ ...values, ...(p === RSA_2048 ? {} : { p: p?.slice(0, 8) }) }, findings, usual).replaceAll(
    ' selector=sel',
    '',
  );
}

describe('a key record (RFC 6376 section 3.6.1)', () => {
  test('names the selector in its findings', () => {
    expect(parseDkimKey('v=DKIM1; p=', 'sel').findings).toMatchObject([
      { subject: 'sel', severity: 'notice' },
    ]);
  });
});

describe('recorded answers', () => {
  const named = (tags: readonly string[]): readonly Named<string>[] =>
    tags.map((tag) => [printed(tag), `v=DKIM1; ${tag}; p=${RSA_2048}`]);

  test('to a record with each of its tags written otherwise', () => {
    const record = 'v=DKIM1; h=sha1:sha256; k=rsa; n=a note; s=email; t=y:s; p=KEY';
    const whole = (text: string) => answer(text.replace('KEY', RSA_2048));
    const short = unlike(whole(record));
    expect(byAnswer(fieldEdits(record), (text) => short(whole(text)))).toMatchSnapshot();
  });

  test('to values of each tag', () => {
    const tags = [
      ...words('rsa RSA ed25519 dsa ml-dsa-44 ML-DSA-65 mldsa87 ml-dsa-45 xml-dsa ml-dsa-44x').map(
        (k) => `k=${k}`,
      ),
      ...['', 'sha1', 'sha256', 'SHA256', 'sha1 : sha256', 'sha3', ':sha256'].map((h) => `h=${h}`),
      ...['', '*', 'email', 'Email', 'tlsrpt', 'tlsrpt:email', 'x : *'].map((one) => `s=${one}`),
      ...['', 'y', 'Y', 's', 'y:s', 's : z', 'yy'].map((t) => `t=${t}`),
      ...['n=', 'g=*', 'k=', 'rsa', '', 'é=1', 'n=é'],
    ];
    expect(byAnswer(named(tags), answer)).toMatchSnapshot();
    const first = ['v=dkim1', 'v=DKIM2', 'v=dkim2', 'v=DKIM3', 'v=DKIM1\\', 'x=; v=DKIM1', 'v=', 'k=rsa'];
    const starts = first.map((start): Named<string> => [start, `${start}; p=${RSA_2048}`]);
    expect(byAnswer(starts, answer)).toMatchSnapshot('first tags');
  });

  test('to keys', () => {
    const sizes = [512, 1016, 1023, 1024, 1025, 2040, 2047, 2048, 2049, 4095, 4096, 4097, 5120];
    const base64 = (octets: Uint8Array) => Buffer.from(octets).toString('base64');
    const keys: readonly Named<string>[] = [
      ...sizes.map((bits): Named<string> => [`${bits} bits`, `p=${rsaForm(bits)}`]),
      ['1024 bits in PKCS #1', `p=${rsaForm(1024, 'pkcs1')}`],
      ['white space', `p=${RSA_2048.replace(/(.{60})/g, '$1 \r\n\t')}`],
      ['quotes', `p="${RSA_2048}"`],
      ['cut', `p=${RSA_2048.slice(0, 200)}`],
      ['ed25519', `k=ed25519; p=${ED25519}`],
      ['ed25519 without padding', `k=ed25519; p=${ED25519.replace('=', '')}`],
      ['ed25519 in SubjectPublicKeyInfo', `k=ed25519; p=${base64(ED25519_SPKI)}`],
      ['ed25519 in SubjectPublicKeyInfo as rsa', `p=${base64(ED25519_SPKI)}`],
      ['ed25519 as rsa', `p=${ED25519}`],
      ['ed25519 of 31 octets', `k=ed25519; p=${base64(ED25519_SPKI.subarray(-31))}`],
      ['ed25519 of 33 octets', `k=ed25519; p=${base64(ED25519_SPKI.subarray(-33))}`],
      ...['k=ml-dsa-44; p=AAAA', 'k=ml-dsa-44; p=', 'k=ml-dsa-44', 'k=dsa; p=AAAA', 'k=dsa; p='].map(
        (text): Named<string> => [text, text],
      ),
      ...words('p= x= p=MIGf* p=A p=AA p=AAA p=AAAA p=AAAAA p== p=AA== p=AA=== p=A=A=').map(
        (text): Named<string> => [text, text],
      ),
    ];
    expect(byAnswer(keys, (text) => answer(`v=DKIM1; ${text}`))).toMatchSnapshot();
  });
});

test('which TXT records at the name of a selector are meant as keys', () => {
  const texts = [
    '',
    ...listed(`v=DKIM1; p= | v=DKIM1\\; k=rsa\\; p=x | k=rsa; p=x | v=spf1 -all | v=DMARC1; p=reject | hello | v=dkim2
      k=rsa | P=x`),
  ];
  expect(byAnswer(asWritten(texts), (text) => String(resemblesDkimKey(text)))).toMatchSnapshot();
});

test('any text parses without an exception, with a size only for a key', () => {
  const seeds = [
    `v=DKIM1; k=rsa; h=sha1:sha256; s=*; t=y:s; n=x; p=${RSA_2048}`,
    `k=ed25519; p=${ED25519}`,
    'v=DKIM1;;p=',
  ];
  for (const text of mutations(seeds, 3000)) {
    const { key } = parseDkimKey(text, 'sel');
    if (key.p === null || key.k === null) expect(key.size).toBeNull();
  }
});
