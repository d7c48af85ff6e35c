import { describe, expect, test } from '@jest/globals';
import { inspectDmarc } from '../../../shared/checks/dmarc/inspect.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import type { UsageType } from '../../../shared/checks/state.ts';
import { dmarcRules } from '../../../shared/protocol/findings/dmarc.ts';
import { dnssecRules } from '../../../shared/protocol/findings/dnssec.ts';
import { raiser } from '../../../shared/protocol/findings/finding.ts';
import { mxRules } from '../../../shared/protocol/findings/mx.ts';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import type { Expansion } from '../../../shared/protocol/spf/expansion.ts';
import { credit, judge } from '../../../shared/score/credit.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { type Component, weights } from '../../../shared/score/weights.ts';
import {
  bimiResult,
  dkimKey,
  emptyResults,
  mxHost,
  mxResult,
  nullMxResult,
  perfectResults,
  spfResult,
  unknownResults,
  usageTypes,
} from '../../kit/results.ts';
import { zone } from '../../kit/zone.ts';

type Case = readonly [title: string, row: string, fraction: number | null, changes: Partial<CheckResults>];

const perfect = perfectResults('sends-and-receives');
const empty = emptyResults();
const unknown = unknownResults();
const { dmarc, mtaSts, tlsRpt, dnssec } = perfect;
const invalid = { state: 'fail', valid: false } as const;
const error = { id: 'mx-x', severity: 'error', arguments: {}, message: '', cites: '', fix: '' } as const;

const portBlocked = mxResult({ state: 'unknown', tlsSupported: null, emailReceptionCapability: null });
const hostsWithTls = (...tls: readonly (boolean | null)[]) =>
  mxResult({
    tlsSupported: false,
    hosts: tls.map((tlsSupported, index) => mxHost(`mx${index}.example.org`, 10, { tlsSupported })),
  });
const raiseDnssec = raiser(dnssecRules);
const zoneSha1 = raiseDnssec('dnssec-algorithm-sha1', { algorithm: 7 });
const parentSha1 = raiseDnssec('dnssec-parent-sha1', { zone: 'example.org', parent: 'org' });
const noKey = raiseDnssec('dnssec-ds-mismatch', { zone: 'org' });
const sha1Zone = { ...dnssec, state: 'fail', chainValid: false, findings: [zoneSha1] } as const;
const keys = (...selectors: readonly Parameters<typeof dkimKey>[1][]): Partial<CheckResults> => ({
  dkim: {
    state: 'warning',
    findings: [],
    selectors: selectors.map((changes, index) => dkimKey(`s${index}`, changes)),
  },
});
const spf = (...given: Parameters<typeof spfResult>) => ({ spf: spfResult(...given) });
const mx = (...given: Parameters<typeof mxResult>) => ({ mx: mxResult(...given) });
const bimi = (...given: Parameters<typeof bimiResult>) => ({ bimi: bimiResult(...given) });
const oneAddress = { flattenedIps: ['192.0.2.1'] };
const weak = { keySize: 1024 };
const broken = { valid: false };
const revoked = { valid: false, revoked: true, publicKey: '' };

/** A name that exists, for every client. */
const exists: CheckResults['spf']['mechanisms'][number] = {
  text: 'exists:x.example',
  kind: 'exists',
  qualifier: '+',
  result: 'pass',
  value: 'x.example',
  domain: 'x.example',
  lookups: 1,
  totalLookups: 1,
  matches: [],
  dependsOnMessage: false,
  state: 'found',
};

