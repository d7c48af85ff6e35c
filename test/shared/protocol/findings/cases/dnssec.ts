import { inspectDnssec } from '../../../../../shared/checks/dnssec/inspect.ts';
import type { RecordSet } from '../../../../../shared/protocol/dns.ts';
import { createValidator } from '../../../../../shared/protocol/dnssec/chain.ts';
import { createEffort, type Effort } from '../../../../../shared/protocol/dnssec/effort.ts';
import { dnssecRules } from '../../../../../shared/protocol/findings/dnssec.ts';
import type { DenialOptions } from '../../dnssec/signed-denials.ts';
import {
  anchorOf,
  clock,
  delegation,
  makeKey,
  now,
  rdata,
  signed,
  type TestKey,
  unsigned,
  world,
  zoneSets,
} from '../../dnssec/signed-world.ts';
import { examplesOf, networkOf } from './example.ts';

const DAY = 86_400;
const seconds = now.getTime() / 1000;
const [root, org, example] = [makeKey(''), makeKey('org'), makeKey('example.org')];
const sha1Key = makeKey('example.org', 7);
const sha1Org = makeKey('org', 5);
const text = { name: 'example.org', type: 'TXT', rdata: [rdata.TXT('v=spf1 -all')] };

/** A DMARC record that comes from a wildcard. */
const expanded: RecordSet = {
  ...signed({ ...text, name: '*.example.org' }, example),
  name: '_dmarc.example.org',
};

/** The signed hierarchy of example.org, org and the root; the given sets replace or extend its sets. */
interface Input {
  readonly sets?: readonly RecordSet[];
  /** Sets to remove, such as `example.org DS`. */
  readonly without?: readonly string[];
  readonly unavailable?: string;
  readonly domain?: string;
  readonly denials?: DenialOptions;
  readonly effort?: Effort;
}

/** The TXT set, signed with these changes. */
const signedLike = (changes: Parameters<typeof signed>[2]): Input => ({
  sets: [signed(text, example, changes)],
});
const delegatedBy = (...records: readonly Uint8Array[]): Input => ({
  sets: [signed({ name: 'example.org', type: 'DS', rdata: records }, org)],
});
const unsignedZone = { without: ['example.org DS', 'example.org DNSKEY'], sets: bare(example) };

function inspect({ sets = [], without = [], unavailable, domain = 'example.org', ...options }: Input) {
  const signedSets = [root, org, example].flatMap(zoneSets);
  const all = [...signedSets, delegation(org, root), delegation(example, org), ...sets];
  const dns = world(
    all.filter(({ name, type }) => !without.includes(`${name} ${type}`)),
    unavailable === undefined ? {} : { [unavailable]: 'server-failure' },
    options.denials,
  );
  const validator = createValidator({
    dns,
    anchors: [anchorOf(root)],
    clock,
    effort: options.effort ?? createEffort(),
  });
  return inspectDnssec(domain, networkOf({ dns, clock }), validator);
}

