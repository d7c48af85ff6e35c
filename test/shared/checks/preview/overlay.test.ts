import { describe, expect, test } from '@jest/globals';
import { aliasConflicts, overlayDns } from '../../../../shared/checks/preview/overlay.ts';
import type { RecordType } from '../../../../shared/protocol/dns.ts';
import type { ZoneSet, ZoneType } from '../../../../shared/protocol/zone-file/record-set.ts';
import { recorded, unlike } from '../../../kit/recorded.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const real: ZoneLiteral = {
  'example.org': { MX: [[10, 'mx.example.org']], TXT: ['v=spf1 -all'], A: ['192.0.2.1'] },
  'mx.example.org': { A: ['192.0.2.2'] },
  'alias.example.org': { CNAME: ['mx.example.org'] },
  'dead.example.org': { CNAME: ['new.example.org'] },
  '*.wild.example.org': { TXT: ['wildcard'] },
  'own.wild.example.org': { TXT: ['own'] },
  '*.both.example.org': { TXT: ['wildcard'], A: ['192.0.2.3'] },
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
    ['removes a wildcard', set('*.wild', 'TXT'), 'any.wild', 'TXT', 'no-name'],
    ['removes a set of a wildcard that keeps others', set('*.both', 'TXT'), 'any.both', 'TXT', 'no-data'],
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

test('every answer of a zone with proposed sets', async () => {
  const literal: ZoneLiteral = {
    'example.org': { MX: [[10, 'mx.example.org']], TXT: ['v=spf1 -all'] },
    'mx.example.org': { A: ['192.0.2.1'] },
    '*.wild.example.org': { TXT: ['wild'], MX: [[1, 'wild.example']] },
    '*.example.net': { TXT: ['net'] },
    'alias.example.org': { CNAME: ['target.example.org'] },
    'target.example.org': { TXT: ['target'] },
    'out.example.org': { CNAME: ['a.example.net'] },
    'loop.example.org': { CNAME: ['loop2.example.org'] },
    'failing.example.org': 'SERVFAIL',
  };
  const at = (name: string, type: ZoneType, ...values: string[]): ZoneSet => ({
    name,
    type,
    ttl: 60,
    values,
  });
  const proposals: Readonly<Record<string, readonly ZoneSet[]>> = {
    nothing: [],
    'a set at a new name': [at('a.b.new.example.org', 'TXT', 'new')],
    'a set in place of another': [at('example.org', 'TXT', 'b', 'a', 'c')],
    'no set any more': [at('example.org', 'TXT'), at('target.example.org', 'TXT')],
    'a wildcard': [at('*.example.org', 'TXT', 'star')],
    'a wildcard in place of another': [at('*.wild.example.org', 'TXT')],
    'a name below a wildcard': [at('x.wild.example.org', 'TXT', 'x')],
    'an alias': [at('new.example.org', 'CNAME', 'target.example.org')],
    'a wildcard alias': [at('*.example.org', 'CNAME', 'target.example.org')],
    'another target': [at('a.example.net', 'TXT', 'a'), at('alias.example.org', 'CNAME')],
    'the end of a loop': [at('loop2.example.org', 'CNAME', 'loop.example.org')],
    'hosts by preference': [at('example.org', 'MX', '20 b.test', '5 c.test', '5 a.test')],
  };
  const names = [
    ...['example.org', 'mx.example.org', 'new.example.org', 'b.new.example.org', 'a.b.new.example.org'],
    ...['wild.example.org', 'x.wild.example.org', 'y.x.wild.example.org', 'z.wild.example.org'],
    ...['alias.example.org', 'target.example.org', 'out.example.org', 'loop.example.org', 'none.example.org'],
    ...['a.example.net', 'failing.example.org'],
  ];
  const said = async (sets: readonly ZoneSet[]) => {
    const { dns, covers, isProposed } = overlayDns(zone(literal), sets);
    const answers = names.flatMap((name) =>
      (['TXT', 'MX', 'CNAME'] as const).map((type) => [name, type] as const),
    );
    const found = answers.map(async ([name, type]) => {
      const answer = await dns.lookup(name, type);
      const aliases = answer.status === 'unavailable' ? [] : answer.aliases;
      const what =
        answer.status === 'found'
          ? answer.records.map((one) => JSON.stringify(one)).join(' ')
          : answer.reason;
      const proposed = answer.status === 'found' && isProposed(answer) ? 'proposed ' : '';
      return [`${name} ${type}`, `${proposed}${[...aliases, what].join(' > ')}`] as const;
    });
    return {
      ...Object.fromEntries(await Promise.all(found)),
      covered: names.filter(covers).length,
      conflicts: await aliasConflicts(zone(literal), sets),
    };
  };
  const usual = await said([]);
  recorded(usual);
  for (const [title, sets] of Object.entries(proposals))
    recorded({ title, ...Object(unlike(await said(sets), usual)) });
});