const spfBeginning: readonly Case[] = [
  ['a failed evaluation', 'unknown', null, { spf: unknown.spf }],
  ['no record', 'absent', 0, { spf: empty.spf }],
  ['a record with an error', 'invalid', 0, spf('v=spf1 -all', invalid)],
  ['several records, of which none applies', 'invalid', 0, { spf: { ...empty.spf, ...invalid } }],
  ['+all', 'pass-all', 0, spf('v=spf1 +all')],
  ['a term that matches every client', 'everyone', 0, spf('v=spf1 -all', { mechanisms: [exists] })],
  ['every IPv4 address', 'too-wide', 0, spf('v=spf1 -all', { flattenedIps: ['0.0.0.0/0'] })],
  ['half of IPv4', 'too-wide', 0, spf('v=spf1 -all', { flattenedIps: ['128.0.0.0/1'] })],
  ['all of global IPv6', 'too-wide', 0, spf('v=spf1 -all', { flattenedIps: ['2000::/3'] })],
  ['-all', 'fail-all', 1, spf('v=spf1 -all')],
];

const dkim = (weakShare: number): readonly Case[] => [
  ['a failed lookup', 'unknown', null, { dkim: unknown.dkim }],
  ['a failed lookup of the only selector', 'unknown', null, keys({ state: 'unknown', ...broken })],
  ['only a revoked key and a failed lookup of another', 'unknown', null, keys(revoked, { state: 'unknown' })],
  ['no selector found', 'absent', 0, { dkim: empty.dkim }],
  ['only revoked keys', 'revoked', 0, keys(revoked, revoked)],
  ['only a key of a kind that is too new', 'not-judged', null, keys({ state: 'not-applicable', ...broken })],
  ['RSA of 2048 bits', 'strong', 1, keys({})],
  ['Ed25519', 'strong', 1, keys({ keyType: 'ed25519', keySize: 256 })],
  ['a strong key beside a revoked one', 'strong', 1, keys({}, revoked)],
  ['a strong key beside one whose lookup failed', 'strong', 1, keys({}, { state: 'unknown', ...broken })],
  ['one of two keys valid', 'partly-strong', 1 / 2, keys({}, broken)],
  ['one key of two weak', 'partly-strong', (1 + weakShare) / 2, keys({}, weak)],
  ['a key in test mode', 'partly-strong', 1 / 2, keys({ testing: true })],
  [
    'a weak key in test mode',
    weakShare === 0 ? 'none-good' : 'partly-strong',
    weakShare,
    keys({ ...weak, testing: true }),
  ],
  ['a weak key', weakShare === 0 ? 'none-good' : 'partly-strong', weakShare, keys(weak)],
  ['an invalid key', 'none-good', 0, keys(broken)],
];

const raiseDmarc = raiser(dmarcRules);
const unauthorized = (...tags: readonly string[]): Partial<CheckResults> => {
  const about = { host: 'example.net', tags, name: 'example.org._report._dmarc.example.net' };
  const findings = [raiseDmarc('dmarc-unauthorized-destination', about)];
  return {
    dmarc: { ...dmarc, findings, ...(tags.includes('rua') ? { rua: ['mailto:d@example.net'] } : {}) },
  };
};

const dmarcUnusable: readonly Case[] = [
  ['a failed lookup', 'unknown', null, { dmarc: unknown.dmarc }],
  ['no record', 'absent', 0, { dmarc: empty.dmarc }],
  ['several records', 'invalid', 0, { dmarc: { ...empty.dmarc, ...invalid } }],
  ['a record without a policy to apply', 'invalid', 0, { dmarc: { ...dmarc, effectivePolicy: null } }],
];

const weaker = (tag: string, value: string) =>
  raiseDmarc('dmarc-weaker-subdomain-policy', { tag, value, policy: 'reject' });

const faulty = (...duplicates: readonly string[]) => ({
  ...invalid,
  findings: [
    raiseDmarc('dmarc-invalid-value', { tag: 'aspf', value: 'x', instead: 'r' }),
    ...(duplicates.length === 0 ? [] : [raiseDmarc('dmarc-duplicate-tags', { tags: duplicates })]),
  ],
});

/** The effective policy, with these changes. */
const under = (effectivePolicy: 'none' | 'quarantine' | 'reject', changes: Partial<typeof dmarc> = {}) => ({
  dmarc: { ...dmarc, effectivePolicy, ...changes },
});
const softfail = spf('v=spf1 mx ~all');
const largeRanges = ['10.0.0.0/8', '192.0.2.1', '2001:db8::/16', '::1'];

