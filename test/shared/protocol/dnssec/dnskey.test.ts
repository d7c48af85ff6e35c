import { describe, expect, test } from '@jest/globals';
import { delegatedKeys, dsDigest, matchesDs, zoneKeys } from '../../../../shared/protocol/dnssec/dnskey.ts';

/** The key of the digest examples in RFC 4034 section 5.4 and RFC 4509 section 2.3. */
const published = Buffer.from(
  `01000305${Buffer.from(
    'AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvx' +
      'egXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==',
    'base64',
  ).toString('hex')}`,
  'hex',
);

describe('DNSKEY', () => {
  test('has the key tag of RFC 4034 section 5.4', () => {
    expect(zoneKeys([published]).map(({ keyTag, algorithm, flags }) => [keyTag, algorithm, flags])).toEqual([
      [60485, 5, 256],
    ]);
  });

  test.each([
    [1, '2BB183AF5F22588179A53B0A98631FAD1A292118'],
    [2, 'D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A'],
  ])('has the published digest of type %i', (digestType, expected) => {
    const digest = dsDigest('dskey.example.com', published, digestType) ?? new Uint8Array();
    expect(Buffer.from(digest).toString('hex').toUpperCase()).toBe(expected);
    const [key] = zoneKeys([published]);
    if (key === undefined) throw new Error('no key');
    expect(matchesDs('dskey.example.com', key, { keyTag: 60485, algorithm: 5, digestType, digest })).toBe(
      true,
    );
    expect(matchesDs('other.example.com', key, { keyTag: 60485, algorithm: 5, digestType, digest })).toBe(
      false,
    );
    expect(matchesDs('dskey.example.com', key, { keyTag: 60485, algorithm: 8, digestType, digest })).toBe(
      false,
    );
  });

  test('of a delegation is found among many keys and DS records, and costs a limited number of digests', () => {
    const [key] = zoneKeys([published]);
    if (key === undefined) throw new Error('no key');
    const ds = { keyTag: key.keyTag, algorithm: key.algorithm, digestType: 2, digest: new Uint8Array(32) };
    const matching = { ...ds, digest: dsDigest('example', published, 2) ?? new Uint8Array() };
    const foreign = Array.from({ length: 100 }, (_, tag) => ({ ...key, keyTag: key.keyTag ^ (tag + 1) }));
    expect(delegatedKeys('example', [...foreign, key], [...Array(100).fill(ds), matching])).toEqual([key]);
    expect(delegatedKeys('example', [key], [...Array(200).fill(ds), matching])).toEqual([]);
  });
});
