/** The rules of the DNSSEC check. */

import type { DenialProblem, Reason } from '../dnssec/reasons.ts';
import { timeInWords } from '../time.ts';
import { type Finding, type Rules, raiser, rule } from './finding.ts';

interface SetArguments {
  /** The record set, such as `example.org MX`. */
  readonly set: string;
}

/** What senders and receivers with a validating resolver do about a record set that is bogus (RFC 4035 section 5.5). */
const BOGUS_MX = 'senders with a validating resolver defer mail to the domain, and bounce it later';
const BOGUS_POLICY =
  'receivers with a validating resolver get a temporary error for it, and defer mail from the domain or deliver it without protection from forgery';
const BOGUS_ZONE = `${BOGUS_MX}; receivers with one defer mail from the domain, or deliver it without protection from forgery`;
/** What they do about a zone that counts as unsigned. */
const UNSIGNED =
  'senders with DANE deliver without its protection, and receivers use the records as they are, forged or not';

function effectOf(set: string): string {
  if (set.endsWith(' MX')) return BOGUS_MX;
  return set.endsWith(' TXT') ? BOGUS_POLICY : BOGUS_ZONE;
}

/** Why a proof of absence fails, in words. */
const denialProblems: Readonly<Record<DenialProblem, string>> = {
  unsigned: 'the response has no signed NSEC or NSEC3 record',
  expired: 'the signature (RRSIG) of its NSEC, NSEC3 or SOA record expired',
  invalid: 'the signature (RRSIG) of its NSEC, NSEC3 or SOA record is not valid',
  'too-costly': 'its NSEC, NSEC3 or SOA record has more signatures than validators accept',
  unproven: 'its NSEC or NSEC3 records do not cover the name and type',
};