/** What a policy is worth; `testing` is the share of one that is in its testing phase. */
const mtaStsPolicies = ({ testing }: { testing: number }): readonly Case[] => [
  ['a failed lookup', 'unknown', null, { mtaSts: unknown.mtaSts }],
  ['no policy', 'absent', 0, { mtaSts: empty.mtaSts }],
  [
    'a policy without a record',
    'policy-without-record',
    0,
    { mtaSts: { ...empty.mtaSts, policyFetched: true, policyMode: 'enforce' } },
  ],
  ['no host to protect', 'absent', 0, { mtaSts: { ...empty.mtaSts, state: 'not-applicable' } }],
  ['an invalid policy', 'invalid', 0, { mtaSts: { ...mtaSts, ...invalid } }],
  ['enforce', 'enforce', 1, { mtaSts }],
  ['testing', 'testing', testing, { mtaSts: { ...mtaSts, policyMode: 'testing' } }],
  ['none', 'none', 0, { mtaSts: { ...mtaSts, policyMode: 'none' } }],
];

/**
 * The shares of `p=`, `t=` and `pct=`, given the share of each policy for a sender (or a domain that sends no mail).
 */
const dmarcPolicies = ({ none, quarantine }: { none: number; quarantine: number }): readonly Case[] => {
  const testing = { testing: true };
  return [
    ...dmarcUnusable,
    ['a record that some receivers discard', 'faulty', 1 / 2, under('reject', faulty('aspf=r'))],
    ['a record with a tag that receivers ignore', 'faulty-tags', 9 / 10, under('reject', faulty())],
    [
      'p=none in a record with a tag that receivers ignore',
      'faulty-tags',
      none * 0.9,
      under('none', faulty()),
    ],
    ['p=reject; t=y is applied as quarantine', 'testing', quarantine, under('quarantine', testing)],
    [
      'p=quarantine; t=y is applied as none',
      'testing',
      none,
      under('none', { policy: 'quarantine', testing: true }),
    ],
    [
      'p=none; t=y: there is no weaker policy',
      'none',
      none,
      under('none', { policy: 'none', testing: true }),
    ],
    ['p=reject; pct=50', 'percentage', (quarantine + 1) / 2, under('reject', { percentage: 50 })],
    ['p=reject; pct=0', 'percentage', quarantine, under('reject', { percentage: 0 })],
    [
      'p=quarantine; pct=25',
      'percentage',
      none + (quarantine - none) / 4,
      under('quarantine', { percentage: 25 }),
    ],
    ['p=reject', 'reject', 1, under('reject')],
    [
      'p=reject; sp=none',
      'weaker-subdomains',
      4 / 5 + none / 5,
      under('reject', { subdomainPolicy: 'none', findings: [weaker('sp', 'none')] }),
    ],
    [
      'p=reject; sp=quarantine; np=none',
      'weaker-subdomains',
      4 / 5 + none / 5,
      under('reject', {
        subdomainPolicy: 'quarantine',
        nonexistentSubdomainPolicy: 'none',
        findings: [weaker('sp', 'quarantine'), weaker('np', 'none')],
      }),
    ],
    [
      'p=reject; np=quarantine',
      'weaker-subdomains',
      4 / 5 + quarantine / 5,
      under('reject', { nonexistentSubdomainPolicy: 'quarantine', findings: [weaker('np', 'quarantine')] }),
    ],
    [
      'p=reject; sp=quarantine of a parent domain, where sp applies',
      'quarantine',
      quarantine,
      under('quarantine', { subdomainPolicy: 'quarantine', findings: [weaker('sp', 'quarantine')] }),
    ],
    [
      'p=reject; sp=none; t=y weakens both',
      'testing',
      (4 / 5) * quarantine + none / 5,
      under('quarantine', { testing: true, subdomainPolicy: 'none', findings: [weaker('sp', 'none')] }),
    ],
    ['p=reject, no percentage stated', 'reject', 1, under('reject', { percentage: null })],
    ['p=none in the record, reject in effect', 'reject', 1, under('reject', { policy: 'none' })],
    [
      'p=reject in the record of a parent domain, sp=none in effect',
      'none',
      none,
      under('none', { policy: 'reject' }),
    ],
    ['p=quarantine', 'quarantine', quarantine, under('quarantine')],
    ['p=none', 'none', none, under('none')],
    ['p=none; pct=10: there is no weaker policy', 'none', none, under('none', { percentage: 10 })],
  ];
};

