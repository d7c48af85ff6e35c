import { describe, expect, test } from '@jest/globals';
import type { Dns, RecordSet, RecordType, Unavailable } from '../../../../shared/protocol/dns.ts';
import { createValidator } from '../../../../shared/protocol/dnssec/chain.ts';
import type { DenialOptions } from './signed-denials.ts';
import {
  anchorOf,
  bare,
  clock,
  delegation,
  makeKey,
  now,
  rdata,
  signed,
  unsigned,
  without,
  world,
  zoneSets,
} from './signed-world.ts';

const root = makeKey('');
const org = makeKey('org');
const example = makeKey('example.org');
const other = makeKey('other.org', 15);
const anchors = [anchorOf(root)];
const seconds = now.getTime() / 1000;

/** Root, org, example.org and other.org, all signed; `changes` replace sets of the same name and type. */
const hierarchy = (...changes: RecordSet[]): RecordSet[] => [
  ...[root, org, example, other].flatMap(zoneSets),
  delegation(org, root),
  delegation(example, org),
  delegation(other, org),
  ...changes,
];

const validating = (dns: Dns, more: Partial<Parameters<typeof createValidator>[0]> = {}) =>
  createValidator({ dns, anchors, clock, ...more });

async function judge(
  sets: readonly RecordSet[],
  [name, type]: [string, RecordType] = ['example.org', 'MX'],
  failures: Record<string, Unavailable['reason']> = {},
  denials: DenialOptions = {},
) {
  const dns = world(sets, failures, denials);
  const { status, reasons } = await validating(dns).authenticate(await dns.answer(name, type));
  return [status, ...new Set(reasons.map(({ code }) => code))].join(' ');
}

/** Servers that leave out the proof of one answer. */
function dropping(question: string): DenialOptions {
  return { change: (sets, name, type) => (`${name} ${type}` === question ? [] : sets) };
}

/** The DS set of example.org with these records. */
const dsOf = (...records: readonly Uint8Array[]) =>
  signed({ name: 'example.org', type: 'DS', rdata: records }, org);
const exampleMx = { name: 'example.org', type: 'MX', rdata: [rdata.MX(10, 'mx.example.org')] };
const otherMx = { rdata: [rdata.MX(11, 'mx.example.org')] };
const alias = { name: 'www.example.org', type: 'CNAME', rdata: [rdata.name('host.other.org')] };
const host = { name: 'host.other.org', type: 'A', rdata: [rdata.A('192.0.2.1')] };
const wildcard = signed({ name: '*.example.org', type: 'TXT', rdata: [rdata.TXT('any')] }, example);

describe('secure', () => {
  test.each<[string, RecordSet[], [string, RecordType]]>([
    ['a signed set below signed delegations', [], ['example.org', 'MX']],
    ['the key set of a zone', [], ['example.org', 'DNSKEY']],
    ['a DS, which the parent signs', [], ['example.org', 'DS']],
    ['the key set of the root', [], ['', 'DNSKEY']],
    ['a CNAME into another zone', [signed(alias, example), signed(host, other)], ['www.example.org', 'A']],
    ['a name expanded from a wildcard', [{ ...wildcard, name: 'q.example.org' }], ['q.example.org', 'TXT']],
    [
      'a CNAME synthesized from a DNAME (RFC 6672 section 5.3.1)',
      [
        signed({ name: 'old.example.org', type: 'DNAME', rdata: [rdata.name('other.org')] }, example),
        unsigned({ name: 'host.old.example.org', type: 'CNAME', rdata: [rdata.name('host.other.org')] }),
        signed(host, other),
      ],
      ['host.old.example.org', 'A'],
    ],
    [
      'a DS that matches a key beside one that matches none',
      [dsOf(rdata.DS(makeKey('example.org')), rdata.DS(example))],
      ['example.org', 'MX'],
    ],
    ['a SHA-1 digest if it is the only one', [delegation(example, org, 1)], ['example.org', 'MX']],
  ])('%s', async (_, changes, question) => {
    expect(await judge(hierarchy(...changes), question)).toBe('secure');
  });

  test('with a key signing key and a zone signing key', async () => {
    const zsk = makeKey('example.org', 13, 256);
    const keys = signed({ name: 'example.org', type: 'DNSKEY', rdata: [example.rdata, zsk.rdata] }, example);
    expect(await judge(hierarchy(keys, signed(exampleMx, zsk)))).toBe('secure');
  });

  test('below a name that is not a zone cut', async () => {
    const deep = makeKey('deep.ent.example.org');
    expect(
      await judge(hierarchy(...zoneSets(deep), delegation(deep, example)), ['deep.ent.example.org', 'TXT']),
    ).toBe('secure');
  });
});

