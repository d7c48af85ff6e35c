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

/** The selectors that a message proves by domain, verified and looked up in the same zone. */
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

describe('a message proves selectors', () => {
  test('for each domain that signed it, in canonical form', async () => {
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

  test('for the organizational domain if it publishes the same key', async () => {
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

describe('a message proves nothing', () => {
  const place = 's1._domainkey.example.org';
  const weak = rsaKey(512);
  test.each<[string, string, ZoneLiteral]>([
    ['without a signature', MESSAGE, { [place]: record(key.record) }],
    [
      'if its signature covers something else',
      by('example.org', 's1').replace('Hello', 'Hullo'),
      { [place]: record(key.record) },
    ],
    [
      'if its signature uses an unpublished key beside the published one',
      by('example.org', 's1', MESSAGE, rsaKey()),
      { [place]: record(key.record) },
    ],
    [
      'if a wildcard responds for every selector',
      by('example.org', 'invented', MESSAGE, rsaKey()),
      { '*._domainkey.example.org': record(key.record) },
    ],
    ['if no key is published', by('example.org', 's1'), {}],
    ['if DNS does not respond', by('example.org', 's1'), { [place]: 'SERVFAIL' }],
    [
      'with a key weak enough to break',
      by('example.org', 's1', MESSAGE, weak),
      { [place]: record(weak.record) },
    ],
    [
      'with a signature for an ambiguous author',
      `From: b@example.net\r\n${by('example.org', 's1')}`,
      { [place]: record(key.record) },
    ],
  ])('%s', async (_what, message, published) => {
    expect(await proves(message, published)).toEqual({});
  });

  test.each<[string, ZoneLiteral]>([
    ['publishes another key there', { 's1._domainkey.example.org': record(rsaKey().record) }],
    ['responds for every selector', { '*._domainkey.example.org': record(rsaKey().record) }],
    ['publishes a revoked key there', { 's1._domainkey.example.org': record('v=DKIM1; p=') }],
    ['publishes no key there', {}],
    ['does not respond', { 's1._domainkey.example.org': 'TIMEOUT' }],
  ])('for an organizational domain that %s', async (_what, above) => {
    const published = { 's1._domainkey.mail.example.org': record(key.record), ...above };
    expect(await proves(by('mail.example.org', 's1'), published)).toEqual({ 'mail.example.org': ['s1'] });
  });

  test('for more domains than legitimate senders sign for', async () => {
    const domains = Array.from({ length: 12 }, (_, n) => `d${n}.example`);
    const message = domains.reduce((text, domain) => by(domain, 's1', text), MESSAGE);
    const published = Object.fromEntries(
      domains.map((domain) => [`s1._domainkey.${domain}`, record(key.record)]),
    );
    expect(Object.keys(await proves(message, published))).toHaveLength(5);
  });
});