const cases: Readonly<Record<string, readonly Case[]>> = {
  'mx/hosts': [
    ['a failed lookup', 'unknown', null, { mx: unknown.mx }],
    ['null MX', 'null-mx', 0, { mx: nullMxResult() }],
    ['no MX', 'absent', 0, { mx: empty.mx }],
    ['unreachable hosts', 'unreachable', 0, mx({ emailReceptionCapability: 'unreachable' })],
    ['hosts that refuse mail', 'relay-denied', 0, mx({ emailReceptionCapability: 'relay-denied' })],
    ['records with errors', 'faulty', 1 / 2, mx({ state: 'fail', findings: [error] })],
    ['records with advice', 'valid', 1, mx({ findings: [{ ...error, severity: 'notice' }] })],
    ['records known, port 25 could not be dialled', 'valid', 1, { mx: portBlocked }],
  ],
  'mx/tls': [
    ['a failed lookup', 'unknown', null, { mx: unknown.mx }],
    ['port 25 could not be dialled', 'unknown', null, { mx: portBlocked }],
    ['definitely no host', 'no-host', 0, { mx: nullMxResult() }],
    ['no host, and TLS unknown', 'no-host', 0, { mx: { ...empty.mx, tlsSupported: null } }],
    ['TLS everywhere', 'every-host', 1, mx()],
    ['TLS, and one host unchecked', 'unknown', null, mx({ tlsSupported: null })],
    ['TLS at one host of four', 'some-hosts', 1 / 4, { mx: hostsWithTls(true, false, false, false) }],
    ['TLS at one of two responsive hosts', 'some-hosts', 1 / 2, { mx: hostsWithTls(true, false, null) }],
    ['TLS at no host', 'no-tls', 0, { mx: hostsWithTls(false, false) }],
  ],
  'mx/null-mx': [
    ['a failed lookup', 'unknown', null, { mx: unknown.mx }],
    ['null MX', 'null-mx', 1, { mx: nullMxResult() }],
    ['no MX', 'absent', 1 / 2, { mx: empty.mx }],
    ['MX hosts', 'active', 0, mx()],
    ['MX hosts that could not be dialled', 'active', 0, { mx: portBlocked }],
  ],
  'spf/sender': [
    ...spfBeginning,
    [
      'large ranges that one operator can own',
      'fail-all',
      1,
      spf('v=spf1 -all', { flattenedIps: largeRanges }),
    ],
    ['~all with p=quarantine', 'softfail-enforced', 1, { ...softfail, ...under('quarantine') }],
    ['~all with p=reject', 'softfail-enforced', 1, { ...softfail, ...under('reject') }],
    ['~all with p=none', 'softfail-all', 2 / 3, { ...softfail, ...under('none') }],
    ['~all without DMARC', 'softfail-all', 2 / 3, { ...softfail, dmarc: empty.dmarc }],
    [
      '~all beside a failed lookup of DMARC',
      'softfail-beside-unknown',
      1,
      { ...softfail, dmarc: unknown.dmarc },
    ],
    ['?all', 'neutral', 1 / 5, spf('v=spf1 mx ?all')],
    ['no all', 'neutral', 1 / 5, spf('v=spf1 mx')],
  ],
  'spf/non-sender': [
    ...spfBeginning,
    ['only an address', 'authorizes-senders', 1 / 2, spf('v=spf1 ip4:192.0.2.1 -all', oneAddress)],
    ['~all', 'not-fail-all', 0, spf('v=spf1 ~all')],
    ['~all after an address', 'not-fail-all', 0, spf('v=spf1 ip4:192.0.2.1 ~all', oneAddress)],
    ['?all', 'not-fail-all', 0, spf('v=spf1 ?all')],
    ['no all', 'not-fail-all', 0, spf('v=spf1')],
  ],
  'dkim/keys': dkim(1 / 2),
  'dkim/strong-keys': dkim(0),
  'dmarc/policy': dmarcPolicies({ none: 1 / 5, quarantine: 3 / 5 }),
  'dmarc/reporting': [
    ...dmarcUnusable,
    ['a rua address', 'reporting', 1, { dmarc }],
    ['a rua address without consent', 'unauthorized', 1 / 2, unauthorized('rua')],
    ['a ruf address without consent', 'reporting', 1, unauthorized('ruf')],
    ['no rua address', 'no-reporting', 0, { dmarc: { ...dmarc, rua: [] } }],
    ...['https://example.org/x', 'mailto:', 'mailto://a@example.org'].map(
      (uri): Case => [uri, 'no-address', 0, { dmarc: { ...dmarc, rua: [uri] } }],
    ),
    [
      'an address beside another URI',
      'reporting',
      1,
      { dmarc: { ...dmarc, rua: ['https://example.org/x', 'MAILTO:dmarc@example.org?subject=x'] } },
    ],
  ],
  'dmarc/reject': dmarcPolicies({ none: 0, quarantine: 0 }),
  'mtaSts/enforced-policy': mtaStsPolicies({ testing: 1 / 2 }),
  'mtaSts/valid-policy': mtaStsPolicies({ testing: 1 }),
  'tlsRpt/reporting': [
    ['a failed lookup', 'unknown', null, { tlsRpt: unknown.tlsRpt }],
    ['an address', 'valid', 1, { tlsRpt }],
    ['no record', 'absent', 0, { tlsRpt: empty.tlsRpt }],
    ['an invalid record', 'invalid', 0, { tlsRpt: { ...tlsRpt, ...invalid } }],
    ['no address', 'invalid', 0, { tlsRpt: { ...tlsRpt, rua: [] } }],
  ],
  'bimi/logo': [
    ['a failed lookup', 'unknown', null, { bimi: unknown.bimi }],
    ['a logo that could not be fetched', 'unknown', null, bimi({ state: 'unknown' })],
    ['a valid logo', 'valid', 1, bimi()],
    ['a valid logo in a faulty record', 'invalid-record', 1 / 2, bimi(invalid)],
    ['no record', 'absent', 0, { bimi: empty.bimi }],
    ['a record that declines BIMI', 'declined', 0, { bimi: { ...empty.bimi, record: 'v=BIMI1; l=; a=' } }],
    ['an invalid logo', 'invalid-logo', 0, bimi({ ...invalid, logoValid: false })],
  ],
  'dnssec/chain': [
    ['a failed lookup', 'unknown', null, { dnssec: unknown.dnssec }],
    ['a valid chain', 'valid', 1, { dnssec }],
    ['invalid signatures', 'broken', 0, { dnssec: { ...dnssec, valid: false } }],
    [
      'keys that do not match the DS record',
      'broken',
      0,
      { dnssec: { ...dnssec, state: 'fail', chainValid: false } },
    ],
    ['a DS record without keys', 'broken', 0, { dnssec: { ...empty.dnssec, state: 'fail' } }],
    [
      'signatures without a DS record',
      'no-chain',
      1 / 5,
      { dnssec: { ...dnssec, state: 'warning', chainValid: false } },
    ],
    ['a zone that is signed only with SHA-1', 'sha1', 1 / 5, { dnssec: sha1Zone }],
    ['a zone below one', 'sha1', 1 / 5, { dnssec: { ...sha1Zone, findings: [parentSha1] } }],
    ['one with another error', 'broken', 0, { dnssec: { ...sha1Zone, findings: [zoneSha1, noKey] } }],
    ['an unsigned zone', 'absent', 0, { dnssec: empty.dnssec }],
  ],
  'dane/tlsa': [
    ['a failed lookup', 'unknown', null, { mx: unknown.mx }],
    ['a failed TLSA lookup', 'unknown', null, mx({ daneSupported: null })],
    ['definitely no host', 'no-host', 0, { mx: nullMxResult() }],
    ['TLSA for every host', 'supported', 1, mx()],
    ['TLSA missing', 'absent', 0, mx({ daneSupported: false })],
  ],
};