describe('SHA-1 algorithms (RFC 9905 section 2)', () => {
  const old = makeKey('example.org', 7);
  const signedByBoth = (set: RecordSet) => signed(signed(set, old), example);
  const oldZone = [...zoneSets(old), delegation(old, org)];
  const bothKeys = { name: 'example.org', type: 'DNSKEY', rdata: [old.rdata, example.rdata] };
  const rollover = [
    ...zoneSets(example).map(({ signatures: _, ...set }) => signedByBoth(unsigned(set))),
    signedByBoth(unsigned(bothKeys)),
    dsOf(rdata.DS(old), rdata.DS(example)),
  ];
  const oldOrg = makeKey('org', 5);
  const below = [...zoneSets(oldOrg), delegation(oldOrg, root), delegation(example, oldOrg)];
  test.each<[string, RecordSet[], string]>([
    ['are deprecated if the zone uses nothing else', oldZone, 'deprecated algorithm-deprecated'],
    ['of a parent zone count, too', below, 'deprecated algorithm-deprecated'],
    ['beside another algorithm do not count', rollover, 'secure'],
    [
      'do not replace the signature of the other algorithm (RFC 4035 section 2.2)',
      [...rollover, signed(exampleMx, old)],
      'bogus set-unsigned',
    ],
    [
      'do not replace the DS record of the other algorithm',
      [...oldZone, dsOf(rdata.DS(old), rdata.DS(example))],
      'bogus ds-mismatch',
    ],
    [
      'are still validated: what does not match is bogus',
      [...oldZone, { ...signed(exampleMx, old), ...otherMx }],
      'bogus signature-invalid',
    ],
    [
      'are still validated: a set without a signature is bogus',
      [...oldZone, unsigned(exampleMx)],
      'bogus set-unsigned',
    ],
  ])('%s', async (_, changes, expected) => {
    expect(await judge(hierarchy(...changes))).toBe(expected);
  });

  test('name every zone of the chain that has nothing else', async () => {
    const dns = world(hierarchy(...below, ...zoneSets(old), delegation(old, oldOrg)));
    const { reasons } = await validating(dns).authenticate(await dns.answer('example.org', 'MX'));
    expect(reasons).toEqual(['org', 'example.org'].map((zone) => ({ code: 'algorithm-deprecated', zone })));
  });
});

describe('insecure', () => {
  const unsignedExample = zoneSets(example).map(bare);
  test.each<[string, RecordSet[]]>([
    [
      'a zone without signatures and without a DS',
      without(hierarchy(...unsignedExample), 'example.org DS', 'example.org DNSKEY'),
    ],
    ['a signed zone without a DS', without(hierarchy(), 'example.org DS')],
    [
      'a signed zone below an unsigned one',
      without(hierarchy(...zoneSets(org).map(bare)), 'org DS', 'org DNSKEY'),
    ],
    ['a DS of an unknown algorithm (RFC 4035 section 5.2)', hierarchy(dsOf(rdata.DS(example, 2, 200)))],
    ['a DS of an unknown digest type', hierarchy(dsOf(rdata.DS(example, 9)))],
  ])('%s', async (_, sets) => {
    expect(await judge(sets)).toMatch(/^insecure (ds-absent|algorithm-unsupported)$/);
  });

  test('a response is only as secure as the zone of its CNAME target', async () => {
    const sets = without(hierarchy(signed(alias, example), signed(host, other)), 'other.org DS');
    expect(await judge(sets, ['www.example.org', 'A'])).toBe('insecure ds-absent');
  });
});

