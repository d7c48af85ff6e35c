/** The rules of the BIMI check about the authority evidence: mark certificates. */
import { dayInWords } from '../time.ts';
import { type ExpiryArguments, expires, type Rules, rule } from './finding.ts';

const EVIDENCE = 'draft-fetch-validation-vmc-wchuang-05';

const reissueFix = 'Have the mark certificate reissued, and publish the complete chain as PEM.';

export const bimiEvidenceRules = {
  'bimi-evidence-unreadable': rule<{ detail: string }>({
    severity: 'error',
    says: ({ detail }) => `The authority evidence is not a PEM certificate chain: ${detail}.`,
    cites: `${EVIDENCE} section 3.3`,
    fix: reissueFix,
  }),
  'bimi-evidence-chain-broken': rule<{ subject: string; detail: string }>({
    severity: 'error',
    says: ({ subject, detail }) =>
      `The certificate chain of the mark certificate is broken at ${subject}: ${detail}.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: reissueFix,
  }),
  'bimi-evidence-not-valid-now': rule<{ subject: string; from: string; to: string }>({
    severity: 'error',
    says: ({ subject, from, to }) =>
      `The certificate of ${subject} is valid only from ${dayInWords(from)} to ${dayInWords(to)}.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: reissueFix,
    subject: 'subject',
  }),
  'bimi-evidence-expiring': rule<ExpiryArguments>({
    severity: 'notice',
    raisesAlert: true,
    says: (end) => `The mark certificate ${expires(end)}.`,
    cites: `${EVIDENCE} section 4.5`,
    fix: 'Renew the certificate before that date.',
  }),
  'bimi-evidence-distrusted': rule<{ issuer: string; from: string; receiver: string; after: string }>({
    severity: 'notice',
    says: ({ issuer, from, receiver, after }) =>
      `The mark certificate was issued by ${issuer} on ${dayInWords(from)}. ${receiver} accepts certificates of this issuer only if they were issued until ${dayInWords(after)}, so it shows no logo.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: ({ receiver }) => `Obtain the next mark certificate from an issuer that ${receiver} accepts.`,
    subject: 'receiver',
  }),
  'bimi-evidence-wrong-usage': rule<{ subject: string }>({
    severity: 'error',
    says: ({ subject }) => `The certificate of ${subject} does not have the extended key usage for BIMI.`,
    cites: `${EVIDENCE} section 4.4`,
    fix: reissueFix,
    subject: 'subject',
  }),
  'bimi-evidence-wrong-domain': rule<{ domain: string; names: readonly string[] }>({
    severity: 'error',
    says: ({ domain, names }) =>
      `The mark certificate is not issued for ${domain} but for ${names.join(', ')}.`,
    cites: `${EVIDENCE} section 5.2`,
    fix: 'Have the certificate reissued for this domain.',
  }),
  'bimi-evidence-no-logo': rule<{ detail: string }>({
    severity: 'error',
    says: ({ detail }) => `The mark certificate contains no logo to compare with: ${detail}.`,
    cites: `${EVIDENCE} section 4.1`,
    fix: reissueFix,
  }),
  'bimi-evidence-logo-differs': rule({
    severity: 'error',
    says: () => 'The logo at the URL in the l tag differs from the logo in the mark certificate.',
    cites: `${EVIDENCE} section 5.3`,
    fix: 'Serve exactly the file that the certificate was issued for.',
  }),
  'bimi-evidence-untrusted': rule<{ issuer: string }>({
    severity: 'error',
    says: ({ issuer }) =>
      `The certificate chain of the mark certificate ends at ${issuer}, which is not a trusted CA.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: 'Publish the complete chain up to the root of a Mark Verifying Authority.',
  }),
  'bimi-evidence-unanchored': rule({
    severity: 'notice',
    says: () =>
      'This service has no trusted roots for mark certificates: the chain is consistent, but its issuer was not verified.',
    cites: `${EVIDENCE} section 5.1`,
    fix: 'Configure the roots of the Mark Verifying Authorities that receivers trust.',
  }),
  'bimi-evidence-not-verified': rule<{ what: readonly string[] }>({
    severity: 'notice',
    says: ({ what }) => `These properties of the mark certificate were not verified: ${what.join(', ')}.`,
    cites: `${EVIDENCE} section 5.1`,
    fix: 'Ask the issuer for the revocation status if you need it.',
  }),
} satisfies Rules;
