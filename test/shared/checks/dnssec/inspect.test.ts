import { describe, expect, test } from '@jest/globals';
import { inspectDnssec } from '../../../../shared/checks/dnssec/inspect.ts';
import type { Dns, RecordSet, Unavailable } from '../../../../shared/protocol/dns.ts';
import { createValidator, type StrippedZones } from '../../../../shared/protocol/dnssec/chain.ts';
import { withMessages } from '../../../kit/findings.ts';
import { recorded } from '../../../kit/recorded.ts';
import type { DenialOptions } from '../../protocol/dnssec/signed-denials.ts';
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
} from '../../protocol/dnssec/signed-world.ts';
import { networkOf } from '../../protocol/findings/cases/example.ts';

const root = makeKey('');
const org = makeKey('org');
const example = makeKey('example.org');
const seconds = now.getTime() / 1000;
const DAY = 86_400;

const hierarchy = (...changes: RecordSet[]): RecordSet[] => [
  ...[root, org, example].flatMap(zoneSets),
  delegation(org, root),
  delegation(example, org),
  ...changes,
];
const unsignedExample = without(
  hierarchy(...zoneSets(example).map(bare)),
  'example.org DNSKEY',
  'example.org DS',
);
const dmarc = { name: '_dmarc.example.org', type: 'TXT', rdata: [rdata.TXT('v=DMARC1; p=reject')] };
const text = { name: 'example.org', type: 'TXT', rdata: [rdata.TXT('v=spf1 -all')] };

async function inspect(
  sets: readonly RecordSet[],
  domain = 'example.org',
  failures: Record<string, Unavailable['reason']> = {},
  denials: DenialOptions = {},
) {
  const dns = world(sets, failures, denials);
  const validator = createValidator({ dns, anchors: [anchorOf(root)], clock });
  const result = await inspectDnssec(domain, networkOf({ dns, clock }), validator);
  // Keys and the time are those of the test run.
  const shown = result.findings.map((found) => ({
    ...found,
    arguments: { ...found.arguments, at: undefined },
  }));
  recorded({ ...result, findings: shown, dsRecords: result.dsRecords.length });
  return { result: withMessages(result), questions: dns.questions };
}

const withText = (changes: Parameters<typeof signed>[2]) => hierarchy(signed(text, example, changes));
const delegatedBy = (...records: readonly Uint8Array[]) =>
  hierarchy(signed({ name: 'example.org', type: 'DS', rdata: records }, org));
const unsignedParent = without(hierarchy(...zoneSets(org).map(bare)), 'org DS', 'org DNSKEY');
const sha1 = makeKey('example.org', 7);
const sha1Parent = makeKey('org', 5);
const mail = { ...text, name: 'mail.example.org' };
const toPlain = { name: '_dmarc.example.org', type: 'CNAME', rdata: [rdata.name('dmarc.plain.org')] };
const everySet = ['DNSKEY', 'SOA', 'MX', 'TXT', 'DS'].map((type) => `example.org ${type}`);