/** Other keys with the same tag: the sum of their 16-bit words does not depend on the order. */
function sameTag(key: Uint8Array, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, at) => {
    const words = Buffer.from(key.subarray(4));
    return Buffer.concat([key.subarray(0, 4), words.subarray(2 * at + 2), words.subarray(0, 2 * at + 2)]);
  });
}

describe('bogus', () => {
  const keySet = { name: 'example.org', type: 'DNSKEY', rdata: [example.rdata] };
  const stranger = makeKey('example.org');
  test.each<[string, RecordSet[], string]>([
    ['a record changed after signing', [{ ...signed(exampleMx, example), ...otherMx }], 'signature-invalid'],
    ['an expired signature', [signed(exampleMx, example, { expiration: seconds - 60 })], 'signature-expired'],
    [
      'a signature that is not valid yet',
      [signed(exampleMx, example, { inception: seconds + 60 })],
      'signature-not-yet-valid',
    ],
    ['a signature by a key that is not in the zone', [signed(exampleMx, stranger)], 'key-missing'],
    ['a set without a signature in a signed zone', [unsigned(exampleMx)], 'set-unsigned'],
    ['a signature by a zone that is not an ancestor of the name', [signed(exampleMx, other)], 'set-unsigned'],
    ['a DS for another key', [delegation(stranger, org)], 'ds-mismatch'],
    ['a key set without a signature', [unsigned(keySet)], 'set-unsigned'],
    [
      'a key set that is not signed by the key of the DS',
      [signed({ ...keySet, rdata: [example.rdata, stranger.rdata] }, stranger)],
      'key-missing',
    ],
    [
      'a DS with an expired signature',
      [signed({ ...dsOf(rdata.DS(example)), signatures: [] }, org, { expiration: seconds - 1 })],
      'signature-expired',
    ],
    [
      'a DS signed by the child zone',
      [signed({ name: 'example.org', type: 'DS', rdata: [rdata.DS(example)] }, example)],
      'set-unsigned',
    ],
    [
      'a wrong SHA-256 digest beside a correct SHA-1 digest (RFC 4509 section 3)',
      [dsOf(rdata.DS(stranger), rdata.DS(example, 1))],
      'ds-mismatch',
    ],
    [
      'too many keys with one key tag',
      [signed({ ...keySet, rdata: [...sameTag(example.rdata, 8), example.rdata] }, example)],
      'too-costly',
    ],
  ])('%s', async (_, changes, reason) => {
    expect(await judge(hierarchy(...changes))).toBe(`bogus ${reason}`);
  });

  test('a DS for a zone without keys', async () => {
    const sets = without(hierarchy(...zoneSets(example).map(bare)), 'example.org DNSKEY');
    expect(await judge(sets)).toBe('bogus dnskey-absent');
  });

  test('a bogus CNAME, even with a valid response', async () => {
    const sets = hierarchy(unsigned(alias), signed(host, other));
    expect(await judge(sets, ['www.example.org', 'A'])).toBe('bogus set-unsigned');
  });

  test('one bogus set, even if another is insecure', async () => {
    const target = { ...alias, rdata: [rdata.name('mx.example.org')] };
    const from = { ...target, name: 'www.other.org' };
    const broken = unsigned({ ...host, name: 'mx.example.org' });
    const sets = without(hierarchy(signed(from, other), broken), 'other.org DS');
    expect(await judge(sets, ['www.other.org', 'A'])).toBe('bogus set-unsigned');
  });

  test('a DNAME for a different CNAME', async () => {
    const sets = hierarchy(
      signed({ name: 'old.example.org', type: 'DNAME', rdata: [rdata.name('example.org')] }, example),
      unsigned({ name: 'host.old.example.org', type: 'CNAME', rdata: [rdata.name('host.other.org')] }),
      signed(host, other),
    );
    expect(await judge(sets, ['host.old.example.org', 'A'])).toBe('bogus set-unsigned');
  });
});

