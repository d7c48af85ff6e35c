import { describe, expect, test } from '@jest/globals';
import { inspectDnssec } from '../../../../shared/checks/dnssec/inspect.ts';
import type { Network } from '../../../../shared/network/ports.ts';
import type { Dns, RecordSet, Unavailable } from '../../../../shared/protocol/dns.ts';
import { createValidator, type StrippedZones } from '../../../../shared/protocol/dnssec/chain.ts';
import { withMessages } from '../../../kit/findings.ts';
import { recorded } from '../../../kit/recorded.ts';
import type { DenialOptions } from '../../protocol/dnssec/signed-denials.ts';
import {
  anchorOf,
  clock,
  delegation,
  makeKey,
  now,
  rdata,
  signed,
  unsigned,
  world,
  zoneSets,
} from '../../protocol/dnssec/signed-world.ts';

const root = makeKey('');
const org = makeKey('org');
const example = makeKey('example.org');
const seconds = now.getTime() / 1000;
const DAY = 86_400;

const hierarchy = (...changes: RecordSet[]): RecordSet[] => [
  ...zoneSets(root),
  ...zoneSets(org),
  ...zoneSets(example),
  delegation(org, root),
  delegation(example, org),
  ...changes,
];
const without = (sets: readonly RecordSet[], ...gone: string[]) =>
  sets.filter(({ name, type }) => !gone.includes(`${name} ${type}`));
const bare = (set: RecordSet): RecordSet => ({ ...set, signatures: [] });
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
  const refuse = () => {
    throw new Error('unexpected query');
  };
  const network: Network = { dns, clock, web: { get: refuse }, smtp: { probe: refuse } };
  const result = await inspectDnssec(
    domain,
    network,
    createValidator({ dns, anchors: [anchorOf(root)], clock }),
  );
  // Keys and the time are those of the test run.
  const shown = result.findings.map((found) => ({
    ...found,
    arguments: { ...found.arguments, at: undefined },
  }));
  recorded({ ...result, findings: shown, dsRecords: result.dsRecords.length });
  const { state, enabled, valid, chainValid, findings } = result;
  const findingTexts = findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));
  return {
    result: withMessages(result),
    summary: [state, enabled, valid, chainValid, ...findingTexts],
    questions: dns.questions,
  };
}