const aspects = Object.entries(credit).flatMap(([component, list]) =>
  list.map((aspect) => ({ component: component as Component, aspect, path: `${component}/${aspect.name}` })),
);

describe.each(aspects)('the credit of $path', ({ component, aspect, path }) => {
  const usages = usageTypes.filter(
    (usage) => aspect.part[usage] !== undefined && component in weights[usage],
  );

  test.each(cases[path] ?? [])('%s: %s', (_title, row, fraction, changes) => {
    expect(usages).not.toEqual([]);
    for (const usage of usages) {
      const judgement = judge(component, { ...perfect, ...changes }, usage).find(
        (one) => one.aspect === aspect.name,
      );
      expect(judgement?.row).toBe(row);
      if (fraction === null) expect(judgement?.fraction).toBeNull();
      else expect(judgement?.fraction).toBeCloseTo(fraction, 10);
    }
  });

  test('has a case for every row of the table', () => {
    expect(new Set((cases[path] ?? []).map(([, row]) => row))).toEqual(
      new Set(aspect.rows.map(({ id }) => id)),
    );
  });

  test('refers to the reports before it mentions a stronger policy', () => {
    for (const { todo } of aspect.rows)
      if (/p=reject|p=quarantine|you can|-all/.test(todo ?? '') && path !== 'dmarc/reject')
        expect(todo).toMatch(/^(Publish|Replace) .*"v=spf1 -all"|reports.* show .*, you can /);
  });

  test('has a remedy exactly if points are missing', () => {
    for (const { fraction, todo } of aspect.rows)
      expect(todo === undefined).toBe(fraction === 1 || fraction === null);
  });
});