describe('insecure is proven, never assumed (RFC 4035 section 5.2)', () => {
  const unsignedExample = [
    ...without(hierarchy(), ...['DS', 'DNSKEY'].map((type) => `example.org ${type}`)).filter(
      ({ name }) => name !== 'example.org',
    ),
    ...zoneSets(example).map(bare),
  ];
  const invented = (signerName: string) => signed(exampleMx, { ...stray, zone: signerName });
  const stray = makeKey('example.org');
  test.each<[string, RecordSet[], DenialOptions, string]>([
    [
      'a DS that is stripped',
      without(hierarchy(), 'example.org DS'),
      dropping('example.org DS'),
      'bogus denial-broken',
    ],
    ['an unsigned zone with a proof', unsignedExample, {}, 'insecure ds-absent'],
    ['an unsigned zone without a proof', unsignedExample, dropping('example.org DS'), 'bogus denial-broken'],
    [
      'an invented signature of a name that is no zone',
      hierarchy(invented('example.org')),
      {},
      'bogus key-missing',
    ],
    [
      'an invented signature of the parent, which signs nothing here',
      hierarchy(invented('org')),
      {},
      'bogus key-missing',
    ],
    [
      'an invented signature in an unsigned zone',
      [...unsignedExample, invented('example.org')],
      {},
      'insecure ds-absent',
    ],
  ])('%s', async (_, sets, denials, expected) => {
    expect(await judge(sets, ['example.org', 'MX'], {}, denials)).toBe(expected);
  });

  test('an RRSIG whose signer is no zone spoils nothing, and proves nothing', async () => {
    const name = 'host.example.org';
    const set = { name, type: 'A', rdata: [rdata.A('192.0.2.1')] };
    const byHost = { ...stray, zone: name };
    expect(await judge(hierarchy(signed(signed(set, byHost), example)), [name, 'A'])).toBe('secure');
    expect(await judge(hierarchy(signed(set, byHost)), [name, 'A'])).toBe('bogus set-unsigned');
  });

  test('a second resolver that strips the proof does not make a domain unsigned or bogus', async () => {
    const full = world(hierarchy());
    const dns: Dns = {
      async lookup(name, type, options) {
        const answer = await full.lookup(name, type, options);
        const server = `192.0.2.${name === 'example.org' ? 2 : 1}:53`;
        const evidence = { ...answer.evidence, server };
        if (type !== 'DS' || name !== 'example.org') return { ...answer, evidence };
        const denial = { name, type, sets: [] };
        return { status: 'absent', reason: 'no-data', aliases: [], denial, evidence };
      },
    };
    const { status, reasons } = await validating(dns).authenticate(await full.answer('example.org', 'MX'));
    expect([status, reasons[0]?.code]).toEqual(['unknown', 'stripped']);
  });
});