describe('the state of a domain', () => {
  test.each<[string, RecordSet[], (string | boolean)[]]>([
    ['signed, with a chain of trust', hierarchy(), ['pass', true, true, true]],
    ['not signed', unsignedExample, ['absent', false, false, false, 'dnssec-not-signed']],
    [
      'signed without a DS',
      without(hierarchy(), 'example.org DS'),
      ['warning', true, true, false, 'dnssec-no-ds'],
    ],
    [
      'signed below an unsigned zone',
      without(hierarchy(...zoneSets(org).map(bare)), 'org DS', 'org DNSKEY'),
      ['warning', true, true, false, 'dnssec-parent-not-signed org'],
    ],
    [
      'a DS without a signed zone',
      [...unsignedExample, delegation(example, org)],
      ['fail', false, false, false, 'dnssec-ds-without-key'],
    ],
    [
      'a DS for another key',
      hierarchy(delegation(makeKey('example.org'), org)),
      ['fail', true, false, false, 'dnssec-ds-mismatch'],
    ],
    [
      'TXT records changed after signing, everything else valid',
      hierarchy({ ...signed(text, example), rdata: [rdata.TXT('v=spf1 +all')] }),
      ['fail', true, false, true, 'dnssec-signature-invalid example.org TXT'],
    ],
    [
      'an unsigned set in a signed zone',
      hierarchy(unsigned(text)),
      ['fail', true, false, true, 'dnssec-set-unsigned example.org TXT'],
    ],
    [
      'an expired signature',
      hierarchy(signed(text, example, { expiration: seconds - 1 })),
      ['fail', true, false, true, 'dnssec-signature-expired example.org TXT'],
    ],
    [
      'a signature that ends in less than three days',
      hierarchy(signed(text, example, { inception: seconds - 11 * DAY, expiration: seconds + 3 * DAY - 1 })),
      ['warning', true, true, true, 'dnssec-signature-expires-soon example.org TXT'],
    ],
    [
      'a signature that ends in three days',
      hierarchy(signed(text, example, { inception: seconds - 11 * DAY, expiration: seconds + 3 * DAY })),
      ['pass', true, true, true],
    ],
    [
      'online signatures, valid from a day before to a day after',
      hierarchy(signed(text, example, { inception: seconds - DAY, expiration: seconds + DAY })),
      ['pass', true, true, true],
    ],
    [
      'two-day signatures in their last quarter',
      hierarchy(signed(text, example, { inception: seconds - 1.6 * DAY, expiration: seconds + 0.4 * DAY })),
      ['warning', true, true, true, 'dnssec-signature-expires-soon example.org TXT'],
    ],
    [
      'a DMARC record changed after signing',
      hierarchy({ ...signed(dmarc, example), rdata: [rdata.TXT('v=DMARC1; p=none')] }),
      ['fail', true, false, true, 'dnssec-signature-invalid _dmarc.example.org TXT'],
    ],
    [
      'a DMARC record that is a CNAME into a zone without DNSSEC',
      hierarchy(
        signed(
          { name: '_dmarc.example.org', type: 'CNAME', rdata: [rdata.name('dmarc.plain.org')] },
          example,
        ),
        unsigned({ name: 'plain.org', type: 'SOA', rdata: [rdata.SOA('plain.org')] }),
        unsigned({ ...dmarc, name: 'dmarc.plain.org' }),
      ),
      ['pass', true, true, true],
    ],
    [
      'a DS with SHA-1 only',
      hierarchy(delegation(example, org, 1)),
      ['pass', true, true, true, 'dnssec-ds-sha1'],
    ],
    [
      'a second DS for a removed key',
      hierarchy(
        signed(
          {
            name: 'example.org',
            type: 'DS',
            rdata: [rdata.DS({ ...example, keyTag: 7 }), rdata.DS(example)],
          },
          org,
        ),
      ),
      ['warning', true, true, true, 'dnssec-ds-stale 7'],
    ],
    [
      'a second DS of an unknown digest type, which may be right',
      hierarchy(
        signed({ name: 'example.org', type: 'DS', rdata: [rdata.DS(example, 3), rdata.DS(example)] }, org),
      ),
      ['pass', true, true, true],
    ],
    [
      'a DS of an unknown algorithm only',
      hierarchy(signed({ name: 'example.org', type: 'DS', rdata: [rdata.DS(example, 2, 200)] }, org)),
      ['warning', true, false, false, 'dnssec-algorithm-unsupported'],
    ],
    [
      'bogus above the domain: the DS of the parent is not signed',
      hierarchy(unsigned({ name: 'org', type: 'DS', rdata: [rdata.DS(org)] })),
      ['fail', true, true, false, 'dnssec-set-unsigned org DS'],
    ],
    [
      'a name that does not exist',
      without(hierarchy(), ...['DNSKEY', 'SOA', 'MX', 'TXT', 'DS'].map((type) => `example.org ${type}`)),
      ['absent', false, false, false, 'dnssec-no-such-name'],
    ],
  ])('%s', async (_, sets, expected) => {
    expect((await inspect(sets)).summary).toEqual(expected);
  });

  test('signed only with SHA-1: valid, but insecure (RFC 9905)', async () => {
    const old = makeKey('example.org', 7);
    const { summary } = await inspect(hierarchy(...zoneSets(old), delegation(old, org)));
    expect(summary).toEqual(['fail', true, true, false, 'dnssec-algorithm-sha1']);
  });

  test('signed below a zone that is signed only with SHA-1', async () => {
    const old = makeKey('org', 5);
    const { summary } = await inspect(
      hierarchy(...zoneSets(old), delegation(old, root), delegation(example, old)),
    );
    expect(summary).toEqual(['warning', true, true, false, 'dnssec-parent-sha1 org']);
  });
});

describe('a name that is not a zone apex', () => {
  test('is judged by the zone that contains it, and by its own record sets', async () => {
    const set = { ...text, name: 'mail.example.org' };
    expect((await inspect(hierarchy(signed(set, example)), 'mail.example.org')).summary).toEqual([
      'pass',
      true,
      true,
      true,
    ]);
    expect((await inspect(hierarchy(unsigned(set)), 'mail.example.org')).summary).toEqual([
      'fail',
      true,
      false,
      true,
      'dnssec-set-unsigned mail.example.org TXT',
    ]);
  });

  test('that is an alias is not attributed to the zone of its target', async () => {
    const alias = { name: 'mail.example.org', type: 'CNAME', rdata: [rdata.name('org')] };
    const { result } = await inspect(hierarchy(signed(alias, example)), 'mail.example.org');
    expect(result.dsRecords.map(({ keyTag }) => keyTag)).toEqual([example.keyTag]);
  });
});