export const dnssecRules = {
  'dnssec-not-signed': rule<{ zone: string }>({
    severity: 'notice',
    state: 'absent',
    says: ({ zone }) =>
      `${zone} is not signed with DNSSEC, so an attacker can forge its mail records in transit: ${UNSIGNED}.`,
    cites: 'RFC 9364 section 1.1',
    fix: 'Enable DNSSEC signing at your DNS provider. Then, at your registrar, add the DS record that the provider shows.',
  }),
  'dnssec-no-such-name': rule<{ domain: string }>({
    severity: 'notice',
    state: 'absent',
    says: ({ domain }) => `${domain} does not exist in DNS (NXDOMAIN), so there is nothing to sign.`,
    cites: 'RFC 8020 section 2',
    fix: 'Check the spelling of the domain, and make sure that its registration has not lapsed.',
  }),
  'dnssec-no-ds': rule<{ zone: string }>({
    severity: 'warning',
    says: ({ zone }) =>
      `${zone} is signed, but the parent zone has no DS record for it, so resolvers cannot validate the signatures: ${UNSIGNED}.`,
    cites: 'RFC 4033 section 2',
    fix: 'At your registrar, add the DS record that your DNS provider shows.',
  }),
  'dnssec-parent-not-signed': rule<{ zone: string; parent: string }>({
    severity: 'warning',
    says: ({ zone, parent }) =>
      `${zone} is signed, but there is no chain of trust to it, because ${parent} has no DS record: ${UNSIGNED}.`,
    cites: 'RFC 4035 section 4.3',
    fix: 'Ask the operator of the parent zone to sign it and to have its DS record published.',
    subject: 'parent',
  }),
  'dnssec-ds-without-key': rule<{ zone: string }>({
    severity: 'error',
    says: ({ zone }) =>
      `The parent zone has a DS record for ${zone}, but the zone has no DNSKEY record, so all its names are bogus: ${BOGUS_ZONE}.`,
    cites: 'RFC 4035 section 5',
    fix: 'Sign the zone again, or ask the registrar to remove the DS records until it is signed.',
  }),
  'dnssec-ds-mismatch': rule<{ zone: string }>({
    severity: 'error',
    says: ({ zone }) =>
      `No DS record of ${zone} matches a DNSKEY in the zone, so all its names are bogus: ${BOGUS_ZONE}.`,
    cites: 'RFC 4035 section 5.2',
    fix: 'At the registrar, replace the DS records with those of the key that currently signs the zone.',
  }),
  'dnssec-ds-stale': rule<{ keyTag: number }>({
    severity: 'warning',
    says: ({ keyTag }) =>
      `The DS record with key tag ${keyTag} does not match any DNSKEY in the zone. Mail is delivered as long as another one does.`,
    cites: 'RFC 4035 section 2.4',
    fix: 'At the registrar, remove this DS record, unless you are about to roll over to its key.',
    subject: 'keyTag',
  }),
  'dnssec-ds-sha1': rule({
    severity: 'notice',
    says: () =>
      'All DS records use SHA-1 digests. Resolvers still validate them and mail is delivered, but SHA-1 must not be used for delegations anymore.',
    cites: 'RFC 9904 section 4',
    fix: 'At the registrar, add a DS record with digest type 2 (SHA-256).',
  }),
  'dnssec-algorithm-sha1': rule<{ algorithm: number }>({
    severity: 'error',
    says: ({ algorithm }) =>
      `The zone is signed only with algorithm ${algorithm}, which uses SHA-1, so resolvers must treat the zone as unsigned: ${UNSIGNED}.`,
    cites: 'RFC 9905 section 2',
    fix: 'Roll the zone over to algorithm 13 (ECDSA P-256).',
  }),
  'dnssec-parent-sha1': rule<{ zone: string; parent: string }>({
    severity: 'warning',
    says: ({ zone, parent }) =>
      `The chain of trust to ${zone} leads through ${parent}, which is signed only with SHA-1 algorithms, so resolvers must treat ${zone} as unsigned: ${UNSIGNED}.`,
    cites: 'RFC 9905 section 2',
    fix: ({ parent }) => `Ask the operator of ${parent} to roll it over to algorithm 13 (ECDSA P-256).`,
    subject: 'parent',
  }),
  'dnssec-algorithm-unsupported': rule<{ zone: string }>({
    severity: 'warning',
    says: ({ zone }) =>
      `The DS records of ${zone} use only algorithms that validators do not support, so the zone counts as unsigned: ${UNSIGNED}.`,
    cites: 'RFC 4035 section 5.2',
    fix: 'Roll the zone over to algorithm 13 (ECDSA P-256) and a DS record with digest type 2 (SHA-256).',
  }),
  'dnssec-set-unsigned': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) =>
      `The record set ${set} has no signature (RRSIG) although the zone is signed, so it is bogus: ${effectOf(set)}.`,
    cites: 'RFC 4035 section 2.2',
    fix: 'Sign the zone again, and make sure that all its name servers serve the signed version.',
    subject: 'set',
  }),
  'dnssec-signature-expired': rule<SetArguments & { at: string }>({
    severity: 'error',
    says: ({ set, at }) =>
      `The signature (RRSIG) of ${set} expired on ${timeInWords(at)}, so the records are bogus: ${effectOf(set)}.`,
    cites: 'RFC 4035 section 5.3.1',
    fix: 'Sign the zone again, and find out why it was not re-signed in time.',
    subject: 'set',
  }),
  'dnssec-signature-not-yet-valid': rule<SetArguments & { at: string }>({
    severity: 'error',
    says: ({ set, at }) =>
      `The signature (RRSIG) of ${set} is not valid before ${timeInWords(at)}, so the records are bogus: ${effectOf(set)}.`,
    cites: 'RFC 4035 section 5.3.1',
    fix: 'Correct the clock of the signing server, then sign the zone again.',
    subject: 'set',
  }),
  'dnssec-signature-invalid': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) =>
      `The signature (RRSIG) of ${set} does not match the records, so they are bogus: ${effectOf(set)}.`,
    cites: 'RFC 4035 section 5.3.3',
    fix: 'Sign the zone again. Do not change records after signing.',
    subject: 'set',
  }),
  'dnssec-key-missing': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) =>
      `The signature (RRSIG) of ${set} was made with a key that is not a trusted DNSKEY of the zone, so the records are bogus: ${effectOf(set)}.`,
    cites: 'RFC 4035 section 5.3.1',
    fix: 'Publish the key that signs the zone, or sign the zone again with the published key.',
    subject: 'set',
  }),
  'dnssec-denial-broken': rule<SetArguments & { problem: DenialProblem }>({
    severity: 'error',
    says: ({ set, problem }) =>
      `${set} does not exist, but the proof of that is broken: ${denialProblems[problem]}. Validating resolvers answer SERVFAIL instead, so receivers treat the lookup as failed, and senders that use DANE defer mail.`,
    cites: 'RFC 4035 section 5.4',
    fix: 'Sign the zone again, and make sure that all its name servers serve the NSEC or NSEC3 records of the signed version.',
    subject: 'set',
  }),
  'dnssec-expansion-unproven': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) =>
      `The records of ${set} come from a wildcard, but no NSEC or NSEC3 record proves that the name itself does not exist, so validating resolvers reject them.`,
    cites: 'RFC 4035 section 5.3.4',
    fix: 'Sign the zone again, and make sure that all its name servers serve the NSEC or NSEC3 records of the signed version.',
    subject: 'set',
  }),
  'dnssec-nsec3-iterations': rule<{ zone: string; iterations: number }>({
    severity: 'warning',
    says: ({ zone, iterations }) =>
      `The NSEC3 records of ${zone} have ${iterations} iterations. Above 100, validating resolvers treat proofs that a name does not exist as unsigned, or reject them.`,
    cites: 'RFC 9276 section 3.2',
    fix: 'Sign the zone with NSEC, or with NSEC3, no iterations and an empty salt.',
    subject: 'zone',
  }),
  'dnssec-budget-spent': rule<SetArguments>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ set }) =>
      `Validating the records of the domain, of its mail hosts and of their zones is too costly. It was stopped at ${set}, so DNSSEC could not be evaluated. Validating resolvers stop, too, and then reject the records.`,
    cites: 'RFC 4035 section 5.3.3',
    fix: 'Remove keys and signatures that are no longer in use, and chains of aliases.',
  }),
  'dnssec-too-costly': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) =>
      `${set} has so many signatures, or so many keys with the same key tag, that validators give up and treat it as bogus: ${effectOf(set)}.`,
    cites: 'RFC 4035 section 5.3.3',
    fix: 'Remove keys and signatures that are no longer in use.',
    subject: 'set',
  }),
  'dnssec-signature-expires-soon': rule<SetArguments & { at: string }>({
    severity: 'warning',
    says: ({ set, at }) =>
      `The signature (RRSIG) of ${set} expires on ${timeInWords(at)} and has not been renewed. From then on, it is bogus: ${effectOf(set)}.`,
    cites: 'RFC 6781 section 4.4.2',
    fix: 'Make sure that automatic re-signing renews signatures days before they expire.',
    subject: 'set',
  }),
  'dnssec-unavailable': rule<SetArguments & { reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ set, reason }) =>
      `The DNS lookup for ${set} failed (${reason}), so DNSSEC could not be evaluated. Senders and receivers whose lookups fail too defer mail.`,
    cites: 'RFC 4035 section 4.3',
    fix: 'Try again. If it keeps failing, check the authoritative name servers for the zone.',
    subject: 'set',
  }),
  'dnssec-chain-unavailable': rule<{ zone: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ zone }) =>
      `The resolver returned no usable DNSSEC records for ${zone}, where the chain of trust starts, so DNSSEC could not be evaluated. This says nothing about what senders and receivers do.`,
    cites: 'RFC 4035 section 4.3',
    fix: 'No action needed for the domain. The operator of this service can configure a resolver that supports DNSSEC, and check the trust anchors (DNSSEC_TRUST_ANCHORS).',
  }),
} satisfies Rules;

