/** Recorded answers of the readers and provers of DNSSEC, without signatures. */
import { createECDH } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { RecordSet } from '../../../../shared/protocol/dns.ts';
import { setsOfAnswer } from '../../../../shared/protocol/dnssec/answer-sets.ts';
import { countLabels, nameToWire, parentName } from '../../../../shared/protocol/dnssec/canonical.ts';
import {
  decisive,
  delegatedKeys,
  dsDigest,
  isSupportedAlgorithm,
  isSupportedDs,
  keyTag,
  publicKeyOf,
  rsaBits,
  usesSha1,
  zoneKeys,
} from '../../../../shared/protocol/dnssec/dnskey.ts';
import { createEffort } from '../../../../shared/protocol/dnssec/effort.ts';
import {
  compareLabels,
  type Labels,
  labelsOf,
  sharedLabels,
} from '../../../../shared/protocol/dnssec/names.ts';
import { proveByNsec, provesExpansionByNsec, readNsec } from '../../../../shared/protocol/dnssec/nsec.ts';
import {
  hashName,
  proveByNsec3,
  proveExpansionByNsec3,
  readNsec3,
} from '../../../../shared/protocol/dnssec/nsec3.ts';
import type { Proof } from '../../../../shared/protocol/dnssec/proof.ts';
import { isDelegation, lacksType, readTypes } from '../../../../shared/protocol/dnssec/type-bitmap.ts';
import {
  asWritten,
  byAnswer,
  byLateAnswer,
  byOctet,
  type Named,
  printed,
  words,
} from '../../../kit/answers.ts';
import { base32Hex, bitmapOf, nsecRdata } from './signed-denials.ts';

const labels = (name: string): Labels => labelsOf(name) ?? [];
const written = (name: Labels) =>
  name
    .toReversed()
    .map((label) => printed(label.toString('latin1')))
    .join('.') || 'root';
const set = (name: string, type: string, ...rdata: readonly Uint8Array[]): RecordSet => ({
  ...{ name, type, rdata, ttl: 300, signatures: [] },
});
const types = words('A NS SOA MX TXT CNAME DNAME DS NSEC CAA');

