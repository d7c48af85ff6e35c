import { describe, expect, test } from '@jest/globals';
import type { KeyLookups } from '../../../../shared/protocol/dkim/key-lookups.ts';
import { verifyStated } from '../../../../shared/protocol/dkim/library.ts';
import { readSignature } from '../../../../shared/protocol/dkim/signature.ts';
import type { Signature } from '../../../../shared/protocol/dkim/verdict.ts';
import { verifySignatures } from '../../../../shared/protocol/dkim/verify.ts';
import { readHeaderSection } from '../../../../shared/protocol/message/header-section.ts';
import { byLateAnswer, type Named } from '../../../kit/answers.ts';
import { ed25519Key, rsaKey, type SignatureOptions, signed } from '../../../kit/dkim-signer.ts';
import { randomNumbers } from '../../../kit/reports.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const seconds = (iso: string) => Date.parse(iso) / 1000;

const rsa = rsaKey();
const ed = ed25519Key();
const MESSAGE =
  'From: Someone <a@example.org>\r\nSubject: A  test\r\n of signatures\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\n\r\nHello  there \r\n\r\nBye\r\n\r\n\r\n';

const options: SignatureOptions = { domain: 'example.org', selector: 's1', key: rsa };
const KEY_NAME = 's1._domainkey.example.org';

const withKey = (record: string): ZoneLiteral => ({ [KEY_NAME]: { TXT: [record] } });

async function verify(message: string, published: ZoneLiteral = withKey(rsa.record)) {
  const octets = Buffer.from(message, 'latin1');
  return verifySignatures(octets, readHeaderSection(octets), zone(published), NOW);
}

async function only(message: string, published?: ZoneLiteral): Promise<Signature> {
  const { signatures } = await verify(message, published);
  expect(signatures).toHaveLength(1);
  return signatures[0] as Signature;
}

describe('a signature passes', () => {
  test.each([
    ['with RSA', options, rsa.record, 2048],
    ['with Ed25519', { ...options, key: ed }, ed.record, 256],
    ['if it signs a field as absent', { ...options, fields: ['from', 'from', 'reply-to'] }, rsa.record, 2048],
  ])('%s', async (_what, how, record, keySize) => {
    expect(await only(signed(MESSAGE, how), withKey(record))).toEqual({
      domain: 'example.org',
      selector: 's1',
      algorithm: how.key.algorithm,
      keySize,
      verdict: 'pass',
      reason: null,
      explanation: null,
      unsignedOctets: null,
      testing: false,
      signedAt: null,
      expiresAt: null,
      signedFields: how.fields ?? ['from', 'subject', 'date'],
      warnings: [],
      duplicate: false,
    });
  });

  test('in a message with bare line feeds, which is read with CRLF', async () => {
    expect((await only(signed(MESSAGE, options).replaceAll('\r\n', '\n'))).verdict).toBe('pass');
  });

  test('whatever blanks and line ends its body has', async () => {
    const below = randomNumbers(1);
    const parts = [' ', '\t', '\r\n', 'a', '\r', ' \r\n', '\t \t'];
    const header = MESSAGE.slice(0, MESSAGE.indexOf('\r\n\r\n') + 4);
    for (let n = 0; n < 300; n += 1) {
      const body = Array.from({ length: below(12) }, () => parts[below(parts.length)]).join('');
      expect([body, (await only(signed(header + body, options))).verdict]).toEqual([body, 'pass']);
    }
  });

  test('for an internationalized domain, which is reported in A-labels', async () => {
    const domain = Buffer.from('GRÜSSE.example').toString('latin1');
    const published = { 's1._domainkey.xn--grsse-lva.example': { TXT: [rsa.record] } };
    expect(await only(signed(MESSAGE, { ...options, domain }), published)).toMatchObject({
      verdict: 'pass',
      domain: 'xn--grsse-lva.example',
      keySize: 2048,
    });
  });

  test('of one or two fields of an ARC set, which is not verified', async () => {
    const [bodyHash] = /bh=[^;]+;/.exec(signed(MESSAGE, options)) ?? [];
    const tags = 'a=rsa-sha256; d=example.net; s=s; b=AAAA';
    const set = [
      'ARC-Authentication-Results: i=1; mx.example.net; dmarc=pass',
      `ARC-Message-Signature: i=1; c=relaxed/relaxed; h=from; ${bodyHash} ${tags}`,
      `ARC-Seal: i=1; cv=none; ${tags}`,
    ];
    const [results, signature, seal] = ['arc-authentication-results', 'arc-message-signature', 'arc-seal'];
    const message = `${set.join('\r\n')}\r\n${MESSAGE}`;
    for (const [fields, verdict] of [
      [[], 'pass'],
      [[seal], 'pass'],
      [[signature, seal], 'pass'],
      [[results, signature], 'pass'],
      [[results, signature, seal], 'fail'],
    ] as const) {
      const octets = Buffer.from(signed(message, { ...options, fields: ['from', ...fields] }), 'latin1');
      const dns = zone(withKey(rsa.record));
      const { signatures } = await verifySignatures(octets, readHeaderSection(octets), dns, NOW);
      expect([fields, signatures.map((one) => one.verdict)]).toEqual([fields, [verdict]]);
      expect(dns.questions).toEqual([`${KEY_NAME} TXT`]);
    }
  });

  test('if there is another kind of record at its name', async () => {
    const published = { [KEY_NAME]: { TXT: ['v=spf1 -all', rsa.record] } };
    expect((await only(signed(MESSAGE, options), published)).verdict).toBe('pass');
  });
});