describe('the state of a domain', () => {
  test.each<[what: string, sets: readonly RecordSet[], domain?: string]>([
    ['signed, with a chain of trust', hierarchy()],
    ['not signed', unsignedExample],
    ['signed without a DS', without(hierarchy(), 'example.org DS')],
    ['signed below an unsigned zone', unsignedParent],
    ['a DS without a signed zone', [...unsignedExample, delegation(example, org)]],
    ['a DS for another key', hierarchy(delegation(makeKey('example.org'), org))],
    [
      'TXT records changed after signing, everything else valid',
      hierarchy({ ...signed(text, example), rdata: [rdata.TXT('v=spf1 +all')] }),
    ],
    ['an unsigned set in a signed zone', hierarchy(unsigned(text))],
    ['an expired signature', withText({ expiration: seconds - 1 })],
    [
      'a signature that ends in less than three days',
      withText({ inception: seconds - 11 * DAY, expiration: seconds + 3 * DAY - 1 }),
    ],
    [
      'a signature that ends in three days',
      withText({ inception: seconds - 11 * DAY, expiration: seconds + 3 * DAY }),
    ],
    [
      'online signatures, valid from a day before to a day after',
      withText({ inception: seconds - DAY, expiration: seconds + DAY }),
    ],
    [
      'two-day signatures in their last quarter',
      withText({ inception: seconds - 1.6 * DAY, expiration: seconds + 0.4 * DAY }),
    ],
    [
      'a DMARC record changed after signing',
      hierarchy({ ...signed(dmarc, example), rdata: [rdata.TXT('v=DMARC1; p=none')] }),
    ],
    [
      'a DMARC record that is a CNAME into a zone without DNSSEC',
      hierarchy(
        signed(toPlain, example),
        unsigned({ name: 'plain.org', type: 'SOA', rdata: [rdata.SOA('plain.org')] }),
        unsigned({ ...dmarc, name: 'dmarc.plain.org' }),
      ),
    ],
    ['a DS with SHA-1 only', hierarchy(delegation(example, org, 1))],
    ['a second DS for a removed key', delegatedBy(rdata.DS({ ...example, keyTag: 7 }), rdata.DS(example))],
    [
      'a second DS of an unknown digest type, which may be right',
      delegatedBy(rdata.DS(example, 3), rdata.DS(example)),
    ],
    ['a DS of an unknown algorithm only', delegatedBy(rdata.DS(example, 2, 200))],
    [
      '33 DS records, of which 32 are shown',
      delegatedBy(...Array.from({ length: 33 }, (_, keyTag) => rdata.DS({ ...example, keyTag }))),
    ],
    [
      'bogus above the domain: the DS of the parent is not signed',
      hierarchy(unsigned({ name: 'org', type: 'DS', rdata: [rdata.DS(org)] })),
    ],
    ['a name that does not exist', without(hierarchy(), ...everySet)],
    [
      'signed only with SHA-1: valid, but insecure (RFC 9905)',
      hierarchy(...zoneSets(sha1), delegation(sha1, org)),
    ],
    [
      'signed below a zone that is signed only with SHA-1',
      hierarchy(...zoneSets(sha1Parent), delegation(sha1Parent, root), delegation(example, sha1Parent)),
    ],
    ['a signed set of a name that is no apex', hierarchy(signed(mail, example)), mail.name],
    ['an unsigned set of a name that is no apex', hierarchy(unsigned(mail)), mail.name],
  ])('%s', async (_, ...given) => {
    await inspect(...given);
  });

  test('a name that is an alias is not attributed to the zone of its target', async () => {
    const alias = { ...mail, type: 'CNAME', rdata: [rdata.name('org')] };
    const { result } = await inspect(hierarchy(signed(alias, example)), alias.name);
    expect(result.dsRecords.map(({ keyTag }) => keyTag)).toEqual([example.keyTag]);
  });
});

describe('what is absent is proven, too', () => {
  const broken = (question: string): DenialOptions => ({
    change: (sets, name, type) => (`${name} ${type}` === question ? sets.map(bare) : sets),
  });
  test.each([
    ['example.org MX', without(hierarchy(), 'example.org MX')],
    ['_dmarc.example.org TXT', hierarchy()],
    ['_mta-sts.example.org TXT', hierarchy()],
  ])('the proof that there is no %s is broken: an error that names the set', async (set, sets) => {
    const { result } = await inspect(sets, 'example.org', {}, broken(set));
    expect(result).toMatchObject({ state: 'fail', findings: [{ subject: set }] });
    expect(result.errors[0]).toMatch(/SERVFAIL.*defer mail/);
    expect((await inspect(sets)).result.state).toBe('pass');
  });

  test('by NSEC3 with iterations, which is advised against', async () => {
    const nsec3 = { 'example.org': { iterations: 1 } };
    const { result } = await inspect(hierarchy(), 'example.org', {}, { nsec3 });
    expect(result.findings.map(({ id }) => id)).toEqual(['dnssec-nsec3-parameters']);
  });

  test.each([
    ['a broken proof in a zone without a DS record harms nobody', '_dmarc.example.org TXT', 'warning'],
    ['a DS that is stripped does not make a domain unsigned', 'example.org DS', 'fail'],
  ])('%s', async (_, question, state) => {
    const sets = without(hierarchy(), 'example.org DS');
    expect((await inspect(sets, 'example.org', {}, broken(question))).result.state).toBe(state);
  });
});

