/** The rules of the DNSSEC check about how a zone is signed. */
import { type Rules, rule } from './finding.ts';

/** What is wrong with what one name server serves, in words. */
const served = {
  'signature-expired': 'expired signatures',
  'signature-not-yet-valid': 'signatures that are not valid yet',
  'signature-invalid': 'signatures that do not match its records',
  'key-missing': 'signatures by a key that the zone does not have',
  'set-unsigned': 'no signatures',
} as const;

export type ServedProblem = keyof typeof served;

export const servedProblems = Object.keys(served) as readonly ServedProblem[];

export const dnssecSigningRules = {
  'dnssec-server-bogus': rule<{ server: string; zone: string; problem: ServedProblem }>({
    severity: 'warning',
    says: ({ server, zone, problem }) =>
      `The name server ${server} serves ${zone} with ${served[problem]}, while others have valid ones: lookups of validating resolvers that reach it take longer or fail.`,
    cites: 'RFC 4035 section 5.3.1',
    fix: ({ server }) =>
      `Have ${server} serve the current version of the zone with its signatures: check the zone transfers to it, or the zone at the second DNS provider.`,
    subject: 'server',
  }),
  'dnssec-key-short': rule<{ keyTag: number; bits: number }>({
    severity: 'notice',
    says: ({ keyTag, bits }) =>
      `The RSA key with key tag ${keyTag} has ${bits} bits. Keys of 1024 bits were considered safe until about 2022; validators still accept them.`,
    cites: 'RFC 6781 section 3.4.2',
    fix: 'Roll the zone over to algorithm 13 (ECDSA P-256), or to an RSA key of 2048 bits.',
    subject: 'keyTag',
  }),
  'dnssec-algorithm-incomplete': rule<{ zone: string; algorithm: number }>({
    severity: 'warning',
    says: ({ zone, algorithm }) =>
      `${zone} has a DS record and a key of algorithm ${algorithm}, but it is not signed by that algorithm. Some validators require a signature of each algorithm, and treat all names of the zone as bogus.`,
    cites: 'RFC 4035 section 2.2',
    fix: 'Sign the zone by all algorithms of its DS records, or ask the registrar to remove the DS record of this one.',
    subject: 'algorithm',
  }),
  'dnssec-nsec3-parameters': rule<{ zone: string; iterations: number; saltBytes: number }>({
    severity: 'notice',
    says: ({ zone, iterations, saltBytes }) =>
      `The NSEC3 records of ${zone} have ${iterations} additional iterations and a salt of ${saltBytes} bytes. Neither makes names harder to guess, and validators accept fewer iterations with each release: they then treat proofs that a name does not exist as unsigned.`,
    cites: 'RFC 9276 section 3.1',
    fix: 'Sign the zone with NSEC, or with NSEC3, no iterations and an empty salt.',
  }),
} satisfies Rules;
