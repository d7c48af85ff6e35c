import { describe, expect, test } from '@jest/globals';
import { aliasConflicts, overlayDns } from '../../../../shared/checks/preview/overlay.ts';
import type { RecordType } from '../../../../shared/protocol/dns.ts';
import type { ZoneSet, ZoneType } from '../../../../shared/protocol/zone-file/record-set.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const real: ZoneLiteral = {
  'example.org': { MX: [[10, 'mx.example.org']], TXT: ['v=spf1 -all'], A: ['192.0.2.1'] },
  'mx.example.org': { A: ['192.0.2.2'] },
  'alias.example.org': { CNAME: ['mx.example.org'] },
  'dead.example.org': { CNAME: ['new.example.org'] },
  '*.wild.example.org': { TXT: ['wildcard'] },
  'own.wild.example.org': { TXT: ['own'] },
  'broken.example.org': 'SERVFAIL',
};

/** A name below example.org unless it ends with a dot, as in a zone file. */
const absolute = (name: string) => {
  if (name === '@') return 'example.org';
  return name.endsWith('.') ? name : `${name}.example.org`;
};

const set = (name: string, type: ZoneType, ...values: string[]): ZoneSet => {
  return { name: absolute(name), type, ttl: 60, values };
};

async function answer(sets: readonly ZoneSet[], name: string, type: RecordType) {
  const found = await overlayDns(zone(real), sets).dns.lookup(absolute(name), type);
  if (found.status === 'found') return found.records;
  return found.status === 'absent' ? found.reason : found.status;
}

describe('an overlay', () => {
  test.each<[string, ZoneSet, string, RecordType, unknown]>([
    ['replaces a set', set('@', 'TXT', 'b', 'a'), 'EXAMPLE.org.', 'TXT', ['a', 'b']],
    ['keeps other types of the name', set('@', 'TXT', 'a'), '@', 'A', ['192.0.2.1']],
    ['removes a set', set('@', 'MX'), '@', 'MX', 'no-data'],
    ['adds a name', set('new', 'A', '192.0.2.9'), 'new', 'A', ['192.0.2.9']],
    ['adds a name without other types', set('new', 'A', '192.0.2.9'), 'new', 'MX', 'no-data'],
    ['makes the names above it exist', set('a.new', 'TXT', 'x'), 'new', 'TXT', 'no-data'],
    ['makes no name below it exist', set('new', 'TXT', 'x'), 'a.new', 'TXT', 'no-name'],
    ['follows a proposed alias', set('new', 'CNAME', 'mx.example.org'), 'new', 'A', ['192.0.2.2']],
    ['is followed through a real alias', set('mx', 'A', '192.0.2.9'), 'alias', 'A', ['192.0.2.9']],
    ['is the target of a dead alias', set('new', 'A', '192.0.2.9'), 'dead', 'A', ['192.0.2.9']],
    ['removes an alias', set('alias', 'CNAME'), 'alias', 'A', 'no-data'],
    ['ends a loop of aliases', set('a', 'CNAME', 'a.example.org'), 'a', 'A', 'unavailable'],
    ['leaves a failed lookup failed', set('a.broken', 'A', '192.0.2.9'), 'broken', 'A', 'unavailable'],
    ['keeps a real wildcard away from its name', set('a.wild', 'A', '192.0.2.9'), 'a.wild', 'TXT', 'no-data'],
    ['and from the names below', set('a.wild', 'A', '192.0.2.9'), 'b.a.wild', 'TXT', 'no-name'],
    ['but not from other names', set('a.wild', 'A', '192.0.2.9'), 'b.wild', 'TXT', ['wildcard']],
    ['nor from real names', set('a.own.wild', 'A', '192.0.2.9'), 'own.wild', 'TXT', ['own']],
    ['adds a wildcard', set('*', 'TXT', 'x'), 'any', 'TXT', ['x']],
    ['adds a wildcard that real names do not match', set('*', 'TXT', 'x'), 'mx', 'TXT', 'no-data'],
    ['replaces a wildcard', set('*.wild', 'TXT', 'x'), 'any.wild', 'TXT', ['x']],
    [
      'follows the alias of a proposed wildcard',
      set('*', 'CNAME', 'mx.example.org'),
      'any',
      'A',
      ['192.0.2.2'],
    ],
    [
      'answers with the alias of a proposed wildcard itself',
      set('*', 'CNAME', 'mx.example.org'),
      'any',
      'CNAME',
      ['mx.example.org'],
    ],
    ['leaves names elsewhere alone', set('@', 'TXT', 'x'), 'example.net.', 'TXT', 'no-name'],
  ])('%s', async (_, proposed, name, type, expected) => {
    expect(await answer([proposed], name, type)).toEqual(expected);
  });

  test('shows the aliases that it follows, and which answers it contains', async () => {
    const dns = zone(real);
    const overlay = overlayDns(dns, [set('mx', 'A', '192.0.2.9')]);
    const found = await overlay.dns.lookup('alias.example.org', 'A');
    expect(found).toMatchObject({ name: 'mx.example.org', aliases: ['alias.example.org'], ttl: 60 });
    expect(found.status === 'found' && overlay.isProposed(found)).toBe(true);
    const other = await overlay.dns.lookup('example.org', 'A');
    expect(other.status === 'found' && overlay.isProposed(other)).toBe(false);
  });

  test('finds CNAME records beside data that stays', async () => {
    const conflicts = (...sets: ZoneSet[]) => aliasConflicts(zone(real), sets);
    expect(await conflicts(set('mx', 'CNAME', 'example.org'))).toEqual(['mx.example.org']);
    expect(await conflicts(set('alias', 'TXT', 'x'))).toEqual(['alias.example.org']);
    expect(await conflicts(set('mx', 'CNAME', 'example.org'), set('mx', 'A'))).toEqual([]);
    expect(await conflicts(set('alias', 'TXT', 'x'), set('alias', 'CNAME'))).toEqual([]);
  });
});