describe('secure although something beside it is not usable', () => {
  const keySet = { name: 'example.org', type: 'DNSKEY' };
  const many = <T>(make: (at: number) => T): T[] => Array.from({ length: 40 }, (_, at) => make(at));
  const otherKeys = many((at) => Buffer.concat([Buffer.of(1, 1, 3, 200), Buffer.alloc(64, at)]));
  const otherDs = many((at) => Buffer.concat([Buffer.of(0, at, 13, 9), Buffer.alloc(32, at)]));
  test.each<[string, RecordSet[]]>([
    [
      '40 keys of an unknown algorithm',
      [signed({ ...keySet, rdata: [...otherKeys, example.rdata] }, example)],
    ],
    ['40 DS records of an unknown digest type', [dsOf(...otherDs, rdata.DS(example))]],
    [
      '40 expired signatures',
      [
        many(() => undefined).reduce(
          (set) => signed(set, example, { expiration: seconds - 1 }),
          unsigned(exampleMx),
        ),
      ].map((set) => signed(set, example)),
    ],
    ['a signature of another zone', [signed(signed(exampleMx, other), example)]],
    [
      'a signature of the parent with a wrong key',
      [signed(signed(exampleMx, { ...other, zone: 'org' }), example)],
    ],
  ])('%s', async (_, changes) => {
    expect(await judge(hierarchy(...changes))).toBe('secure');
  });

  test.each([
    [['', 'org', 'c.d.example.org', 'd.example.org'], 'secure'],
    [['a.b.c.d', 'b.c.d', 'c.d', 'd'].map((labels) => `${labels}.example.org`), 'bogus set-unsigned'],
  ])('the lowest four signers of a set, with %j before its zone: %s', async (zones, expected) => {
    const set = unsigned({ ...exampleMx, name: 'a.b.c.d.example.org' });
    const others = zones.reduce((all, zone) => signed(all, { ...other, zone }), set);
    expect(await judge(hierarchy(signed(others, example)), [set.name, 'MX'])).toBe(expected);
  });

  test.each([
    [6, 'secure'],
    [7, 'bogus'],
  ])('a proof of two sets after %i others: %s', async (others, expected) => {
    const dns = world(
      hierarchy(),
      {},
      { change: (sets) => [...sets.slice(0, 1).flatMap((soa) => Array(others).fill(soa)), ...sets] },
    );
    const answer = await dns.lookup('example.org', 'A');
    if (answer.status === 'unavailable') throw new Error(answer.reason);
    expect((await validating(dns).authenticate(answer)).status).toBe(expected);
  });

  test('sets that nobody requested', async () => {
    const dns = world(hierarchy());
    const found = await dns.answer('example.org', 'MX');
    const unsolicited = ['NSEC', 'DNAME'].map((type) =>
      unsigned({ name: 'example.org', type, rdata: [rdata.name('org')] }),
    );
    const answer = { ...found, sets: [...unsolicited, ...found.sets] };
    expect((await validating(dns).authenticate(answer)).status).toBe('secure');
  });
});

describe('unknown, which says nothing about the domain', () => {
  test.each<[string, string]>([
    ['the keys of the zone', 'example.org DNSKEY'],
    ['the DS of the zone', 'example.org DS'],
    ['the DS of a zone above', 'org DS'],
    ['the keys of the root', ' DNSKEY'],
  ])('the lookup of %s fails', async (_, question) => {
    expect(await judge(hierarchy(), ['example.org', 'MX'], { [question]: 'timeout' })).toBe(
      'unknown unavailable',
    );
  });

  test('the resolver strips signatures', async () => {
    expect(await judge(hierarchy().map(bare))).toBe('unknown stripped');
  });

  test('the resolver strips all DNSSEC records', async () => {
    const sets = hierarchy()
      .map(bare)
      .filter(({ type }) => type !== 'DS' && type !== 'DNSKEY');
    expect(await judge(sets)).toBe('unknown stripped');
  });

  test('the zone of the anchor has different keys', async () => {
    const hijacked = makeKey('');
    const sets = [...hierarchy(), ...zoneSets(hijacked), delegation(org, hijacked)];
    expect(await judge(sets)).toBe('unknown anchor-failed');
  });

  test('no anchor covers the name', async () => {
    const dns = world(hierarchy());
    const validator = validating(dns, { anchors: [anchorOf(makeKey('net'))] });
    expect(await validator.authenticate(await dns.answer('example.org', 'MX'))).toEqual({
      status: 'unknown',
      reasons: [{ code: 'no-trust-anchor', name: 'example.org' }],
    });
  });

  test('the response lacks its record sets', async () => {
    const dns = world(hierarchy());
    const found = { ...(await dns.answer('example.org', 'MX')), sets: [] };
    expect(await validating(dns).authenticate(found)).toMatchObject({
      status: 'unknown',
      reasons: [{ code: 'not-asked' }],
    });
  });

  test('the chain exceeds the length limit', async () => {
    const sets = hierarchy();
    let above = example;
    for (let depth = 0; depth < 20; depth += 1) {
      const below = makeKey(`d.${above.zone}`);
      sets.push(...zoneSets(below), delegation(below, above));
      above = below;
    }
    expect(await judge(sets, [above.zone, 'MX'])).toBe('unknown too-deep');
  });
});

describe('trust anchors', () => {
  test('the nearest one decides, whatever is above it', async () => {
    const dns = world(without(hierarchy(), 'org DS', ' DNSKEY'));
    const validator = validating(dns, { anchors: [anchorOf(root), anchorOf(org)] });
    expect((await validator.authenticate(await dns.answer('example.org', 'MX'))).status).toBe('secure');
  });
});