describe('keys', () => {
  /** Flags, protocol, algorithm and a key. */
  const rdataOf = (algorithm: number, key: Uint8Array, flags = 257, protocol = 3) =>
    Buffer.concat([Buffer.of(flags >> 8, flags & 0xff, protocol, algorithm), key]);
  const rsa = (exponent: number, modulus: number, first = 0xff) =>
    Buffer.concat([
      ...[exponent < 256 ? Buffer.of(exponent) : Buffer.of(0, exponent >> 8, exponent & 0xff)],
      Buffer.alloc(exponent, 1),
      Buffer.alloc(Math.min(modulus, 1), first),
      Buffer.alloc(Math.max(modulus - 1, 0), 0xff),
    ]);
  /** The public key of the private key 1. */
  const pointOf = (curve: string) => {
    const pair = createECDH(curve);
    pair.setPrivateKey('01'.padStart(curve === 'prime256v1' ? 64 : 96, '0'), 'hex');
    return pair.getPublicKey().subarray(1);
  };
  const answer = (rdata: Uint8Array) => {
    const [key] = zoneKeys([rdata]);
    if (key === undefined) return 'no zone key';
    return `${key.flags} ${key.algorithm} ${publicKeyOf(key)?.asymmetricKeyType ?? 'invalid'} ${rsaBits(key)}`;
  };

  test('with each octet changed', () => {
    const octets = rdataOf(8, Uint8Array.of(1, 3, 0xc1, 0x55, 0x01));
    expect(byOctet(octets, (rdata) => `${answer(rdata)}, tag ${keyTag(rdata)}`)).toMatchSnapshot();
  });

  test('of all flags, algorithms and sizes', () => {
    const sized = (algorithm: number, size: number): Named<Uint8Array> => [
      `algorithm ${algorithm}, ${size} octets`,
      rdataOf(algorithm, Buffer.alloc(size, 7)),
    ];
    const keys: readonly Named<Uint8Array>[] = [
      ...[0, 1, 128, 255, 256, 257, 384, 385, 0x7fff, 0xfeff].map(
        (flags): Named<Uint8Array> => [`flags ${flags}`, rdataOf(15, Buffer.alloc(32, 7), flags)],
      ),
      ...[2, 4].map(
        (protocol): Named<Uint8Array> => [
          `protocol ${protocol}`,
          rdataOf(15, Buffer.alloc(32, 7), 257, protocol),
        ],
      ),
      ...Array.from({ length: 18 }, (_, algorithm) => sized(algorithm, 64)),
      ...[63, 64, 65].map((size) => sized(13, size)),
      ...[95, 96, 97].map((size) => sized(14, size)),
      ...[0, 31, 32, 33].map((size) => sized(15, size)),
      ...[56, 57, 58].map((size) => sized(16, size)),
      ...[0, 1, 3, 8, 9, 255, 256].flatMap((exponent) =>
        [0, 1, 2, 64, 511, 512, 513].map(
          (modulus): Named<Uint8Array> => [`RSA ${exponent} ${modulus}`, rdataOf(8, rsa(exponent, modulus))],
        ),
      ),
      ...[0, 1, 2, 0x0f, 0x10, 0x7f, 0x80].map(
        (first): Named<Uint8Array> => [`RSA, first octet ${first}`, rdataOf(8, rsa(3, 64, first))],
      ),
      ...[13, 14].flatMap((algorithm) => [
        [`P-256 with algorithm ${algorithm}`, rdataOf(algorithm, pointOf('prime256v1'))] as const,
        [`P-384 with algorithm ${algorithm}`, rdataOf(algorithm, pointOf('secp384r1'))] as const,
      ]),
      ['RSA without a key', rdataOf(8, Buffer.of(1, 3, 5))],
      ['RSA, length of three octets', rdataOf(8, Buffer.of(0, 0, 1, 3, 0xff, 0xff))],
    ];
    expect(byAnswer(keys, answer)).toMatchSnapshot();
  });

  test('their digests, and what is supported of them', () => {
    const algorithms = Array.from(
      { length: 18 },
      (_, algorithm): Named<number> => [`${algorithm}`, algorithm],
    );
    const support = (algorithm: number) => {
      const digest = [0, 1, 2, 3, 4, 5].filter((digestType) =>
        isSupportedDs({ keyTag: 1, algorithm, digestType, digest: Uint8Array.of() }),
      );
      return `${isSupportedAlgorithm(algorithm)}, SHA-1 ${usesSha1({ algorithm })}, digests ${digest}`;
    };
    expect(byAnswer(algorithms, support)).toMatchSnapshot();
    const names = words('example A.example. . a..b');
    const digests = (name: string) =>
      [0, 1, 2, 3, 4].map((type) => dsDigest(name, Uint8Array.of(1, 2, 3), type)?.length ?? 'none').join();
    expect(byAnswer(asWritten(['', ...names]), digests)).toMatchSnapshot('lengths of digests');
    const mixed = [[5, 8], [5, 7], [8], [13, 8, 7], []].map(
      (of): Named<readonly number[]> => [of.join() || 'none', of],
    );
    const chosen = (of: readonly number[]) =>
      decisive(of.map((algorithm) => ({ algorithm })))
        .map((one) => one.algorithm)
        .join();
    expect(byAnswer(mixed, chosen)).toMatchSnapshot('decisive');
    const [key] = zoneKeys([rdataOf(15, Buffer.alloc(32, 7))]);
    if (key === undefined) throw new Error('no key');
    const wrong = { keyTag: key.keyTag, algorithm: 15, digestType: 2, digest: Uint8Array.of() };
    const right = { ...wrong, digest: dsDigest('example', key.rdata, 2) ?? Uint8Array.of() };
    const found = [126, 127, 128].map(
      (before) => delegatedKeys('example', [key], [...Array<typeof wrong>(before).fill(wrong), right]).length,
    );
    expect(found).toEqual([1, 1, 0]);
  });
});

describe('names', () => {
  const names = words('. a b.a A.a \\001.a c.b.a *.a zz.a \\\\.a a\\.b.c \\200.a');

  test('their order and what they share', () => {
    const pairs = names.flatMap((a) =>
      names.map((b): Named<readonly [Labels, Labels]> => [`${a} ${b}`, [labels(a), labels(b)]]),
    );
    const relation = ([a, b]: readonly [Labels, Labels]) =>
      `${Math.sign(compareLabels(a, b))}, ${sharedLabels(a, b)} shared`;
    expect(byAnswer(pairs, relation)).toMatchSnapshot();
  });

  test('their labels and parents', () => {
    const answer = (name: string) =>
      `${countLabels(name)}, parent ${parentName(name)}, ${Buffer.from(nameToWire(name) ?? []).toString('hex')}`;
    expect(
      byAnswer(asWritten(['', ...names, 'a.*.b', '*', 'a..b', 'A\\.B.C', 'Z[.@']), answer),
    ).toMatchSnapshot();
  });
});

