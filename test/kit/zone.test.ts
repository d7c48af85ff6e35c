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

const failed = (reason: string) => ({ status: 'unavailable', reason });
const absent = (reason: string) => ({ status: 'absent', reason });
const mx = (preference: number, exchange: string) => ({ records: [{ preference, exchange }] });
const aliased = { status: 'found', name: 'example.org', aliases: ['alias.example.org'] };
const dangling = { ...absent('no-name'), aliases: ['dangling.example.org'] };
const sorted = { records: ['192.0.2.1', '192.0.2.2', '192.0.2.3'] };
const expanded = { records: ['192.0.2.2'], name: 'x.y.wild.example.org' };

describe('the fake Dns', () => {
  test.each([
    [
      'finds a type as in real responses',
      'EXAMPLE.ORG.',
      'MX',
      { ...mx(10, 'mx.example.org'), name: 'example.org' },
    ],
    ['joins character-strings without a separator', 'example.org', 'TXT', { records: ['onetwo', 'three'] }],
    ['sorts records, however they are listed', 'unsorted.example.org', 'A', sorted],
    ['returns an empty exchange for a null MX', 'null.example.org', 'MX', mx(0, '')],
    ['returns no-data for an unlisted type', 'example.org', 'A', absent('no-data')],
    ['returns no-name for an unlisted name', 'other.example.org', 'A', absent('no-name')],
    ['knows that a name with names below it exists', 'deep.example.org', 'A', absent('no-data')],
    ['follows a CNAME', 'alias.example.org', 'MX', aliased],
    ['returns a CNAME if requested', 'alias.example.org', 'CNAME', { records: ['example.org'], aliases: [] }],
    ['returns no-name for a CNAME to nothing', 'dangling.example.org', 'A', dangling],
    ['fails on a CNAME loop', 'loop.example.org', 'A', failed('server-failure')],
    ['expands a wildcard below it', 'x.y.wild.example.org', 'A', expanded],
    ['fails for a failing type', 'example.org', 'AAAA', failed('server-failure')],
    ['returns unavailable for SERVFAIL', 'servfail.example.org', 'A', failed('server-failure')],
    ['returns unavailable for TIMEOUT', 'timeout.example.org', 'A', failed('timeout')],
    ['returns unavailable for REFUSED', 'refused.example.org', 'A', failed('refused')],
    ['knows that an invalid name does not exist', 'a..b', 'A', absent('invalid-name')],
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