describe('the cost of validation', () => {
  /** Twelve zones deep, with seven invalid P-384 signatures before the valid one of each set, as in KeyTrap. */
  function hostile(): { sets: RecordSet[]; name: string } {
    const sets = zoneSets(root);
    let above = root;
    const spoil = (set: RecordSet): RecordSet => {
      const junk = Array.from({ length: 7 }, () =>
        set.signatures.map((it) => ({ ...it, signature: Buffer.alloc(96, 1) })),
      );
      return { ...set, signatures: [...junk.flat(), ...set.signatures] };
    };
    for (let depth = 0; depth < 12; depth += 1) {
      const below = makeKey(above.zone === '' ? 'deep' : `d.${above.zone}`, 14);
      sets.push(...[...zoneSets(below), delegation(below, above)].map(spoil));
      above = below;
    }
    return { sets, name: above.zone };
  }

  test('is limited for a whole check run, and others get their turn every 20 ms', async () => {
    const { sets, name } = hostile();
    const dns = world(sets);
    const validator = validating(dns);
    // Eight verifications for each of 12 DS and 12 DNSKEY sets, and of these.
    const found = await Promise.all((['MX', 'TXT', 'SOA'] as const).map((type) => dns.answer(name, type)));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const start = process.cpuUsage();
    const results = await Promise.all(found.map((it) => validator.authenticate(it)));
    const { user, system } = process.cpuUsage(start);
    clearInterval(timer);
    expect(new Set(results.map(({ status, reasons }) => `${status} ${reasons[0]?.code}`))).toEqual(
      new Set(['unknown budget-spent']),
    );
    // Of CPU time, because other tests run at the same time: twenty milliseconds, and the verification that exceeds them.
    expect((user + system) / 1000 / turns).toBeLessThan(60);
  });

  test('a zone costs two queries, which the sets of one run share', async () => {
    const dns = world(hierarchy());
    const validator = validating(dns);
    const found = await Promise.all([
      dns.answer('example.org', 'MX'),
      dns.answer('example.org', 'TXT'),
      dns.answer('example.org', 'SOA'),
    ]);
    await Promise.all(found.map((it) => validator.authenticate(it)));
    expect([...dns.questions].sort()).toEqual([
      ' DNSKEY',
      'example.org DNSKEY',
      'example.org DS',
      'org DNSKEY',
      'org DS',
    ]);
  });

  test.each([
    ['the TTL of their DS', { ttl: 300 }, { ttl: 900 }, 9],
    ['their own', { ttl: 900 }, { ttl: 300 }, 10],
    ['that of their signature', { ttl: 900 }, { ttl: 900 }, 7],
  ])('keys are trusted for the shortest time: %s', async (_, ds, dnskey, later) => {
    let time = now.getTime();
    const dns = world(
      hierarchy(
        signed({ name: 'example.org', type: 'DNSKEY', rdata: [example.rdata] }, example, {
          expiration: seconds + 300,
        }),
      ).map((set) => ({
        ...set,
        ...(set.type === 'DS' ? ds : set.type === 'DNSKEY' ? dnskey : {}),
      })),
    );
    const validator = validating(dns, { clock: { now: () => new Date(time) } });
    const found = await dns.answer('example.org', 'MX');
    for (const [elapsed, questions] of [
      [0, 5],
      [299_000, 5],
      [301_000, later],
    ] as const) {
      time = now.getTime() + elapsed;
      await validator.authenticate(found);
      expect(dns.questions.length).toBe(questions);
    }
  });

  test('a failure expires after seconds', async () => {
    let time = now.getTime();
    const failures: Record<string, Unavailable['reason']> = { 'example.org DS': 'timeout' };
    const dns = world(hierarchy(), failures);
    const validator = validating(dns, { clock: { now: () => new Date(time) } });
    const found = await dns.answer('example.org', 'MX');
    expect((await validator.authenticate(found)).status).toBe('unknown');
    delete failures['example.org DS'];
    time += 6000;
    expect((await validator.authenticate(found)).status).toBe('secure');
  });
});
