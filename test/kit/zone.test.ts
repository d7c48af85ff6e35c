import { describe, expect, test } from '@jest/globals';
import { zone } from './zone.ts';

const world = zone({
  'Example.org': { MX: [[10, 'MX.example.org.']], TXT: [['one', 'two'], 'three'], AAAA: 'SERVFAIL' },
  'null.example.org': { MX: [[0, '.']] },
  'unsorted.example.org': { A: ['192.0.2.3', '192.0.2.1', '192.0.2.2'] },
  'alias.example.org': { CNAME: ['example.org'] },
  'dangling.example.org': { CNAME: ['nothing.example.org'] },
  'loop.example.org': { CNAME: ['loop2.example.org'] },
  'loop2.example.org': { CNAME: ['loop.example.org'] },
  'a.deep.example.org': { A: ['192.0.2.1'] },
  '*.wild.example.org': { A: ['192.0.2.2'] },
  'servfail.example.org': 'SERVFAIL',
  'timeout.example.org': 'TIMEOUT',
  'refused.example.org': 'REFUSED',
  '.': { NS: ['a.root.test'] },
});

describe('the fake Dns', () => {
  test.each([
    [
      'finds a listed type, in the form of real responses',
      'EXAMPLE.ORG.',
      'MX',
      { records: [{ preference: 10, exchange: 'mx.example.org' }], name: 'example.org' },
    ],
    ['joins character-strings without a separator', 'example.org', 'TXT', { records: ['onetwo', 'three'] }],
    [
      'sorts records, however they are listed',
      'unsorted.example.org',
      'A',
      { records: ['192.0.2.1', '192.0.2.2', '192.0.2.3'] },
    ],
    [
      'returns an empty exchange for a null MX',
      'null.example.org',
      'MX',
      { records: [{ preference: 0, exchange: '' }] },
    ],
    ['returns no-data for an unlisted type', 'example.org', 'A', { status: 'absent', reason: 'no-data' }],
    [
      'returns no-name for an unlisted name',
      'other.example.org',
      'A',
      { status: 'absent', reason: 'no-name' },
    ],
    [
      'knows that a name with names below it exists',
      'deep.example.org',
      'A',
      { status: 'absent', reason: 'no-data' },
    ],
    [
      'follows a CNAME',
      'alias.example.org',
      'MX',
      { status: 'found', name: 'example.org', aliases: ['alias.example.org'] },
    ],
    ['returns a CNAME if requested', 'alias.example.org', 'CNAME', { records: ['example.org'], aliases: [] }],
    [
      'returns no-name for a CNAME to nothing',
      'dangling.example.org',
      'A',
      { status: 'absent', reason: 'no-name', aliases: ['dangling.example.org'] },
    ],
    ['fails on a CNAME loop', 'loop.example.org', 'A', { status: 'unavailable', reason: 'server-failure' }],
    [
      'expands a wildcard below it',
      'x.y.wild.example.org',
      'A',
      { records: ['192.0.2.2'], name: 'x.y.wild.example.org' },
    ],
    ['fails for a failing type', 'example.org', 'AAAA', { status: 'unavailable', reason: 'server-failure' }],
    [
      'returns unavailable for SERVFAIL',
      'servfail.example.org',
      'A',
      { status: 'unavailable', reason: 'server-failure' },
    ],
    [
      'returns unavailable for TIMEOUT',
      'timeout.example.org',
      'A',
      { status: 'unavailable', reason: 'timeout' },
    ],
    [
      'returns unavailable for REFUSED',
      'refused.example.org',
      'A',
      { status: 'unavailable', reason: 'refused' },
    ],
    ['knows that an invalid name does not exist', 'a..b', 'A', { status: 'absent', reason: 'invalid-name' }],
    ['accepts the root', '.', 'NS', { records: ['a.root.test'] }],
  ] as const)('%s', async (_title, name, type, expected) => {
    expect(await world.lookup(name, type)).toMatchObject(expected);
  });

  test('records the queries in order', async () => {
    const dns = zone({});
    await dns.lookup('B.example', 'A');
    await dns.lookup('a.example', 'TXT');
    expect(dns.questions).toEqual(['b.example A', 'a.example TXT']);
  });
});