const raise = raiser(dnssecRules);

/**
 * The finding for a reason why the chain of trust fails. `ds-absent` and `opt-out` alone are no findings: a zone may be
 * unsigned on purpose. The finding for `algorithm-deprecated` depends on the domain.
 */
export function dnssecFinding(
  reason: Exclude<Reason, { code: 'ds-absent' | 'opt-out' | 'algorithm-deprecated' }>,
): Finding {
  switch (reason.code) {
    case 'signature-expired':
      return raise('dnssec-signature-expired', { set: setName(reason), at: reason.at });
    case 'signature-not-yet-valid':
      return raise('dnssec-signature-not-yet-valid', { set: setName(reason), at: reason.at });
    case 'signature-invalid':
      return raise('dnssec-signature-invalid', { set: setName(reason) });
    case 'key-missing':
      return raise('dnssec-key-missing', { set: setName(reason) });
    case 'set-unsigned':
      return raise('dnssec-set-unsigned', { set: setName(reason) });
    case 'too-costly':
      return raise('dnssec-too-costly', { set: setName(reason) });
    case 'denial-broken':
      return raise('dnssec-denial-broken', { set: setName(reason), problem: reason.problem });
    case 'expansion-unproven':
      return raise('dnssec-expansion-unproven', { set: setName(reason) });
    case 'nsec3-iterations':
      return raise('dnssec-nsec3-iterations', { zone: nameOf(reason.zone), iterations: reason.iterations });
    case 'budget-spent':
      return raise('dnssec-budget-spent', { set: setName(reason) });
    case 'dnskey-absent':
      return raise('dnssec-ds-without-key', { zone: reason.zone });
    case 'ds-mismatch':
      return raise('dnssec-ds-mismatch', { zone: reason.zone });
    case 'algorithm-unsupported':
      return raise('dnssec-algorithm-unsupported', { zone: reason.zone });
    case 'unavailable':
      return raise('dnssec-unavailable', { set: setName(reason), reason: reason.reason });
    case 'stripped':
    case 'anchor-failed':
      return raise('dnssec-chain-unavailable', { zone: nameOf(reason.zone) });
    case 'no-trust-anchor':
    case 'too-deep':
    case 'not-asked':
      return raise('dnssec-chain-unavailable', { zone: nameOf(reason.name) });
  }
}

function setName({ name, type }: { readonly name: string; readonly type: string }): string {
  return `${nameOf(name)} ${type}`;
}

function nameOf(name: string): string {
  return name === '' ? 'the root zone' : name;
}