describe('a domain that does not exist', () => {
  test('has no score or grade, and says so, unless a record of its own proves that it exists', () => {
    for (const usage of usageTypes) {
      const score = computeScore(results, usage);
      expect(score).toMatchObject({ score: null, grade: null, label: 'Not checked', exists: false });
      expect(score.message).toMatch(/^This domain does not exist\. /);
    }
    const dkim = { ...empty.dkim, state: 'pass' } as CheckResults['dkim'];
    expect(computeScore({ ...results, dkim }, 'parked')).toMatchObject({
      score: expect.any(Number),
      exists: true,
    });
    // What is inherited proves nothing, and neither does a lookup that failed.
    expect(computeScore({ ...results, dmarc, spf: unknown.spf }, 'parked').exists).toBe(false);
  });

  const mx = {
    ...empty.mx,
    state: 'fail',
    findings: [raiser(mxRules)('mx-no-such-domain', { domain: 'x.org' })],
  };
  const results = { ...empty, mx } as CheckResults;
  const reasons = (usage: UsageType, of: CheckResults) =>
    (Object.keys(weights[usage]) as Component[]).map((component) => [
      component,
      ...new Set(judge(component, of, usage).map(({ fraction, reason }) => `${fraction} ${reason}`)),
    ]);

  test.each(usageTypes)('shows that as the reason for all missing points: %s', (usage) => {
    for (const [, ...reasonTexts] of reasons(usage, results))
      expect(reasonTexts).toEqual(['0 The domain does not exist.']);
  });

  test('keeps inherited credit, and failed lookups are not mentioned', () => {
    const inherited = { ...results, dmarc, dnssec: unknown.dnssec };
    const reasonTexts = Object.fromEntries(reasons('parked', inherited));
    expect(reasonTexts.dmarc).toMatch(/^1 /);
    expect(reasonTexts.dnssec).toMatch(/^null /);
  });
});

