import { describe, expect, test } from '@jest/globals';
import { rdapUrl, readBootstrap } from '../../../../shared/protocol/rdap/bootstrap.ts';
import { readRegistration } from '../../../../shared/protocol/rdap/registration.ts';
import { rdapDomain } from '../../../kit/registry.ts';
import { mutations } from '../mutations.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the list of servers', () => {
  const services = [
    [
      ['ORG', 'net'],
      ['http://a.test/', 'https://a.test/rdap'],
    ],
    [['co.uk'], ['https://uk.test/']],
    [['plain'], ['http://b.test/']],
  ];
  const servers = readBootstrap(bytes(JSON.stringify({ services }))) ?? new Map();

  test.each([
    ['example.org', 'https://a.test/rdap/domain/example.org'],
    ['shop.co.uk', 'https://uk.test/domain/shop.co.uk'],
    ['shop.uk', undefined],
    ['example.plain', undefined],
    ['example.de', undefined],
  ])('of %s: %s', (domain, url) => {
    expect(rdapUrl(servers, domain)).toBe(url);
  });

  test.each(['', '{}', '{"services":[["org"]]}', '[]', 'null'])('is none: %s', (text) => {
    expect(readBootstrap(bytes(text))).toBeUndefined();
  });
});

describe('an answer', () => {
  const read = (text: string) => readRegistration(bytes(text), 'shop.example');

  test('has the end, the status codes in lower case, and the DS records', () => {
    const status = ['Client Hold', 'server transfer prohibited'];
    expect(read(rdapDomain('shop.example', { status, ds: [2, 1, 2] }))).toEqual({
      expiresAt: '2027-06-01T00:00:00.000Z',
      statuses: ['client hold', 'server transfer prohibited'],
      keyTags: [2, 1],
    });
  });

  test('that leaves things out, or has them in another shape, says nothing about them', () => {
    const odd = {
      objectClassName: 'domain',
      ldhName: 'shop.example',
      status: 'active',
      events: [{}],
      secureDNS: [],
    };
    const unknown = { expiresAt: null, statuses: [], keyTags: null };
    expect(read(JSON.stringify(odd))).toEqual(unknown);
    const signed = {
      ...odd,
      secureDNS: { delegationSigned: true },
      events: [{ eventAction: 'expiration', eventDate: 'soon' }],
    };
    expect(read(JSON.stringify(signed))).toEqual(unknown);
    expect(read(JSON.stringify({ ...odd, secureDNS: { delegationSigned: false } }))?.keyTags).toEqual([]);
  });

  test('about another domain or of another kind is none', () => {
    expect(read(rdapDomain('other.example'))).toBeUndefined();
    expect(read('{"objectClassName":"nameserver","ldhName":"shop.example"}')).toBeUndefined();
  });

  test('with any mutation is read or refused, and never throws', () => {
    const outcomes = [...mutations([rdapDomain('shop.example', { ds: [1] })], 2000)].map(
      (text) => read(text) !== undefined,
    );
    expect(new Set(outcomes)).toEqual(new Set([true, false]));
  });
});
