import { describe, expect, test } from '@jest/globals';
import { evaluate } from '../../../../shared/protocol/spf/evaluate.ts';
import { expand } from '../../../../shared/protocol/spf/expand.ts';
import { asWritten, byLateAnswer, listed } from '../../../kit/answers.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const flattened = async (record: string, others: ZoneLiteral = {}) =>
  (await expand('example.org', zone({ 'example.org': { TXT: [record] }, ...others }))).flattened;

const others: ZoneLiteral = {
  'i.example.org': { TXT: ['v=spf1 -ip4:198.51.100.7 ip4:198.51.100.0/29 ip4:192.0.2.0/25 ~all'] },
  'r.example.org': { TXT: ['v=spf1 ip4:203.0.113.1 ~all'] },
  'h.example.org': { A: ['192.0.2.9', '192.0.2.200'], AAAA: ['2001:db8::9'] },
  'exp.example.org': { TXT: ['v=spf1 ip4:192.0.2.3 exp=why.example.org -all'] },
  'open.example.org': { TXT: ['v=spf1 +all'] },
};

describe('the addresses of a tree', () => {
  test('are listed in numerical order with their sources', async () => {
    const terms = 'ip6:2001:db8::9 a:h.example.org ip4:192.0.2.77/25 include:i.example.org ip4:2.0.0.0';
    const { networks } = await flattened(`v=spf1 ${terms} -all`, others);
    expect(networks.map(({ sources }) => sources.map(({ term }) => term).join(' '))).toEqual([
      'ip4:2.0.0.0',
      'ip4:192.0.2.77/25 ip4:192.0.2.0/25',
      'a:h.example.org',
      'a:h.example.org',
      'ip4:198.51.100.0/29',
      'ip6:2001:db8::9 a:h.example.org',
    ]);
    expect(networks[1]?.sources[1]?.domain).toBe('i.example.org');
  });
});

test('recorded addresses and records', async () => {
  const long = Array.from({ length: 60 }, (_, index) => `ip4:198.51.100.${index * 2 + 1}`).join(' ');
  const wide = Array.from({ length: 250 }, (_, index) => `ip4:198.${index}.100.200`).join(' ');
  const literal: ZoneLiteral = {
    ...others,
    'broken.example.org': 'SERVFAIL',
    'long.example.org': { TXT: [`v=spf1 ${long} -all`] },
  };
  const terms =
    listed(`~ip4:192.0.2.1 -ip4:192.0.2.2 ?ip4:192.0.2.3 -all | ?include:i.example.org -all | ip4:192.0.2.1 redirect=r.example.org
    -all ip4:192.0.2.1 redirect=r.example.org | ip4:192.0.2.1 +all | ip4:192.0.2.0/25 ip4:192.0.2.128/25 ip4:192.0.2.7 -all
    -ip4:192.0.2.0/25 ip4:192.0.2.0/24 -all | ip4:192.0.2.0/24 -ip4:192.0.2.0/25 -all | -include:i.example.org ip4:198.51.100.6/31 -all
    include:i.example.org -all | -ip4:0.0.0.0/1 include:open.example.org -all | a:h.example.org include:i.example.org ~all
    redirect=r.example.org | ip4:192.0.2.1 ip4:192.0.2.0 include:%{l}.example.org ip4:192.0.2.2 exists:%{i}.x.org exp=why.example.org -all
    a:h.example.org ~ip4:192.0.2.0/24 ip4:192.0.2.0/23 ?all | a:h.example.org v=spf1 ip4:192.0.2.1 -all
    ip4:192.0.2.1 ip4:192.0.2.0 redirect=%{l}.example.org | include:exp.example.org -all | ip4:192.0.2.1 include:broken.example.org -all
    -all | ip4:192.0.2.1 ip4:x -all | include:long.example.org ~all | a:h.example.org redirect=open.example.org
    ~include:i.example.org a:h.example.org -all | include:i.example.org a:h.example.org ?all | ${wide} -all | ${long} ~all | a:h.example.org ${long} ~all`);
  const answer = async (record: string) => {
    const { networks, merged, kept, records } = await flattened(`v=spf1 ${record}`, literal);
    const first = (texts: readonly string[]) =>
      texts.length > 9 ? `${texts.length} of them` : texts.join(' ') || 'none';
    const written = records.map(
      ({ name, text }) => `${name}: ${text.length > 150 ? `${text.length} characters` : text}`,
    );
    const addresses = first(networks.map(({ network }) => network));
    return [addresses, first(merged ?? ['too many']), `keeps ${first(kept)}`, ...written].join(' | ');
  };
  expect(await byLateAnswer(asWritten(terms), answer)).toMatchSnapshot();
});

describe('the flattened record', () => {
  test('is split if it would be too long, and authorizes the same clients', async () => {
    const addresses = Array.from({ length: 90 }, (_, index) => `198.51.100.${index * 2 + 1}`);
    const third = (from: number) => addresses.slice(from, from + 30).map((address) => `ip4:${address}`);
    const { records } = await flattened(
      'v=spf1 include:a.example.org include:b.example.org include:c.example.org ~all',
      {
        'a.example.org': { TXT: [`v=spf1 ${third(0).join(' ')} include:d.example.org -all`] },
        'b.example.org': { TXT: [`v=spf1 ${third(30).join(' ')} include:d.example.org -all`] },
        'c.example.org': { TXT: [`v=spf1 ${third(60).join(' ')} -all`] },
        'd.example.org': { TXT: [`v=spf1 ip4:${addresses[0]} -all`] },
      },
    );
    expect(records.map(({ name }) => name)).toEqual([
      'example.org',
      ...[1, 2, 3, 4].map((n) => `_spf${n}.example.org`),
    ]);
    for (const { name, text } of records) expect(name.length + text.length).toBeLessThanOrEqual(450);
    const dns = zone(Object.fromEntries(records.map(({ name, text }) => [name, { TXT: [text] }])));
    for (const [ip, expected] of [
      ...addresses.map((address) => [address, 'pass']),
      ['198.51.100.2', 'softfail'],
    ]) {
      const request = { ip: ip ?? '', mailFrom: 'jo@example.org', helo: '', now: new Date(0) };
      expect((await evaluate(request, dns)).result).toBe(expected);
    }
  });
});
