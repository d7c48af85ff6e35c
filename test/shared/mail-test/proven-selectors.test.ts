import { describe, expect, test } from '@jest/globals';
import { provenSelectors } from '../../../shared/mail-test/proven-selectors.ts';
import { verifySignatures } from '../../../shared/protocol/dkim/verify.ts';
import { readHeaderSection } from '../../../shared/protocol/message/header-section.ts';
import { rsaKey, type SigningKey, signed } from '../../kit/dkim-signer.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const MESSAGE = 'From: a@example.org\r\nSubject: x\r\n\r\nHello\r\n';
const key = rsaKey();

const record = (...texts: string[]) => ({ TXT: texts });
const by = (domain: string, selector: string, text = MESSAGE, signer: SigningKey = key) =>
  signed(text, { domain, selector, key: signer });

/** What a message proves of which domain, verified and looked up in the same zone. */
async function proves(message: string, published: ZoneLiteral): Promise<Record<string, string[]>> {
  const octets = Buffer.from(message, 'latin1');
  const dns = zone(published);
  const { signatures } = await verifySignatures(octets, readHeaderSection(octets), dns, NOW);
  const proven = await provenSelectors(
    { signatures: signatures.map((signature) => ({ ...signature, aligned: null })) },
    dns,
  );
  return Object.fromEntries([...proven].map(([domain, selectors]) => [domain, [...selectors]]));
}

describe('A message proves selectors', () => {
  test('of each domain that signed it, in canonical form', async () => {
    const message = by('Example.NET', 'S2', by('example.org', 's1', by('example.org', 's3')));
    const published = {
      's1._domainkey.example.org': record(key.record),
      's3._domainkey.example.org': record(key.record),
      's2._domainkey.example.net': record(key.record),
    };
    expect(await proves(message, published)).toEqual({
      'example.net': ['s2'],
      'example.org': ['s1', 's3'],
    });
  });

  test('of the organizational domain where the same key is published there', async () => {
    const published = {
      's1._domainkey.mail.example.org': record(key.record),
      's1._domainkey.example.org': record('v=spf1 -all', key.record),
    };
    expect(await proves(by('mail.example.org', 's1'), published)).toEqual({
      'mail.example.org': ['s1'],
      'example.org': ['s1'],
    });
  });
});

describe('A message proves nothing', () => {
  const place = 's1._domainkey.example.org';
  const weak = rsaKey(512);
  test.each<[string, string, ZoneLiteral]>([
    ['without a signature', MESSAGE, { [place]: record(key.record) }],
    [
      'by a signature of something else',
      by('example.org', 's1').replace('Hello', 'Hullo'),
      { [place]: record(key.record) },
    ],
    [
      'by a signature with a key of its own beside a key that is published',
      by('example.org', 's1', MESSAGE, rsaKey()),
      { [place]: record(key.record) },
    ],
    [
      'by any selector where a wildcard answers for all',
      by('example.org', 'invented', MESSAGE, rsaKey()),
      { '*._domainkey.example.org': record(key.record) },
    ],
    ['where no key is published', by('example.org', 's1'), {}],
    ['where the DNS does not answer', by('example.org', 's1'), { [place]: 'SERVFAIL' }],
    [
      'by a key that anyone can break',
      by('example.org', 's1', MESSAGE, weak),
      { [place]: record(weak.record) },
    ],
    [
      'by a signature for an author who may be another',
      `From: b@example.net\r\n${by('example.org', 's1')}`,
      { [place]: record(key.record) },
    ],
  ])('%s', async (_what, message, published) => {
    expect(await proves(message, published)).toEqual({});
  });

  test.each<[string, ZoneLiteral]>([
    ['has another key there', { 's1._domainkey.example.org': record(rsaKey().record) }],
    ['answers for every selector', { '*._domainkey.example.org': record(rsaKey().record) }],
    ['has a revoked key there', { 's1._domainkey.example.org': record('v=DKIM1; p=') }],
    ['has no key there', {}],
    ['does not answer', { 's1._domainkey.example.org': 'TIMEOUT' }],
  ])('of an organizational domain that %s', async (_what, above) => {
    const published = { 's1._domainkey.mail.example.org': record(key.record), ...above };
    expect(await proves(by('mail.example.org', 's1'), published)).toEqual({ 'mail.example.org': ['s1'] });
  });

  test('of more domains than anybody signs for', async () => {
    const domains = Array.from({ length: 12 }, (_, n) => `d${n}.example`);
    const message = domains.reduce((text, domain) => by(domain, 's1', text), MESSAGE);
    const published = Object.fromEntries(
      domains.map((domain) => [`s1._domainkey.${domain}`, record(key.record)]),
    );
    expect(Object.keys(await proves(message, published))).toHaveLength(5);
  });
});