describe('the SPF record of a domain that sends no mail', () => {
  test.each([
    ['v=spf1 -all', 'fail-all'],
    ['v=spf1 a mx -all', 'fail-all'],
    ['v=spf1 include:nobody.example.net -all', 'fail-all'],
    ['v=spf1 redirect=nobody.example.net', 'fail-all'],
    ['v=spf1 -exists:%{i}.example.net -all', 'fail-all'],
    ['v=spf1 include:senders.example.net -all', 'authorizes-senders'],
    ['v=spf1 redirect=senders.example.net', 'authorizes-senders'],
    ['v=spf1 include:anyone.example.net -all', 'everyone'],
    ['v=spf1 exists:senders.example.net -all', 'everyone'],
    ['v=spf1 -exists:senders.example.net -all', 'fail-all'],
    ['v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all', 'everyone'],
    ['v=spf1 exists:%{i}.example.net -all', 'authorizes-senders'],
    ['v=spf1 ptr -all', 'authorizes-senders'],
    ['v=spf1 a:servfail.example.net -all', 'authorizes-senders'],
  ])('%s: %s', async (record, row) => {
    const dns = zone({
      'example.org': { TXT: [record] },
      'nobody.example.net': { TXT: ['v=spf1 -all'] },
      'senders.example.net': { A: ['127.0.0.2'], TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
      'anyone.example.net': { TXT: ['v=spf1 +all'] },
      'servfail.example.net': 'SERVFAIL',
    });
    const expansion = await expand('example.org', dns);
    const spf = spfResult(record, { allPolicy: expansion.allPolicy, ...parts(expansion) });
    expect(judge('spf', { ...perfect, spf }, 'parked')[0]?.row).toBe(row);
  });

  const parts = ({ mechanisms, includeTree, flattenedIps }: Expansion) => {
    return { mechanisms, includeTree, flattenedIps };
  };
});

describe('the DMARC policy of a sender, as the check finds it', () => {
  test.each([
    ['p=reject', 'example.org', 'reject', 1],
    ['p=reject; t=y', 'example.org', 'testing', 3 / 5],
    ['p=quarantine; t=y', 'example.org', 'testing', 1 / 5],
    ['p=reject; t=y; pct=0', 'example.org', 'testing', 3 / 5],
    ['p=reject; sp=none; np=none', 'example.org', 'weaker-subdomains', 0.84],
    ['p=reject; sp=none; np=none', 'there.example.org', 'none', 1 / 5],
    ['p=reject; sp=quarantine; np=none', 'there.example.org', 'weaker-subdomains', 0.52],
    ['p=reject; np=none', 'gone.example.org', 'none', 1 / 5],
  ] as const)('%s for %s: %s', async (tags, domain, row, fraction) => {
    const dns = zone({
      '_dmarc.example.org': { TXT: [`v=DMARC1; ${tags}; rua=mailto:dmarc@example.org`] },
      'there.example.org': { A: ['192.0.2.1'] },
    });
    const dmarc = await inspectDmarc(domain, { dns });
    const [, policy] = judge('dmarc', { ...perfect, dmarc }, 'sends-and-receives');
    expect(policy).toMatchObject({ row, fraction: expect.closeTo(fraction, 10) });
  });
});

describe('the table of weights', () => {
  test.each<[UsageType, number]>([
    ['sends-and-receives', 100],
    ['receives-only', 100],
    ['sends-only', 100],
    ['parked', 60],
  ])('has %s weights that add up to %i points', (usage, total) => {
    expect(Object.values(weights[usage]).reduce((sum, weight) => sum + weight, 0)).toBe(total);
  });

  test.each(usageTypes)('has aspects that add up to their component for %s domains', (usage) => {
    for (const component of Object.keys(weights[usage]) as Component[]) {
      const parts = credit[component].map(({ part }) => part[usage] ?? 0);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 10);
    }
  });
});
