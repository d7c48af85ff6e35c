/** The rules of the DNSSEC check. */
import type { Reason } from '../dnssec/reasons.ts';
import { type Finding, type Rules, raiser, rule } from './finding.ts';

interface SetArguments {
  readonly [name: string]: string;
  /** The record set, as `example.org MX`. */
  readonly set: string;
}

export const dnssecRules = {
  'dnssec-not-signed': rule<{ zone: string }>({
    severity: 'notice',
    says: ({ zone }) => `${zone} is not signed with DNSSEC, so its mail records can be forged on their way.`,
    cites: 'RFC 9364 section 1.1',
    fix: 'Turn DNSSEC signing on at your DNS provider, then enter the DS record it shows at your registrar.',
  }),
  'dnssec-no-such-name': rule<{ domain: string }>({
    severity: 'notice',
    says: ({ domain }) => `${domain} does not exist in the DNS, so there is nothing to sign.`,
    cites: 'RFC 8020 section 2',
    fix: 'Check the spelling of the domain, and that its registration has not lapsed.',
  }),
  'dnssec-no-ds': rule<{ zone: string }>({
    severity: 'warning',
    says: ({ zone }) =>
      `${zone} is signed, but its parent zone has no DS record, so nobody can rely on the signatures.`,
    cites: 'RFC 4033 section 2',
    fix: 'Enter the DS record that your DNS provider shows at your registrar.',
  }),
  'dnssec-parent-not-signed': rule<{ zone: string; parent: string }>({
    severity: 'warning',
    says: ({ zone, parent }) =>
      `${zone} is signed, but no chain of trust reaches it: ${parent} has no DS record.`,
    cites: 'RFC 4035 section 4.3',
    fix: 'Ask the operator of the parent zone to have it signed and delegated with a DS record.',
    subject: 'parent',
  }),
  'dnssec-ds-without-key': rule<{ zone: string }>({
    severity: 'error',
    says: ({ zone }) =>
      `The parent zone says that ${zone} is signed, but it has no DNSKEY: validating resolvers refuse all its names.`,
    cites: 'RFC 4035 section 5',
    fix: 'Sign the zone again, or have the registrar remove the DS records until it is signed.',
  }),
  'dnssec-ds-mismatch': rule<{ zone: string }>({
    severity: 'error',
    says: ({ zone }) =>
      `No DS record of ${zone} stands for a key in the zone: validating resolvers refuse all its names.`,
    cites: 'RFC 4035 section 5.2',
    fix: 'Replace the DS records at the registrar by those of the key that signs the zone now.',
  }),
  'dnssec-ds-stale': rule<{ keyTag: number }>({
    severity: 'warning',
    says: ({ keyTag }) => `The DS record with key tag ${keyTag} stands for no key in the zone.`,
    cites: 'RFC 4035 section 2.4',
    fix: 'Remove this DS record at the registrar, unless its key is about to be rolled in.',
    subject: 'keyTag',
  }),
  'dnssec-ds-sha1': rule({
    severity: 'warning',
    says: () => 'All DS records use SHA-1 digests, which resolvers may stop accepting.',
    cites: 'RFC 8624 section 3.3',
    fix: 'Enter a DS record with digest type 2 (SHA-256) at the registrar.',
  }),
  'dnssec-algorithm-sha1': rule<{ algorithm: number }>({
    severity: 'warning',
    says: ({ algorithm }) =>
      `The zone is signed with algorithm ${algorithm}, which uses SHA-1; some resolvers treat it as not signed.`,
    cites: 'RFC 9905 section 2',
    fix: 'Roll the zone over to algorithm 13 (ECDSA P-256).',
  }),
  'dnssec-algorithm-unsupported': rule<{ zone: string }>({
    severity: 'warning',
    says: ({ zone }) =>
      `The DS records of ${zone} use only algorithms that validators do not know: it counts as unsigned.`,
    cites: 'RFC 4035 section 5.2',
    fix: 'Roll the zone over to algorithm 13 (ECDSA P-256) and a DS record with digest type 2.',
  }),
  'dnssec-set-unsigned': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) => `${set} carries no signature although the zone is signed.`,
    cites: 'RFC 4035 section 2.2',
    fix: 'Sign the zone again, and check that all its name servers serve the signed version.',
    subject: 'set',
  }),
  'dnssec-signature-expired': rule<SetArguments & { at: string }>({
    severity: 'error',
    says: ({ set, at }) => `The signature of ${set} expired on ${at}.`,
    cites: 'RFC 4035 section 5.3.1',
    fix: 'Sign the zone again, and find out why it was not signed on time.',
    subject: 'set',
  }),
  'dnssec-signature-not-yet-valid': rule<SetArguments & { at: string }>({
    severity: 'error',
    says: ({ set, at }) => `The signature of ${set} is not valid before ${at}.`,
    cites: 'RFC 4035 section 5.3.1',
    fix: 'Set the clock of the signing server right and sign the zone again.',
    subject: 'set',
  }),
  'dnssec-signature-invalid': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) => `The signature of ${set} does not fit the records: validating resolvers refuse them.`,
    cites: 'RFC 4035 section 5.3.3',
    fix: 'Sign the zone again; records must not be changed after signing.',
    subject: 'set',
  }),
  'dnssec-key-missing': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) => `${set} is signed with a key that is not a trusted key of the zone.`,
    cites: 'RFC 4035 section 5.3.1',
    fix: 'Publish the key that signs the zone, or sign again with the key that is published.',
    subject: 'set',
  }),
  'dnssec-too-costly': rule<SetArguments>({
    severity: 'error',
    says: ({ set }) => `${set} has so many signatures or keys with the same tag that validators give up.`,
    cites: 'RFC 4035 section 5.3.3',
    fix: 'Remove keys and signatures that are no longer in use.',
    subject: 'set',
  }),
  'dnssec-signature-expires-soon': rule<SetArguments & { at: string }>({
    severity: 'warning',
    says: ({ set, at }) => `The signature of ${set} ends on ${at} and has not been renewed.`,
    cites: 'RFC 6781 section 4.4.2',
    fix: 'Check that the zone is signed anew by itself, days before signatures end.',
    subject: 'set',
  }),
  'dnssec-unavailable': rule<SetArguments & { reason: string }>({
    severity: 'notice',
    says: ({ set, reason }) => `${set} could not be looked up (${reason}), so DNSSEC was not judged.`,
    cites: 'RFC 4035 section 4.3',
    fix: 'Run the checks again later; if it stays, look at the name servers of the zone.',
    subject: 'set',
  }),
  'dnssec-chain-unavailable': rule<{ zone: string }>({
    severity: 'notice',
    says: ({ zone }) =>
      `The resolver gave no usable DNSSEC records for ${zone}, where the chain of trust begins, so DNSSEC was not judged.`,
    cites: 'RFC 4035 section 4.3',
    fix: 'Let the service ask a resolver that supports DNSSEC, and check its trust anchors (DNSSEC_TRUST_ANCHORS).',
  }),
} satisfies Rules;

const raise = raiser(dnssecRules);

/** Why the chain of trust fails, as a finding. `ds-absent` is no finding in itself: a zone may be unsigned on purpose. */
export function dnssecFinding(reason: Exclude<Reason, { code: 'ds-absent' }>): Finding {
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
