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
      'a listed type is found, in the form answers have',
      'EXAMPLE.ORG.',
      'MX',
      { records: [{ preference: 10, exchange: 'mx.example.org' }], name: 'example.org' },
    ],
    [
      'character-strings are joined without a separator',
      'example.org',
      'TXT',
      { records: ['onetwo', 'three'] },
    ],
    [
      'records have one order, however they are listed',
      'unsorted.example.org',
      'A',
      { records: ['192.0.2.1', '192.0.2.2', '192.0.2.3'] },
    ],
    [
      'the exchange of a null MX is empty',
      'null.example.org',
      'MX',
      { records: [{ preference: 0, exchange: '' }] },
    ],
    ['a type that is not listed is no-data', 'example.org', 'A', { status: 'absent', reason: 'no-data' }],
    [
      'a name that is not listed does not exist',
      'other.example.org',
      'A',
      { status: 'absent', reason: 'no-name' },
    ],
    ['a name with names below it exists', 'deep.example.org', 'A', { status: 'absent', reason: 'no-data' }],
    [
      'an alias is followed',
      'alias.example.org',
      'MX',
      { status: 'found', name: 'example.org', aliases: ['alias.example.org'] },
    ],
    [
      'an alias is an answer when asked for',
      'alias.example.org',
      'CNAME',
      { records: ['example.org'], aliases: [] },
    ],
    [
      'an alias to nothing ends in no-name',
      'dangling.example.org',
      'A',
      { status: 'absent', reason: 'no-name', aliases: ['dangling.example.org'] },
    ],
    ['a loop of aliases fails', 'loop.example.org', 'A', { status: 'unavailable', reason: 'server-failure' }],
    [
      'a wildcard answers below itself',
      'x.y.wild.example.org',
      'A',
      { records: ['192.0.2.2'], name: 'x.y.wild.example.org' },
    ],
    ['a failing type fails', 'example.org', 'AAAA', { status: 'unavailable', reason: 'server-failure' }],
    [
      'SERVFAIL is unavailable',
      'servfail.example.org',
      'A',
      { status: 'unavailable', reason: 'server-failure' },
    ],
    ['TIMEOUT is unavailable', 'timeout.example.org', 'A', { status: 'unavailable', reason: 'timeout' }],
    ['REFUSED is unavailable', 'refused.example.org', 'A', { status: 'unavailable', reason: 'refused' }],
    ['an impossible name cannot be asked', 'a..b', 'A', { status: 'unavailable', reason: 'invalid-name' }],
    ['the root can be asked', '.', 'NS', { records: ['a.root.test'] }],
  ] as const)('%s', async (_title, name, type, expected) => {
    expect(await world.lookup(name, type)).toMatchObject(expected);
  });

  test('it keeps the questions in order', async () => {
    const dns = zone({});
    await dns.lookup('B.example', 'A');
    await dns.lookup('a.example', 'TXT');
    expect(dns.questions).toEqual(['b.example A', 'a.example TXT']);
  });
});