describe('types at a name', () => {
  const shown = (octets: Uint8Array) => {
    const read = readTypes(octets);
    return read === undefined ? 'malformed' : types.filter((type) => read.has(type)).join() || 'none';
  };

  test('with each octet changed', () => {
    expect(byOctet(Buffer.concat([bitmapOf(types), Buffer.of(1, 1, 0x40)]), shown)).toMatchSnapshot();
    const windows = [0, 1, 31, 32, 33, 255].map(
      (length): Named<Uint8Array> => [
        `window of ${length}`,
        Buffer.concat([Buffer.of(0, length), Buffer.alloc(length, 0xff)]),
      ],
    );
    expect(byAnswer([...windows, ['none', Buffer.of()]], shown)).toMatchSnapshot('windows');
  });

  test('what they prove', () => {
    const sets = words('A NS NS,SOA NS,DS CNAME SOA A,CNAME NS,SOA,DS DNAME');
    const answer = (of: string) => {
      const read = readTypes(bitmapOf(of.split(',')));
      if (read === undefined) return 'malformed';
      const lacking = [true, false].map((isRoot) =>
        types.filter((type) => lacksType(read, type, isRoot)).join(),
      );
      return `${isDelegation(read) ? 'delegation' : 'none'}; lacks ${lacking.join('; else ')}`;
    };
    expect(byAnswer(asWritten(sets), answer)).toMatchSnapshot();
  });
});

/** A zone: its names, in the order of NSEC, with their types. */
const zone: readonly (readonly [name: string, types: string])[] = [
  ['example', 'NS SOA MX'],
  ['a.example', 'A'],
  ['c.b.a.example', 'TXT'],
  ['alias.example', 'CNAME'],
  ['cut.example', 'NS'],
  ['dname.example', 'DNAME'],
  ['signed.example', 'NS DS'],
  ['*.w.example', 'MX'],
  ['z.example', 'A'],
];
const asked =
  words(`example a.example b.a.example c.b.a.example x.c.b.a.example alias.example cut.example x.cut.example
  x.dname.example signed.example x.signed.example w.example q.w.example q.r.w.example *.w.example *.example m.example
  zz.example other example.other`);
const inZone = asked.filter((name) => /(?:^|\.)example$/.test(name));
const inShort = (proof: Proof) =>
  proof.status === 'proven'
    ? `${proof.absence}${proof.isDelegation ? ' of a delegation' : ''}`
    : proof.status;

describe('NSEC', () => {
  const records = zone.map(([name, held], at) =>
    set(
      name,
      'NSEC',
      nsecRdata(zone[(at + 1) % zone.length]?.[0] ?? '', [...held.split(' '), 'RRSIG', 'NSEC']),
    ),
  );

  test('proofs of a zone, and without one of its records', () => {
    const prove = (used: readonly RecordSet[], name: string, of: string) =>
      inShort(
        proveByNsec(used.flatMap(readNsec), labels('example'), {
          name: labels(name),
          type: of,
          absence: 'no-name',
        }),
      );
    const questions = asked.flatMap((name) =>
      words('MX DS A').map((of): Named<readonly [string, string]> => [`${name} ${of}`, [name, of]]),
    );
    expect(byAnswer(questions, ([name, of]) => prove(records, name, of))).toMatchSnapshot();
    const without = ([name, of]: readonly [string, string]) => {
      const needed = zone.filter(
        (_, at) => prove(records.toSpliced(at, 1), name, of) !== prove(records, name, of),
      );
      return `needs ${needed.map(([owner]) => owner).join() || 'nothing'}`;
    };
    expect(
      byAnswer(
        questions.filter(([name]) => name.endsWith(' MX')),
        without,
      ),
    ).toMatchSnapshot('needed records');
  });

  test('proofs of what a wildcard expands to', () => {
    const proven = (name: string) =>
      [0, 1, 2, 3]
        .filter((depth) =>
          provesExpansionByNsec(records.flatMap(readNsec), labels('example'), labels(name), depth),
        )
        .join() || 'none';
    expect(byAnswer(asWritten(inZone), proven)).toMatchSnapshot();
  });

  test('records with each octet changed', () => {
    const answer = (rdata: Uint8Array) =>
      readNsec(set('a.example', 'NSEC', rdata))
        .map(
          ({ owner, next, types: held }) =>
            `${written(owner)} ${written(next).length} ${types.filter((one) => held.has(one))}`,
        )
        .join() || 'malformed';
    expect(byOctet(nsecRdata('b.c', ['A', 'MX', 'CAA']), answer)).toMatchSnapshot();
    const owners = asWritten(['', 'a', `${'a'.repeat(64)}.b`]);
    expect(
      byAnswer(owners, (name) => String(readNsec(set(name, 'NSEC', nsecRdata('b', ['A']))).length)),
    ).toMatchSnapshot('owners');
  });
});