describe('what is absent is proven, too', () => {
  const broken = (question: string): DenialOptions => ({
    change: (sets, name, type) =>
      `${name} ${type}` === question ? sets.map((set) => ({ ...set, signatures: [] })) : sets,
  });
  const withoutMx = without(hierarchy(), 'example.org MX');
  test.each([
    ['example.org MX', withoutMx],
    ['_dmarc.example.org TXT', hierarchy()],
    ['_mta-sts.example.org TXT', hierarchy()],
  ])('the proof that there is no %s is broken: an error that names the set', async (set, sets) => {
    const { summary, result } = await inspect(sets, 'example.org', {}, broken(set));
    expect(summary).toEqual(['fail', true, false, true, `dnssec-denial-broken ${set}`]);
    expect(result.errors[0]).toMatch(/SERVFAIL.*defer mail/);
    expect((await inspect(sets)).summary).toEqual(['pass', true, true, true]);
  });

  test('a broken proof in a zone without a DS record harms nobody', async () => {
    const sets = without(hierarchy(), 'example.org DS');
    const { summary } = await inspect(sets, 'example.org', {}, broken('_dmarc.example.org TXT'));
    expect(summary).toEqual(['warning', true, true, false, 'dnssec-no-ds']);
  });

  test('a DS that is stripped does not make a domain unsigned', async () => {
    const sets = without(hierarchy(), 'example.org DS');
    const { summary } = await inspect(sets, 'example.org', {}, broken('example.org DS'));
    expect(summary).toEqual(['fail', true, true, false, 'dnssec-denial-broken example.org DS']);
  });
});

describe('a failed lookup says nothing about the domain', () => {
  test.each([
    ['SOA', false],
    ['DNSKEY', false],
    ['DS', false],
    ['MX', true],
    ['TXT', true],
  ])('%s lookup fails', async (type, enabled) => {
    const { result } = await inspect(hierarchy(), 'example.org', { [`example.org ${type}`]: 'timeout' });
    expect(result).toMatchObject({ state: 'unknown', enabled, errors: [], warnings: [] });
    expect(result.findings.map(({ id, subject }) => [id, subject])).toEqual([
      ['dnssec-unavailable', `example.org ${type}`],
    ]);
  });

  test('a bogus set is reported even if the lookup of another set failed', async () => {
    const { result } = await inspect(hierarchy(unsigned(text)), 'example.org', {
      'example.org MX': 'timeout',
    });
    expect(result.state).toBe('fail');
  });

  test.each<[string, (set: RecordSet) => RecordSet[]]>([
    ['signatures', (set) => [bare(set)]],
    ['DNSSEC records of any kind', (set) => (['DS', 'DNSKEY'].includes(set.type) ? [] : [bare(set)])],
  ])('a resolver that strips %s is never reported as "not signed"', async (_, change) => {
    const { result } = await inspect(hierarchy().flatMap(change));
    expect(result).toMatchObject({ state: 'unknown', chainValid: false, errors: [], warnings: [] });
    expect(result.findings.map(({ id }) => id)).toEqual(['dnssec-chain-unavailable']);
  });

  test('a chain that cannot be followed has an unknown state', async () => {
    const { result } = await inspect(hierarchy(), 'example.org', { 'org DS': 'server-failure' });
    expect(result).toMatchObject({ state: 'unknown', chainValid: false, errors: [] });
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
  const refuse = () => {
    throw new Error('unexpected query');
  };

  function run(dns: Dns, at: Date, strippedZones: StrippedZones, domain = 'example.org') {
    const turned = { now: () => at };
    const network: Network = { dns, clock: turned, web: { get: refuse }, smtp: { probe: refuse } };
    const validator = createValidator({ dns, anchors: [anchorOf(root)], clock: turned, strippedZones });
    return inspectDnssec(domain, network, validator).then(withMessages);
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
  const refuse = () => {
    throw new Error('unexpected query');
  };
  const network: Network = { dns, clock, web: { get: refuse }, smtp: { probe: refuse } };
  const validator = createValidator({ dns, anchors: [anchorOf(root)], clock });
  const result = withMessages(await inspectDnssec('example.org', network, validator));
  expect(result).toMatchObject({ state: 'pass', valid: true, chainValid: true, errors: [] });
});