describe('with several keys at its name', () => {
  test.each([options, { ...options, key: ed }])(
    '$key.algorithm passes with the key of its type',
    async (how) => {
      for (const TXT of [
        [rsa.record, ed.record],
        [ed.record, rsa.record],
      ]) {
        expect(await only(signed(MESSAGE, how), { [KEY_NAME]: { TXT } })).toMatchObject({
          verdict: 'pass',
          keySize: how.key === rsa ? 2048 : 256,
          warnings: [expect.stringContaining('2 keys')],
        });
      }
    },
  );
});

describe('a signature does not pass', () => {
  const message = signed(MESSAGE, options);
  const weak = rsaKey(512);
  const shorter = rsaKey(768);
  const having = (changes: Partial<SignatureOptions>) => signed(MESSAGE, { ...options, ...changes });
  const edited = (record: string) => rsa.record.replace('k=rsa', record);

  test('but has the recorded verdict', async () => {
    const cases: readonly Named<readonly [string, ZoneLiteral?]>[] = [
      ['with another body', [message.replace('\nBye', '\nBuy')]],
      ['with text appended to the body', [`${message}PS\r\n`]],
      ['with another header', [message.replace('A  test', 'Another')]],
      ['with another key', [message, withKey(rsaKey().record)]],
      ['without a key', [message, {}]],
      ['with a revoked key', [message, withKey('v=DKIM1; p=')]],
      ['with an invalid key', [message, withKey('v=DKIM1; p=AAAA')]],
      ['with a key of a later version', [message, withKey(rsa.record.replace('DKIM1', 'DKIM2'))]],
      ['with a key of another type', [message, withKey(ed.record)]],
      ['with a key for other services', [message, withKey(edited('s=other'))]],
      ['with a key for SHA-1 only', [message, withKey(edited('h=sha1'))]],
      ['with a short key', [having({ key: weak }), withKey(weak.record)]],
      ['with SHA-1', [having({ algorithm: 'rsa-sha1' })]],
      ['with a key of 768 bits', [having({ key: shorter }), withKey(shorter.record)]],
      ['with a key of an unknown type', [message, withKey(edited('k=dsa'))]],
      [
        'with a key whose version is not first',
        [message, withKey(`${rsa.record.replace('v=DKIM1; ', '')}; v=DKIM1`)],
      ],
      [
        'with an s= flag and an identity in a subdomain',
        [having({ tags: ['i=@mail.example.org'] }), withKey(edited('t=s'))],
      ],
      [
        'with an added instance of a signed field',
        [`Subject: Another\r\n${having({ fields: ['from', 'subject', 'subject'] })}`],
      ],
      [
        'that expires before it was made',
        [having({ tags: [`t=${seconds('2025-12-30T00:00:00Z')}`, `x=${seconds('2025-12-29T00:00:00Z')}`] })],
      ],
      ['with an unknown query method', [having({ tags: ['q=http/wkd'] })]],
      ['with a duplicate tag', [having({ tags: ['s=s1'] })]],
      [
        'with the right domain only in a look-alike D tag',
        [having({ tags: ['D=example.net'] }).replace('d=example.org', 'd=example.com')],
      ],
      ['in a message without a From field', [signed(MESSAGE.replace(/^From: .*\r\n/, ''), options)]],
      ['with an unknown algorithm', [message.replace('a=rsa-sha256', 'a=ec-sha512')]],
      ['that has expired', [having({ tags: [`x=${seconds('2025-12-31T00:00:00Z')}`] })]],
      ['that does not sign From', [having({ fields: ['subject'] })]],
      ['for an identity outside its domain', [having({ tags: ['i=@example.net'] })]],
      ['of an unknown version', [message.replace('v=1;', 'v=2;')]],
      ['without a domain', [message.replace('d=example.org; ', '')]],
      ['with a body length beyond the body', [having({ length: { signed: 100, stated: 100 } })]],
      ['with a second From field above it', [`From: other@example.net\r\n${message}`]],
    ];
    const answer = async (of: readonly [string, ZoneLiteral?]) => {
      const { verdict, reason, explanation } = await only(...of);
      expect(explanation).toMatch(/\.$/);
      return `${verdict} ${reason}`;
    };
    expect(await byLateAnswer(cases, answer)).toMatchSnapshot();
  });

  test.each(['SERVFAIL', 'TIMEOUT', 'REFUSED'] as const)(
    'for now if the key lookup fails: %s',
    async (failure) => {
      expect(await only(message, { [KEY_NAME]: failure })).toMatchObject({
        verdict: 'temperror',
        reason: 'dns',
      });
    },
  );
});