describe('NSEC3', () => {
  interface Parameters {
    readonly optOut?: boolean;
    readonly iterations?: number;
    readonly salt?: string;
  }

  function chainOf({ optOut = false, iterations = 0, salt = '' }: Parameters = {}): RecordSet[] {
    const salted = Buffer.from(salt, 'hex');
    const nodes = [...zone, ['w.example', ''], ['b.a.example', '']] as const;
    const held = nodes.filter(([, of]) => !optOut || of !== 'NS');
    const hashed = held
      .map(([name, of]) => ({ of, hash: hashName(Buffer.from(nameToWire(name) ?? []), salted, iterations) }))
      .toSorted((a, b) => Buffer.compare(a.hash, b.hash));
    return hashed.map(({ of, hash }, at) => {
      const next = hashed[(at + 1) % hashed.length]?.hash ?? hash;
      const fixed = Buffer.of(1, Number(optOut), iterations >> 8, iterations & 0xff, salted.length);
      const rdata = Buffer.concat([
        fixed,
        salted,
        Buffer.of(20),
        next,
        bitmapOf(of === '' ? [] : [...of.split(' '), 'RRSIG']),
      ]);
      return set(`${base32Hex(hash)}.example`, 'NSEC3', rdata);
    });
  }

  const prove = async (
    sets: readonly RecordSet[],
    name: string,
    of: string,
    absence: 'no-name' | 'no-data',
    hashes = 500,
  ) =>
    inShort(
      await proveByNsec3(
        sets.flatMap(readNsec3),
        labels('example'),
        { name: labels(name), type: of, absence },
        createEffort({ verifications: 0, hashes }),
      ),
    );

  test.each<[string, Parameters]>([
    ['plain', {}],
    ['with opt-out', { optOut: true, iterations: 1, salt: 'ab' }],
  ])('proofs of a zone, %s', async (_, parameters) => {
    const sets = chainOf(parameters);
    const questions = asked.flatMap((name) =>
      words('MX DS').map((of): Named<readonly [string, string]> => [`${name} ${of}`, [name, of]]),
    );
    const both = async ([name, of]: readonly [string, string]) =>
      (
        await Promise.all((['no-name', 'no-data'] as const).map((absence) => prove(sets, name, of, absence)))
      ).join(', ');
    expect(await byLateAnswer(questions, both)).toMatchSnapshot();
    const expansion = async (name: string) => {
      const depths = [0, 1, 2, 3].map((depth) =>
        proveExpansionByNsec3(
          sets.flatMap(readNsec3),
          labels('example'),
          labels(name),
          depth,
          createEffort(),
        ),
      );
      return (await Promise.all(depths)).map(inShort).join();
    };
    expect(await byLateAnswer(asWritten(inZone), expansion)).toMatchSnapshot('expansion');
    const needed = async (name: string) => {
      const whole = await prove(sets, name, 'MX', 'no-name');
      const without = await Promise.all(
        sets.map((__, at) => prove(sets.toSpliced(at, 1), name, 'MX', 'no-name')),
      );
      return `${without.filter((one) => one !== whole).length} records`;
    };
    expect(await byLateAnswer(asWritten(asked), needed)).toMatchSnapshot('needed records');
  });

  test('proofs with parameters at their limits', async () => {
    const chains: readonly Named<readonly RecordSet[]>[] = [
      ...[99, 100, 101, 256].map(
        (iterations): Named<readonly RecordSet[]> => [`${iterations} iterations`, chainOf({ iterations })],
      ),
      ['two salts', [...chainOf({ salt: 'ab' }), ...chainOf({ salt: 'cd' })]],
      ['two salts, mixed', [...chainOf({ salt: 'ab' }).slice(0, 1), ...chainOf({ salt: 'cd' })]],
      [
        'two numbers of iterations',
        [...chainOf({ iterations: 1 }).slice(0, 1), ...chainOf({ iterations: 2 })],
      ],
      ['of another zone', chainOf().map((one) => ({ ...one, name: one.name.replace('example', 'other') }))],
      ['none', []],
    ];
    expect(await byLateAnswer(chains, (sets) => prove(sets, 'm.example', 'MX', 'no-name'))).toMatchSnapshot();
    const budgets = [0, 1, 2, 3, 4, 5].map((hashes): Named<number> => [`${hashes} hashes`, hashes]);
    expect(
      await byLateAnswer(budgets, (hashes) => prove(chainOf(), 'q.r.w.example', 'A', 'no-name', hashes)),
    ).toMatchSnapshot('budget');
  });

  test('records with each octet changed', () => {
    const rdata = Buffer.concat([
      Buffer.of(1, 1, 0, 5, 2, 0xab, 0xcd, 20),
      Buffer.alloc(20, 0x11),
      bitmapOf(['A', 'CAA']),
    ]);
    const answer = (octets: Uint8Array) =>
      readNsec3(set('0p9mhaveqvm6t7vbl5lop2u3t2rp3tom.example', 'NSEC3', octets))
        .map(
          ({ nextHash, optOut, iterations, salt, types: held }) =>
            `${nextHash.length} ${optOut} ${iterations} ${salt.length} ${types.filter((one) => held.has(one))}`,
        )
        .join() || 'malformed';
    expect(byOctet(rdata, answer)).toMatchSnapshot();
    const owners =
      words(`0p9mhaveqvm6t7vbl5lop2u3t2rp3tom.example 0P9MHAVEQVM6T7VBL5LOP2U3T2RP3TOM.example 0p9mhaveqvm6t7vbl5lop2u3t2rp3tow.example
      0p9mhaveqvm6t7vbl5lop2u3t2rp3to.example 0p9mhaveqvm6t7vbl5lop2u3t2rp3tomm.example 0p9mhaveqvm6t7vbl5lop2u3t2rp3tommm.example
      vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv.example 00000000000000000000000000000001 example`);
    const owner = (name: string) =>
      readNsec3(set(name, 'NSEC3', rdata))
        .map(({ zone: at, ownerHash }) => `${ownerHash.toString('hex')} in ${written(at)}`)
        .join() || 'ignored';
    expect(byAnswer(asWritten(['', ...owners]), owner)).toMatchSnapshot('owners');
  });
});