describe('a failed lookup says nothing about the domain', () => {
  test.each([
    'example.org SOA',
    'example.org DNSKEY',
    'example.org DS',
    'example.org MX',
    'example.org TXT',
    'org DS',
  ])('%s lookup fails', async (question) => {
    const { result } = await inspect(hierarchy(), 'example.org', { [question]: 'timeout' });
    expect(result).toMatchObject({ state: 'unknown', errors: [], warnings: [] });
  });

  test('a bogus set is reported even if the lookup of another set failed', async () => {
    const failing = { 'example.org MX': 'timeout' } as const;
    const { result } = await inspect(hierarchy(unsigned(text)), 'example.org', failing);
    expect(result.state).toBe('fail');
  });

  test.each<[string, (set: RecordSet) => RecordSet[]]>([
    ['signatures', (set) => [bare(set)]],
    ['DNSSEC records of any kind', (set) => (['DS', 'DNSKEY'].includes(set.type) ? [] : [bare(set)])],
  ])('a resolver that strips %s is never reported as "not signed"', async (_, change) => {
    const { result } = await inspect(hierarchy().flatMap(change));
    expect(result).toMatchObject({ state: 'unknown', chainValid: false, errors: [], warnings: [] });
  });
});

test('shows the digest of DS records in upper-case hexadecimal', async () => {
  const { result } = await inspect(hierarchy());
  expect(result.dsRecords).toEqual([
    { keyTag: example.keyTag, algorithm: 13, digestType: 2, digest: expect.stringMatching(/^[0-9A-F]{64}$/) },
  ]);
});

test('sends the seven lookups of a zone concurrently, and queries its keys only once', async () => {
  const { questions } = await inspect(hierarchy());
  const types = [
    'example.org SOA',
    'example.org MX',
    'example.org TXT',
    '_dmarc.example.org TXT',
    '_mta-sts.example.org TXT',
  ];
  expect(questions.slice(0, 7)).toEqual([...types, 'example.org DNSKEY', 'example.org DS']);
  // The validator requests DNSKEY and DS of the zone again, which the resolver has cached.
  const automation = questions.filter((question) => / CD(?:S|NSKEY)$/.test(question));
  expect(automation).toHaveLength(2);
  expect(questions.length - automation.length).toBe(7 + 5);
});

describe('a resolver that strips DNSSEC records', () => {
  const stripped = hierarchy().map(bare);

  function run(dns: Dns, at: Date, strippedZones: StrippedZones, domain = 'example.org') {
    const turned = { now: () => at };
    const validator = createValidator({ dns, anchors: [anchorOf(root)], clock: turned, strippedZones });
    return inspectDnssec(domain, networkOf({ dns, clock: turned }), validator);
  }

  test('is detected once and costs later domains no query', async () => {
    const zones: StrippedZones = new Map();
    const first = await run(world(stripped), now, zones);
    const dns = world(stripped);
    const later = await run(dns, new Date(now.getTime() + 3_599_000), zones, 'example.net');
    expect(dns.questions).toEqual([]);
    expect([first.state, later.state]).toEqual(['unknown', 'unknown']);
    expect(later.findings).toEqual(first.findings);
  });

  test('is retried after an hour', async () => {
    const zones: StrippedZones = new Map();
    await run(world(stripped), now, zones);
    const later = await run(world(hierarchy()), new Date(now.getTime() + 3_600_000), zones);
    expect(later.state).toBe('pass');
  });

  test('is not confused with one that does not respond', async () => {
    const zones: StrippedZones = new Map();
    await run(world(hierarchy(), { ' DNSKEY': 'timeout' }), now, zones);
    expect((await run(world(hierarchy()), now, zones)).state).toBe('pass');
  });
});

test('a second resolver that strips signatures does not affect signed responses of the first', async () => {
  const fullDns = world(hierarchy(signed(text, example), signed(dmarc, example)), {});
  const dns: Dns = {
    async lookup(name, type, options) {
      const answer = await fullDns.lookup(name, type, options);
      if (answer.status !== 'found' || type !== 'TXT') return answer;
      return {
        ...answer,
        sets: answer.sets.map(bare),
        evidence: { ...answer.evidence, server: '192.0.2.99:53' },
      };
    },
  };
  const validator = createValidator({ dns, anchors: [anchorOf(root)], clock });
  const result = await inspectDnssec('example.org', networkOf({ dns, clock }), validator);
  expect(result).toMatchObject({ state: 'pass', valid: true, chainValid: true });
});