describe('a signature reports', () => {
  test('how much of the body is unsigned', async () => {
    const partial = signed(MESSAGE, { ...options, length: { signed: 13, stated: 13 } });
    const signature = await only(`${partial}Appended\r\n`);
    expect(signature.verdict).toBe('pass');
    expect(signature.unsignedOctets).toBeGreaterThan(10);
    expect(signature.warnings).toEqual([expect.stringContaining('l=')]);
  });

  test('that its key is in test mode', async () => {
    const published: ZoneNode = { TXT: [rsa.record.replace('k=rsa', 't=y')] };
    expect(await only(signed(MESSAGE, options), { [KEY_NAME]: published })).toMatchObject({
      verdict: 'pass',
      testing: true,
      warnings: [expect.stringContaining('t=y')],
    });
  });

  test('that its key is short by current standards, and that its timestamp is in the future', async () => {
    const short = rsaKey(1024);
    const tags = [`t=${seconds('2026-01-02T00:00:00Z')}`, `x=${seconds('2026-01-03T00:00:00Z')}`];
    const signature = await only(signed(MESSAGE, { ...options, key: short, tags }), withKey(short.record));
    expect(signature).toMatchObject({
      verdict: 'pass',
      keySize: 1024,
      signedAt: '2026-01-02T00:00:00.000Z',
      expiresAt: '2026-01-03T00:00:00.000Z',
      warnings: [expect.stringContaining('1024'), expect.stringContaining('future')],
    });
  });
});

describe('several signatures', () => {
  test('are each reported, from the top, and each key is looked up once', async () => {
    const dns = zone({ ...withKey(rsa.record), 'bad._domainkey.example.net': 'SERVFAIL' });
    const twice = signed(signed(MESSAGE, options), options);
    const text = signed(twice, { ...options, domain: 'example.net', selector: 'bad' });
    const octets = Buffer.from(text, 'latin1');
    const { signatures, more } = await verifySignatures(octets, readHeaderSection(octets), dns, NOW);
    expect(signatures.map(({ domain, verdict }) => [domain, verdict])).toEqual([
      ['example.net', 'temperror'],
      ['example.org', 'pass'],
      ['example.org', 'pass'],
    ]);
    expect(more).toBe(0);
    expect([...dns.questions].sort()).toEqual(['bad._domainkey.example.net TXT', `${KEY_NAME} TXT`]);
  });

  test('are verified up to twenty, and the others are counted', async () => {
    const one = signed(MESSAGE, options);
    const field = one.slice(0, one.indexOf('\r\n') + 2);
    const { signatures, more } = await verify(`${field.repeat(24)}${one}`);
    expect(signatures.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 20 }, () => 'pass'));
    expect(more).toBe(5);
  });

  test('that need too many different body hashes are skipped', async () => {
    const body = 'x'.repeat(70).concat('\r\n').repeat(130_000);
    const message = MESSAGE.replace('Hello', body);
    const text = [1, 2, 3, 4].reduce(
      (so, length) => signed(so, { ...options, length: { signed: length, stated: length } }),
      message,
    );
    const { signatures } = await verify(text);
    expect(signatures.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'not-checked', 'not-checked']);
    expect(signatures[3]).toMatchObject({ reason: 'limit', domain: 'example.org', selector: 's1' });
  });

  test('are none in a message without one, and cause no query', async () => {
    expect(await verify(MESSAGE, {})).toEqual({ signatures: [], more: 0 });
  });
});

test('A library that does not end is not waited for, and nothing is known of the signatures', async () => {
  const message = Buffer.from(signed(MESSAGE, options), 'latin1');
  const section = readHeaderSection(message);
  const stated = section.fields.filter(({ name }) => name === 'dkim-signature').map(readSignature);
  const silent: KeyLookups = { lookup: () => new Promise(() => {}), keysOf: async () => [] };
  expect(await verifyStated(message, section, stated, silent, { now: NOW, milliseconds: 50 })).toEqual([]);
});
