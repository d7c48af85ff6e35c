import { describe, expect, test } from '@jest/globals';
import type { Dns } from '../../../../shared/protocol/dns.ts';
import { contains, parseIp, parsePrefix } from '../../../../shared/protocol/ip.ts';
import { evaluate } from '../../../../shared/protocol/spf/evaluate.ts';
import { expand } from '../../../../shared/protocol/spf/expand.ts';
import type { Expansion } from '../../../../shared/protocol/spf/expansion.ts';
import { words } from '../../../kit/answers.ts';
import { random } from '../../../kit/random.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

/** Clients within and near every range in the zones below, and one that only `all` matches. */
const CLIENTS = words('192.0.2.0 192.0.2.1 192.0.2.2 192.0.2.6 192.0.2.130 2001:db8::1 2001:db8::3');
const STRANGERS = ['198.51.100.1', '2001:db8:1::1'];

const NAMES = ['example.org', 'a.example.org', 'b.example.org', 'c.example.org'];

function randomZone(seed: number): ZoneLiteral {
  const below = random(seed);
  const pick = (items: readonly string[]) => items[below(items.length)] ?? '';
  const term = () => {
    const name = pick(NAMES);
    const mechanisms = [
      ...['all', `include:${name}`, `include:${name}`, 'a', `a:${name}/30//126`, `mx:${name}`, 'mx/31'],
      `ip4:${pick(CLIENTS.slice(0, 5))}/${24 + below(9)}`,
      `ip6:${pick(CLIENTS.slice(5))}/${120 + below(9)}`,
    ];
    return below(12) === 0 ? `redirect=${name}` : pick(['', '', '', '-', '~', '?']) + pick(mechanisms);
  };
  return Object.fromEntries(
    NAMES.map((name, index) => [
      name,
      {
        TXT: [`v=spf1 ${Array.from({ length: below(5) }, term).join(' ')} ${pick(['-all', '~all', ''])}`],
        A: [CLIENTS[index] ?? ''],
        AAAA: [CLIENTS[5 + (index % 2)] ?? ''],
        MX: [[10, pick(NAMES)] as const],
      },
    ]),
  );
}

async function passes(dns: Dns, ip: string): Promise<boolean> {
  const { result } = await evaluate({ ip, mailFrom: 'jo@example.org', helo: '', now: new Date(0) }, dns);
  return result === 'pass';
}

interface Expanded {
  readonly seed: number;
  readonly literal: ZoneLiteral;
  readonly expansion: Expansion;
}

/** Records without errors, which is about one in three. */
async function validRecords(): Promise<readonly Expanded[]> {
  const all = Array.from({ length: 1500 }, (_, index) => index + 1).map(async (seed) => {
    const literal = randomZone(seed);
    return { seed, literal, expansion: await expand('example.org', zone(literal)) };
  });
  return (await Promise.all(all)).filter(({ expansion }) => expansion.status === 'valid');
}

const expansions = await validRecords();
const flattened = expansions.filter(({ expansion }) => expansion.flattened.records.length > 0);

describe('expansion and evaluation of the same random records agree', () => {
  test('on a sufficient number of records', () => {
    expect(expansions.length).toBeGreaterThan(300);
    expect(flattened.length).toBeGreaterThan(100);
  });

  test('on the IP addresses that pass: the smallest set, no more and no fewer', async () => {
    const differences: string[] = [];
    for (const { seed, literal, expansion } of expansions) {
      if (expansion.allPolicy === '+all') continue;
      const dns = zone(literal);
      const merged = (expansion.flattened.merged ?? []).flatMap((text) => parsePrefix(text) ?? []);
      for (const client of [...CLIENTS, ...STRANGERS]) {
        const listed = merged.some((prefix) => contains(prefix, parseIp(client) ?? prefix));
        if (listed !== (await passes(dns, client))) differences.push(`${seed}: ${client}`);
      }
    }
    expect(differences).toEqual([]);
  });

  test('on the IP addresses that pass with the flattened record', async () => {
    const differences: string[] = [];
    for (const { seed, literal, expansion } of flattened) {
      const texts = expansion.flattened.records.map(({ name, text }) => [
        name,
        { ...Object(literal[name]), TXT: [text] },
      ]);
      const [dns, flat] = [zone(literal), zone({ ...literal, ...Object.fromEntries(texts) })];
      for (const client of [...CLIENTS, ...STRANGERS]) {
        if ((await passes(dns, client)) !== (await passes(flat, client)))
          differences.push(`${seed}: ${client}`);
      }
    }
    expect(differences).toEqual([]);
  });

  test('on the lookups caused by a client that nothing matches', async () => {
    const differences: string[] = [];
    for (const { seed, literal, expansion } of expansions) {
      // An evaluation ends at an include of `+all`.
      if (expansion.findings.some(({ id }) => id === 'spf-pass-all')) continue;
      const request = { ip: '203.0.113.7', mailFrom: 'jo@example.org', helo: '', now: new Date(0) };
      const { lookups } = await evaluate(request, zone(literal));
      if (lookups !== expansion.totalLookupCount) differences.push(`${seed}: ${lookups}`);
    }
    expect(differences).toEqual([]);
  });
});
