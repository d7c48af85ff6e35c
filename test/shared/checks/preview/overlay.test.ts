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

const set = (name: string, type: ZoneType, ...values: string[]): ZoneSet => ({ name, type, ttl: 60, values });

async function answer(sets: readonly ZoneSet[], name: string, type: RecordType) {
  const found = await overlayDns(zone(real), sets).dns.lookup(name, type);
  if (found.status === 'found') return found.records;
  return found.status === 'absent' ? found.reason : found.status;
}

describe('an overlay', () => {
  test.each<[string, readonly ZoneSet[], string, RecordType, unknown]>([
    ['replaces a set', [set('example.org', 'TXT', 'b', 'a')], 'EXAMPLE.org.', 'TXT', ['a', 'b']],
    ['keeps other types of the name', [set('example.org', 'TXT', 'a')], 'example.org', 'A', ['192.0.2.1']],
    ['removes a set', [set('example.org', 'MX')], 'example.org', 'MX', 'no-data'],
    ['adds a name', [set('new.example.org', 'A', '192.0.2.9')], 'new.example.org', 'A', ['192.0.2.9']],
    [
      'adds a name without other types',
      [set('new.example.org', 'A', '192.0.2.9')],
      'new.example.org',
      'MX',
      'no-data',
    ],
    [
      'makes the names above it exist',
      [set('a.new.example.org', 'TXT', 'x')],
      'new.example.org',
      'TXT',
      'no-data',
    ],
    [
      'makes no name below it exist',
      [set('new.example.org', 'TXT', 'x')],
      'a.new.example.org',
      'TXT',
      'no-name',
    ],
    [
      'follows a proposed alias',
      [set('new.example.org', 'CNAME', 'mx.example.org')],
      'new.example.org',
      'A',
      ['192.0.2.2'],
    ],
    [
      'is followed through a real alias',
      [set('mx.example.org', 'A', '192.0.2.9')],
      'alias.example.org',
      'A',
      ['192.0.2.9'],
    ],
    [
      'is the target of a dead alias',
      [set('new.example.org', 'A', '192.0.2.9')],
      'dead.example.org',
      'A',
      ['192.0.2.9'],
    ],
    ['removes an alias', [set('alias.example.org', 'CNAME')], 'alias.example.org', 'A', 'no-data'],
    [
      'ends a loop of aliases',
      [set('a.example.org', 'CNAME', 'a.example.org')],
      'a.example.org',
      'A',
      'unavailable',
    ],
    [
      'leaves a failed lookup failed',
      [set('a.broken.example.org', 'A', '192.0.2.9')],
      'broken.example.org',
      'A',
      'unavailable',
    ],
    [
      'keeps a real wildcard away from its name',
      [set('a.wild.example.org', 'A', '192.0.2.9')],
      'a.wild.example.org',
      'TXT',
      'no-data',
    ],
    [
      'and from the names below',
      [set('a.wild.example.org', 'A', '192.0.2.9')],
      'b.a.wild.example.org',
      'TXT',
      'no-name',
    ],
    [
      'but not from other names',
      [set('a.wild.example.org', 'A', '192.0.2.9')],
      'b.wild.example.org',
      'TXT',
      ['wildcard'],
    ],
    [
      'nor from real names',
      [set('a.own.wild.example.org', 'A', '192.0.2.9')],
      'own.wild.example.org',
      'TXT',
      ['own'],
    ],
    ['adds a wildcard', [set('*.example.org', 'TXT', 'x')], 'any.example.org', 'TXT', ['x']],
    [
      'adds a wildcard that real names do not match',
      [set('*.example.org', 'TXT', 'x')],
      'mx.example.org',
      'TXT',
      'no-data',
    ],
    ['replaces a wildcard', [set('*.wild.example.org', 'TXT', 'x')], 'any.wild.example.org', 'TXT', ['x']],
    [
      'follows the alias of a proposed wildcard',
      [set('*.example.org', 'CNAME', 'mx.example.org')],
      'any.example.org',
      'A',
      ['192.0.2.2'],
    ],
    [
      'answers with the alias of a proposed wildcard itself',
      [set('*.example.org', 'CNAME', 'mx.example.org')],
      'any.example.org',
      'CNAME',
      ['mx.example.org'],
    ],
    ['leaves names elsewhere alone', [set('example.org', 'TXT', 'x')], 'example.net', 'TXT', 'no-name'],
  ])('%s', async (_, sets, name, type, expected) => {
    expect(await answer(sets, name, type)).toEqual(expected);
  });

  test('shows the aliases that it follows, and which answers it contains', async () => {
    const dns = zone(real);
    const overlay = overlayDns(dns, [set('mx.example.org', 'A', '192.0.2.9')]);
    const found = await overlay.dns.lookup('alias.example.org', 'A');
    expect(found).toMatchObject({ name: 'mx.example.org', aliases: ['alias.example.org'], ttl: 60 });
    expect(found.status === 'found' && overlay.isProposed(found)).toBe(true);
    const other = await overlay.dns.lookup('example.org', 'A');
    expect(other.status === 'found' && overlay.isProposed(other)).toBe(false);
  });

  test('finds CNAME records beside data that stays', async () => {
    const conflicts = (...sets: ZoneSet[]) => aliasConflicts(zone(real), sets);
    expect(await conflicts(set('mx.example.org', 'CNAME', 'example.org'))).toEqual(['mx.example.org']);
    expect(await conflicts(set('alias.example.org', 'TXT', 'x'))).toEqual(['alias.example.org']);
    expect(
      await conflicts(set('mx.example.org', 'CNAME', 'example.org'), set('mx.example.org', 'A')),
    ).toEqual([]);
    expect(await conflicts(set('alias.example.org', 'TXT', 'x'), set('alias.example.org', 'CNAME'))).toEqual(
      [],
    );
  });
});
