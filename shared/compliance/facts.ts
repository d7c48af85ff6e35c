/**
 * What profiles ask about check results where no finding says it, because it is no fault in itself: a DMARC policy of quarantine,
 * an MX host without DANE. Each fact is worded as what is wrong for a requirement that names it.
 */
import type { CheckResults } from '../checks/results.ts';
import type { CheckName, CheckState } from '../checks/state.ts';
import { countedKeys } from '../score/credit/dkim.ts';

interface Fact {
  /** The check that knows it. */
  readonly check: CheckName;
  /** What is wrong, in one sentence. */
  readonly says: string;
  /** Whether it is so; null if that is not known. Not asked if the check has no result. */
  readonly holds: (results: CheckResults) => boolean | null;
}

type DmarcPolicy = NonNullable<CheckResults['dmarc']['effectivePolicy']>;

const weaker: Readonly<Record<DmarcPolicy, DmarcPolicy>> = {
  none: 'none',
  quarantine: 'none',
  reject: 'quarantine',
};

/**
 * Whether receivers apply the next weaker policy, to all mail with `t=y` (RFC 9989 section 4.7), or to a part of it with a `pct`
 * below 100 (RFC 7489 section 6.6.4), which some still read.
 */
const isWeakened = ({ testing, percentage }: CheckResults['dmarc']): boolean =>
  testing || (percentage !== null && percentage < 100);

/** The policy that is sure to be applied; `none` without a record. */
function appliedPolicy({ dmarc }: CheckResults): DmarcPolicy {
  const policy = dmarc.effectivePolicy ?? 'none';
  return isWeakened(dmarc) ? weaker[policy] : policy;
}

/** Whether a key that is in use lacks something; null without such a key, because selectors cannot be listed. */
const noKeyWith =
  (has: (key: CheckResults['dkim']['selectors'][number]) => boolean) =>
  (results: CheckResults): boolean | null => {
    const keys = countedKeys(results);
    return keys.length === 0 ? null : !keys.some((key) => key.valid && has(key));
  };

/** What is missing is a finding, which says so better. */
const isThere = ({ state }: { readonly state: CheckState }): boolean => state !== 'absent';

const isWeb = (uri: string): boolean => uri.toLowerCase().startsWith('https:');

