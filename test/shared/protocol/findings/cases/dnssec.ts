import { inspectDnssec } from '../../../../../shared/checks/dnssec.ts';
import type { RecordSet } from '../../../../../shared/protocol/dns.ts';
import { createValidator } from '../../../../../shared/protocol/dnssec/chain.ts';
import { dnssecRules } from '../../../../../shared/protocol/findings/dnssec.ts';
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

/** The signed hierarchy of example.org, org and the root; the given sets replace or extend its sets. */
interface Input {
  readonly sets?: readonly RecordSet[];
  /** Sets to remove, such as `example.org DS`. */
  readonly without?: readonly string[];
  readonly unavailable?: string;
  readonly domain?: string;
}

/** The TXT set, signed with these changes. */
const signedLike = (changes: Parameters<typeof signed>[2]): Input => ({
  sets: [signed(text, example, changes)],
});
const delegatedBy = (...records: readonly Uint8Array[]): Input => ({
  sets: [signed({ name: 'example.org', type: 'DS', rdata: records }, org)],
});
const unsignedZone = { without: ['example.org DS', 'example.org DNSKEY'], sets: bare(example) };

function inspect({ sets = [], without = [], unavailable, domain = 'example.org' }: Input) {
  const signedSets = [root, org, example].flatMap(zoneSets);
  const all = [...signedSets, delegation(org, root), delegation(example, org), ...sets];
  const dns = world(
    all.filter(({ name, type }) => !without.includes(`${name} ${type}`)),
    unavailable === undefined ? {} : { [unavailable]: 'server-failure' },
  );
  const validator = createValidator({ dns, anchors: [anchorOf(root)], clock });
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
  'dnssec-too-costly': [{ sets: [signedTimes(9)] }, { sets: [signedTimes(8)] }],
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

function signedTimes(count: number): RecordSet {
  let set = unsigned(text);
  for (let left = count; left > 0; left -= 1) set = signed(set, example);
  return set;
}
