/** Where other programs decide otherwise than the product about DNSSEC and DANE, and why. `npm run docs` prints the table. */

export interface Difference {
  readonly judge: 'Unbound 1.17' | 'delv 9.18' | 'OpenSSL';
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
  readonly why: string;
  /** What the judge says, by case: letters of verdicts, or for OpenSSL, only that it is another one. */
  readonly cases: Readonly<Record<string, string>>;
}

const sameNameRoots = [
  ...['2 0 1 root', '2 0 2 root', '2 1 0 root', '2 1 1 root', '2 1 2 root', '3 1 1 stranger, 2 1 1 root'],
].map((records) => `after a CA of the same name: ${records}`);
const otherwise = (cases: readonly string[]) => Object.fromEntries(cases.map((it) => [it, 'otherwise']));

export const differences: readonly Difference[] = [
  {
    judge: 'Unbound 1.17',
    what: 'An unsigned SOA record in an answer behind an alias, in a zone with opt-out',
    ours: 'bogus',
    theirs: 'insecure',
    why: 'The authority section of a signed zone has signatures (RFC 4035 section 3.1.1); without an alias, Unbound says so, too.',
    cases: { 'NSEC3 with opt-out: SOA without signature': 'BBBBBIBIII' },
  },
  {
    judge: 'Unbound 1.17',
    what: 'NSEC or NSEC3 records that are expanded from a wildcard',
    ours: 'bogus',
    theirs: 'secure or insecure',
    why: 'These sets are never expanded (RFC 4035 sections 2.3 and 5.3.4; compare CVE-2017-15105).',
    cases: {
      'NSEC: labels of a wildcard': 'SSSBSSBBII',
      'NSEC3: labels of a wildcard': 'SSSSSSSSII',
      'NSEC3 with opt-out: labels of a wildcard': 'SISSIIIIII',
    },
  },
  {
    judge: 'delv 9.18',
    what: 'A proof beside an unsigned SOA record',
    ours: 'bogus',
    theirs: 'secure',
    why: 'RFC 4035 section 3.1.1 as above. BIND validates only the proof; receivers with Unbound reject the answer.',
    cases: {
      'NSEC: SOA without signature': 'SSSS',
      'NSEC3: SOA without signature': 'SSSS',
      'NSEC3 with opt-out: SOA without signature': 'SSSI',
    },
  },
  {
    judge: 'delv 9.18',
    what: 'A stray signature of another signer beside the valid one of an NSEC record',
    ours: 'secure',
    theirs: 'bogus',
    why: 'One valid signature is sufficient (RFC 6840 section 5.4).',
    cases: { 'NSEC: a stray signature beside the valid one': 'BBBS' },
  },
  {
    judge: 'delv 9.18',
    what: '101 iterations of NSEC3',
    ours: 'insecure',
    theirs: 'secure',
    why: 'Validators may choose their limit (RFC 9276 section 3.2). Ours is the one of RFC 9276 appendix A and of Unbound; that of BIND 9.18 is 150.',
    cases: { 'NSEC3: 101 iterations': 'SSSS' },
  },
  {
    judge: 'delv 9.18',
    what: 'NSEC3 records with an unknown flag',
    ours: 'bogus',
    theirs: 'secure',
    why: 'Validators ignore these records (RFC 5155 section 8.2).',
    cases: { 'NSEC3: an unknown flag': 'SSSS' },
  },
  {
    judge: 'delv 9.18',
    what: 'A wildcard whose proof has an unknown hash algorithm',
    ours: 'bogus',
    theirs: 'insecure',
    why: 'Answers that have only such records are bogus (RFC 5155 section 8.1).',
    cases: { 'NSEC3: an unknown hash': 'BBBI' },
  },
  {
    judge: 'delv 9.18',
    what: 'A name that does not exist in a zone with opt-out',
    ours: 'insecure',
    theirs: 'secure',
    why: 'Such an answer has no AD bit (RFC 5155 section 9.2). delv prints the trust in its records, which have valid signatures.',
    cases: {
      'NSEC3 with opt-out: none': 'SSSI',
      'NSEC3 with opt-out: a stray signature beside the valid one': 'SSSI',
    },
  },
  {
    judge: 'OpenSSL',
    what: 'A chain after a CA of the same name whose certificates have no key identifiers',
    ours: 'DANE',
    theirs: 'no match',
    why: 'RFC 5280 section 4.2.1.1 requires the identifiers. OpenSSL follows the first issuer of that name; other senders try both.',
    cases: otherwise(sameNameRoots),
  },
  {
    judge: 'OpenSSL',
    what: 'An expired intermediate that a TLSA record names as the authority',
    ours: 'no match',
    theirs: 'DANE',
    why: 'Dates count for each certificate (RFC 5280 section 6.1.3). OpenSSL leaves out those of an anchor that is not self-signed.',
    cases: otherwise([
      'intermediate expired: 2 1 1 intermediate',
      'intermediate expired: 2 1 0 intermediate',
    ]),
  },
];

/** The verdicts of a judge that differ from ours, by case. */
export function differencesOf(judge: Difference['judge']): Readonly<Record<string, string>> {
  return Object.assign({}, ...differences.filter((it) => it.judge === judge).map(({ cases }) => cases));
}
