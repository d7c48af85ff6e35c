import { expect, test } from '@jest/globals';
import { aliasConflicts, overlayDns } from '../../../../shared/checks/preview/overlay.ts';
import type { RecordType } from '../../../../shared/protocol/dns.ts';
import type { ZoneSet, ZoneType } from '../../../../shared/protocol/zone-file/record-set.ts';
import { recorded, unlike } from '../../../kit/recorded.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const at = (name: string, type: ZoneType, ...values: string[]): ZoneSet => ({ name, type, ttl: 60, values });

/** What the recording below does not have. */
test.each<[string, ZoneSet, string, RecordType, unknown]>([
  ['replaces a set, in any case', at('a.test', 'TXT', 'b', 'a'), 'A.test.', 'TXT', ['a', 'b']],
  ['makes no name below it exist', at('new.test', 'TXT', 'x'), 'a.new.test', 'TXT', 'no-name'],
  [
    'keeps other records of a wildcard',
    at('*.wild.test', 'A', '192.0.2.9'),
    '*.wild.test',
    'TXT',
    ['wildcard'],
  ],
  ['leaves a failed lookup failed', at('a.broken.test', 'A', '192.0.2.9'), 'broken.test', 'A', 'unavailable'],
  ['removes a wildcard that has nothing else', at('*.wild.test', 'TXT'), 'x.wild.test', 'TXT', 'no-name'],
  [
    'leaves real names to a wildcard',
    at('a.own.wild.test', 'A', '192.0.2.9'),
    'own.wild.test',
    'TXT',
    ['own'],
  ],
])('an overlay %s', async (_, proposed, name, type, expected) => {
  const real: ZoneLiteral = {
    'a.test': { TXT: ['v=spf1 -all'] },
    '*.wild.test': { TXT: ['wildcard'] },
    'own.wild.test': { TXT: ['own'] },
    'broken.test': 'SERVFAIL',
  };
  const found = await overlayDns(zone(real), [proposed]).dns.lookup(name, type);
  if (found.status === 'found') expect(found.records).toEqual(expected);
  else expect(found.status === 'absent' ? found.reason : found.status).toBe(expected);
});

test('CNAME records beside data that stays are conflicts', async () => {
  const real = zone({ 'mx.test': { A: ['192.0.2.2'] }, 'alias.test': { CNAME: ['mx.test'] } });
  const conflicts = (...sets: ZoneSet[]) => aliasConflicts(real, sets);
  expect(await conflicts(at('mx.test', 'CNAME', 'b.test'))).toEqual(['mx.test']);
  expect(await conflicts(at('alias.test', 'TXT', 'x'))).toEqual(['alias.test']);
  expect(await conflicts(at('mx.test', 'CNAME', 'b.test'), at('mx.test', 'A'))).toEqual([]);
  expect(await conflicts(at('alias.test', 'TXT', 'x'), at('alias.test', 'CNAME'))).toEqual([]);
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