const facts = {
  'spf-not-valid': {
    check: 'spf',
    says: 'Receivers cannot evaluate the SPF record.',
    holds: ({ spf }) => isThere(spf) && !spf.valid,
  },
  'spf-authorizes-somebody': {
    check: 'spf',
    says: 'The SPF record is not "v=spf1 -all", so it does not say that nobody sends as the domain.',
    // The policy can be that of the target of a redirect, whose other terms authorize whom they want.
    holds: ({ spf }) =>
      isThere(spf) && (spf.allPolicy !== '-all' || spf.mechanisms.some(({ kind }) => kind !== 'all')),
  },
  'dkim-no-valid-key': {
    check: 'dkim',
    says: 'None of the DKIM keys that were found is valid.',
    holds: noKeyWith(() => true),
  },
  'dkim-no-rsa-key': {
    check: 'dkim',
    says: 'None of the DKIM keys that were found is a valid RSA key.',
    holds: noKeyWith(({ keyType }) => keyType === 'rsa'),
  },
  'dkim-no-ed25519-key': {
    check: 'dkim',
    says: 'None of the DKIM keys that were found is a valid Ed25519 key.',
    holds: noKeyWith(({ keyType }) => keyType === 'ed25519'),
  },
  'dkim-use-not-seen': {
    check: 'dkim',
    says: 'Reports of large receivers have not seen each DKIM key in the last 90 days, so its use is unknown.',
    holds: ({ dkim }) => (dkim.allUsed ? false : null),
  },
  'dmarc-not-valid': {
    check: 'dmarc',
    says: 'Receivers cannot apply the DMARC record.',
    holds: ({ dmarc }) => isThere(dmarc) && !dmarc.valid,
  },
  'dmarc-below-quarantine': {
    check: 'dmarc',
    says: 'The DMARC policy that applies is weaker than quarantine.',
    holds: (results) => appliedPolicy(results) === 'none',
  },
  'dmarc-below-reject': {
    check: 'dmarc',
    says: 'The DMARC policy that applies is weaker than reject.',
    holds: (results) => appliedPolicy(results) !== 'reject',
  },
  'dmarc-relaxed-alignment': {
    check: 'dmarc',
    says: 'The DMARC record asks for relaxed alignment of SPF or DKIM.',
    holds: ({ dmarc }) => isThere(dmarc) && (dmarc.aspf !== 's' || dmarc.adkim !== 's'),
  },
  'dmarc-no-report-address': {
    check: 'dmarc',
    says: 'The DMARC record asks for neither aggregate nor failure reports.',
    holds: ({ dmarc }) => isThere(dmarc) && dmarc.rua.length === 0 && dmarc.ruf.length === 0,
  },
  'dmarc-rua-not-usable': {
    check: 'dmarc',
    says: 'The DMARC record has no address to which reporters can send aggregate reports.',
    holds: ({ dmarc }) =>
      dmarc.ruaUsable === null && dmarc.rua.length > 0 ? null : isThere(dmarc) && dmarc.ruaUsable !== true,
  },
  'dmarc-failure-reports': {
    check: 'dmarc',
    says: 'The DMARC record asks for failure reports (ruf).',
    holds: ({ dmarc }) => dmarc.ruf.length > 0,
  },
  'dmarc-subdomains-none': {
    check: 'dmarc',
    says: 'The DMARC policy that applies to subdomains is none.',
    holds: ({ dmarc }) => {
      const policy = dmarc.subdomainPolicy ?? dmarc.policy ?? 'none';
      return policy === 'none' || (policy === 'quarantine' && isWeakened(dmarc));
    },
  },
  'mx-not-null': {
    check: 'mx',
    says: 'The domain has no null MX record.',
    holds: ({ mx }) => mx.emailReceptionCapability !== 'null-mx',
  },
  'mx-without-tls': {
    check: 'mx',
    says: 'Not every MX host establishes TLS.',
    holds: ({ mx }) => (mx.tlsSupported === null ? null : !mx.tlsSupported),
  },
  'mx-without-dane': {
    check: 'mx',
    says: 'Not every MX host has a usable TLSA record in a signed zone.',
    holds: ({ mx }) => (mx.daneSupported === null ? null : !mx.daneSupported),
  },
  'mta-sts-not-valid': {
    check: 'mtaSts',
    says: 'Senders cannot use the MTA-STS policy.',
    holds: ({ mtaSts }) => isThere(mtaSts) && !mtaSts.valid,
  },
  'tls-rpt-not-valid': {
    check: 'tlsRpt',
    says: 'Senders cannot use the TLS-RPT record.',
    holds: ({ tlsRpt }) => isThere(tlsRpt) && !tlsRpt.valid,
  },
  'tls-rpt-no-mail': {
    check: 'tlsRpt',
    says: 'The TLS-RPT record does not ask for reports by mail.',
    holds: ({ tlsRpt }) =>
      isThere(tlsRpt) && !tlsRpt.rua.some((uri) => uri.toLowerCase().startsWith('mailto:')),
  },
  'tls-rpt-by-https': {
    check: 'tlsRpt',
    says: 'The TLS-RPT record asks for reports by HTTPS.',
    holds: ({ tlsRpt }) => tlsRpt.rua.some(isWeb),
  },
  'dnssec-not-valid': {
    check: 'dnssec',
    says: 'The zone has no valid chain of trust from the root zone.',
    holds: ({ dnssec }) => !dnssec.chainValid,
  },
} as const satisfies Record<string, Fact>;

export type FactId = keyof typeof facts;

export const isFact = (id: string): id is FactId => Object.hasOwn(facts, id);

export const factOf = (id: FactId): Fact => facts[id];

export const factIds = Object.keys(facts).filter(isFact);