export const dnssecExamples = examplesOf<Input>('dnssec', dnssecRules, inspect, {
  'dnssec-not-signed': [unsignedZone, { without: ['example.org DS'] }],
  'dnssec-no-such-name': [{ domain: 'example.com' }, { domain: 'example.org' }],
  'dnssec-no-ds': [{ without: ['example.org DS'] }, unsignedZone],
  'dnssec-parent-not-signed': [
    { without: ['org DS', 'org DNSKEY', 'example.org DS'], sets: bare(org) },
    { without: ['example.org DS'] },
  ],
  'dnssec-ds-without-key': [{ without: ['example.org DNSKEY'], sets: bare(example) }, unsignedZone],
  'dnssec-ds-mismatch': [
    delegatedBy(rdata.DS(makeKey('example.org'))),
    delegatedBy(rdata.DS(makeKey('example.org')), rdata.DS(example)),
  ],
  'dnssec-ds-stale': [
    delegatedBy(rdata.DS(makeKey('example.org')), rdata.DS(example)),
    // An unknown digest type, which may be right.
    delegatedBy(rdata.DS(example, 3), rdata.DS(example)),
  ],
  'dnssec-ds-sha1': [
    delegatedBy(rdata.DS(example, 1)),
    delegatedBy(rdata.DS(example, 1), rdata.DS(example, 2)),
  ],
  'dnssec-algorithm-sha1': [
    { sets: [...zoneSets(sha1Key), delegation(sha1Key, org)] },
    { sets: keysAre([example, sha1Key]) },
  ],
  'dnssec-parent-sha1': [
    { sets: [...zoneSets(sha1Org), delegation(sha1Org, root), delegation(example, sha1Org)] },
    { sets: [...zoneSets(sha1Key), delegation(sha1Key, org)] },
  ],
  'dnssec-algorithm-unsupported': [
    delegatedBy(rdata.DS(example, 2, 200)),
    delegatedBy(rdata.DS(example, 2, 200), rdata.DS(example)),
  ],
  'dnssec-set-unsigned': [{ sets: [unsigned(text)] }, { without: ['example.org TXT'] }],
  'dnssec-signature-expired': [
    signedLike({ expiration: seconds - 1 }),
    { sets: [signed(signed(text, example, { expiration: seconds - 1 }), example)] },
  ],
  'dnssec-signature-not-yet-valid': [
    signedLike({ inception: seconds + 1 }),
    signedLike({ inception: seconds }),
  ],
  'dnssec-signature-invalid': [
    { sets: [{ ...signed(text, example), rdata: [rdata.TXT('v=spf1 +all')] }] },
    { sets: [signed({ ...text, rdata: [rdata.TXT('v=spf1 +all')] }, example)] },
  ],
  'dnssec-key-missing': [
    { sets: [signed(text, makeKey('example.org'))] },
    { sets: [signed(signed(text, makeKey('example.org')), example)] },
  ],
  'dnssec-denial-broken': [
    { denials: { change: (sets, name) => (name === '_mta-sts.example.org' ? [] : sets) } },
    {},
  ],
  'dnssec-expansion-unproven': [
    { sets: [expanded], denials: { change: (sets, name) => (name === expanded.name ? [] : sets) } },
    { sets: [expanded] },
  ],
  'dnssec-nsec3-iterations': [
    { denials: { nsec3: { 'example.org': { iterations: 101 } } } },
    { denials: { nsec3: { 'example.org': { iterations: 100 } } } },
  ],
  'dnssec-budget-spent': [
    { effort: createEffort({ verifications: 9, hashes: 0 }) },
    { effort: createEffort({ verifications: 30, hashes: 0 }) },
  ],
  'dnssec-too-costly': [{ sets: [invalidTimes(8)] }, { sets: [invalidTimes(7)] }],
  'dnssec-signature-expires-soon': [
    signedLike({ inception: seconds - 11 * DAY, expiration: seconds + 3 * DAY - 1 }),
    signedLike({ inception: seconds - 11 * DAY, expiration: seconds + 3 * DAY }),
  ],
  'dnssec-unavailable': [{ unavailable: 'example.org TXT' }, { without: ['example.org TXT'] }],
  'dnssec-chain-unavailable': [{ without: [' DNSKEY'] }, { unavailable: 'example.org DNSKEY' }],
});

/** The sets of a zone without signatures. */
function bare(key: TestKey): RecordSet[] {
  return zoneSets(key).map((set) => ({ ...set, signatures: [] }));
}

function keysAre(keys: readonly TestKey[]): RecordSet[] {
  return [signed({ name: 'example.org', type: 'DNSKEY', rdata: keys.map((key) => key.rdata) }, example)];
}

/** The TXT set with so many invalid signatures before a valid one. */
function invalidTimes(count: number): RecordSet {
  const set = signed(text, example);
  const invalid = Array.from({ length: count }, () =>
    set.signatures.map((it) => ({ ...it, signature: Buffer.alloc(64, 1) })),
  );
  return { ...set, signatures: [...invalid.flat(), ...set.signatures] };
}