test('the sets that an answer depends on', () => {
  const target = (name: string) => Buffer.from(nameToWire(name) ?? []);
  const signature = {
    ...{ typeCovered: 'CNAME', algorithm: 13, labels: 2, originalTtl: 1, expiration: 1, inception: 1 },
    ...{ keyTag: 1, signerName: 'a', signature: Uint8Array.of() },
  };
  const alias = set('x.a', 'CNAME', target('x.b'));
  const dname = (name: string, to: string) => set(name, 'DNAME', target(to));
  const mx = set('x.b', 'MX', Uint8Array.of());
  const lists: readonly Named<readonly RecordSet[]>[] = [
    ['both', [alias, mx]],
    ['no alias', [mx]],
    ['no records', [alias]],
    ['signed alias, DNAME', [{ ...alias, signatures: [signature] }, dname('a', 'b'), mx]],
    ['DNAME', [dname('a', 'b'), alias, mx]],
    ['DNAME to another name', [dname('a', 'c'), alias, mx]],
    ['DNAME of another name', [dname('b', 'b'), alias, mx]],
    ['DNAME of the name itself', [dname('x.a', 'b'), alias, mx]],
    ['proofs beside', [alias, mx, set('x.b', 'NSEC', Uint8Array.of()), set('x.b', 'NSEC3', Uint8Array.of())]],
    ['other sets', [alias, mx, set('y.b', 'MX', Uint8Array.of())]],
    [
      'alias beside the records',
      [alias, mx, set('x.b', 'CNAME', Uint8Array.of()), set('x.a', 'MX', Uint8Array.of())],
    ],
    ['20 sets', [alias, ...Array<RecordSet>(19).fill(mx)]],
    ['21 sets', [alias, ...Array<RecordSet>(20).fill(mx)]],
  ];
  const evidence = { milliseconds: 0 };
  const found = (sets: readonly RecordSet[]) =>
    setsOfAnswer({ status: 'found', records: [], name: 'x.b', aliases: ['x.a'], ttl: 1, sets, evidence });
  const absent = (sets: readonly RecordSet[]) =>
    setsOfAnswer({
      status: 'absent',
      reason: 'no-data',
      aliases: ['x.a'],
      denial: { name: 'x.b', type: 'MX', sets },
      evidence,
    });
  const shown = (sets: readonly RecordSet[] | undefined) =>
    sets === undefined
      ? 'incomplete'
      : sets.length > 9
        ? `${sets.length} sets`
        : sets.map(({ name, type }) => `${name} ${type}`).join();
  expect(
    byAnswer(lists, (sets) => `${shown(found(sets))}; if absent ${shown(absent(sets))}`),
  ).toMatchSnapshot();
  expect(setsOfAnswer({ status: 'absent', reason: 'no-data', aliases: [], evidence })).toBeUndefined();
});
