/** The rules of the BIMI check on the authority evidence: mark certificates. */
import { type Rules, rule } from './finding.ts';

const EVIDENCE = 'draft-fetch-validation-vmc-wchuang-05';

const reissueFix = 'Have the mark certificate issued anew and publish the whole chain as PEM.';

export const bimiEvidenceRules = {
  'bimi-evidence-unreadable': rule<{ detail: string }>({
    severity: 'error',
    says: ({ detail }) => `The authority evidence is not a chain of certificates in PEM: ${detail}.`,
    cites: `${EVIDENCE} section 3.3`,
    fix: reissueFix,
  }),
  'bimi-evidence-chain-broken': rule<{ subject: string; detail: string }>({
    severity: 'error',
    says: ({ subject, detail }) => `The chain of the mark certificate breaks at ${subject}: ${detail}.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: reissueFix,
  }),
  'bimi-evidence-not-valid-now': rule<{ subject: string; from: string; to: string }>({
    severity: 'error',
    says: ({ subject, from, to }) => `The certificate of ${subject} is valid from ${from} to ${to} only.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: reissueFix,
    subject: 'subject',
  }),
  'bimi-evidence-expiring': rule<{ date: string }>({
    severity: 'notice',
    says: ({ date }) => `The mark certificate expires on ${date}.`,
    cites: `${EVIDENCE} section 4.5`,
    fix: 'Renew the certificate before that date.',
  }),
  'bimi-evidence-wrong-usage': rule<{ subject: string }>({
    severity: 'error',
    says: ({ subject }) => `The certificate of ${subject} is not for BIMI (no such extended key usage).`,
    cites: `${EVIDENCE} section 4.4`,
    fix: reissueFix,
    subject: 'subject',
  }),
  'bimi-evidence-wrong-domain': rule<{ domain: string; names: readonly string[] }>({
    severity: 'error',
    says: ({ domain, names }) => `The mark certificate is not for ${domain} but for ${names.join(', ')}.`,
    cites: `${EVIDENCE} section 5.2`,
    fix: 'Have the certificate issued for this domain.',
  }),
  'bimi-evidence-no-logo': rule<{ detail: string }>({
    severity: 'error',
    says: ({ detail }) => `The mark certificate holds no logo that can be compared: ${detail}.`,
    cites: `${EVIDENCE} section 4.1`,
    fix: reissueFix,
  }),
  'bimi-evidence-logo-differs': rule({
    severity: 'error',
    says: () => 'The logo at the l address is not the one in the mark certificate.',
    cites: `${EVIDENCE} section 5.3`,
    fix: 'Serve exactly the file for which the certificate was issued.',
  }),
  'bimi-evidence-untrusted': rule<{ issuer: string }>({
    severity: 'error',
    says: ({ issuer }) => `The mark certificate leads to ${issuer}, which is no trusted authority.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: 'Publish the whole chain up to the root of a Mark Verifying Authority.',
  }),
  'bimi-evidence-unanchored': rule({
    severity: 'notice',
    says: () =>
      'No authorities for mark certificates are configured here: the chain holds together, but whom it leads to was not verified.',
    cites: `${EVIDENCE} section 5.1`,
    fix: 'Configure the roots of the Mark Verifying Authorities that receivers trust.',
  }),
  'bimi-evidence-not-verified': rule<{ what: readonly string[] }>({
    severity: 'notice',
    says: ({ what }) => `Not verified about the mark certificate: ${what.join(', ')}.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: 'Ask the issuer for the revocation status where it matters.',
  }),
} satisfies Rules;
