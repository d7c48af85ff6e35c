/** BSI TR-03182, Email Authentication: SPF, DKIM and DMARC of those who send and receive mail. */
import { profile } from '../profile.ts';

export const bsiTr03182 = profile({
  name: 'BSI TR-03182 Email Authentication',
  version: '1.0',
  description:
    'For everyone who operates a mail service. Checks see what a domain publishes; how a service signs, verifies and reports, and how its operator works, is not testable. A certificate of the BSI needs an accredited test.',
  sources: {
    tr: {
      title: 'BSI TR-03182 Email Authentication, version 1.0',
      address:
        'https://www.bsi.bund.de/SharedDocs/Downloads/EN/BSI/Publications/TechGuidelines/TR03182/BSI-TR-03182.pdf?__blob=publicationFile',
      date: '2024-01-24',
      read: 'All sections with requirements, in a converted copy of the document in github.com/xoryouyou/bsi-technical-guidelines-markdown',
    },
    tests: {
      title: 'BSI TR-03182-P Testspecification, version 1.0',
      address:
        'https://www.bsi.bund.de/SharedDocs/Downloads/EN/BSI/Publications/TechGuidelines/TR03182/BSI-TR-03182-P.pdf?__blob=publicationFile',
      date: '2024-01-24',
      read: 'The tables of test cases, in the copy of the document in github.com/xoryouyou/bsi-technical-guidelines-markdown',
    },
  },
  source: 'tr',
  level: 'must',
  scope: 'senders',
  requirements: {
    'TR-03182-01-M': {
      section: '4.1.1',
      coverage: 'text',
      rules: ['spf-missing', 'spf-multiple-records', 'spf-syntax', 'spf-not-valid', 'spf-term-after-all'],
      text: 'The domain has a valid SPF record, whose last mechanism is all if it has that.',
    },
    'TR-03182-01-M-all': {
      section: '4.1.1',
      coverage: 'text',
      rules: ['spf-missing', 'spf-pass-all', 'spf-neutral-all', 'spf-no-all', 'spf-exists-for-everyone'],
      text: 'SPF has a result of fail or softfail for servers that it does not authorize.',
    },
    'TR-03182-01-M-servers': {
      section: '4.1.1',
      text: 'The SPF record lists every server that sends for the domain, and wildcard subdomains have one, too.',
    },
    'TR-03182-02-M': {
      section: '4.1.2',
      text: 'The service verifies SPF of incoming mail with DNSSEC validation, and records the result.',
    },
    'TR-03182-03-M': {
      section: '4.1.3',
      coverage: 'text',
      rules: [
        'dkim-no-valid-key',
        'dkim-malformed-tags',
        'dkim-duplicate-tags',
        'dkim-multiple-records',
        'dkim-invalid-version',
        'dkim-missing-key',
        'dkim-malformed-base64',
        'dkim-malformed-key',
      ],
      text: 'The domain has DKIM keys in valid records.',
    },
    'TR-03182-03-M-algorithms': {
      section: '4.1.3',
      coverage: 'interpretation',
      rules: ['dkim-no-rsa-key', 'dkim-no-ed25519-key'],
      text: 'The domain has both RSA and Ed25519 keys. Understood of the keys at the selectors that are known, because selectors cannot be listed.',
    },
    'TR-03182-03-M-discontinued': {
      section: '4.1.3',
      coverage: 'text',
      rules: ['dkim-no-usable-hash', 'dkim-key-too-short', 'dkim-no-valid-key'],
      text: 'No key is limited to SHA-1, or has fewer than 1024 bits.',
    },
    'TR-03182-03-M-shared': {
      section: '4.1.3',
      level: 'should',
      coverage: 'interpretation',
      rules: ['dkim-key-shared', 'dkim-no-valid-key'],
      text: 'No DKIM key is used by several domains. Understood of the domains of the same organization in this service.',
    },
    'TR-03182-03-M-renewed': {
      section: '4.1.3',
      text: 'DKIM keys are renewed every six months, or there is a documented reason.',
    },
    'TR-03182-03-M-unused': {
      section: '4.1.3',
      level: 'should',
      coverage: 'interpretation',
      rules: ['dkim-key-unused', 'dkim-no-valid-key', 'dkim-use-not-seen'],
      text: 'DKIM keys that are no longer used are removed. Understood as: reports of large receivers have seen each key in the last 90 days; without them, it is unknown.',
    },
    'TR-03182-04-M': {
      section: '4.1.4',
      text: 'All outgoing mail is signed with DKIM, also with Ed25519, and with oversigned headers.',
    },
    'TR-03182-05-M': {
      section: '4.1.5',
      text: 'The service verifies DKIM signatures of incoming mail with DNSSEC validation, and records the result.',
    },
    'TR-03182-06-M': {
      section: '4.1.6',
      coverage: 'interpretation',
      rules: ['dmarc-missing', 'dmarc-not-valid', 'dmarc-multiple-records'],
      text: 'The domain has a valid DMARC record. One of its organizational domain counts, too.',
    },
    'TR-03182-06-M-policy': {
      source: 'tests',
      section: '6.8, H-02',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-below-quarantine', 'dmarc-subdomains-none'],
      text: 'The DMARC policy of the domain and its subdomains is quarantine or reject.',
    },
    'TR-03182-06-M-reject': {
      section: '4.1.6',
      level: 'should',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-below-reject'],
      text: 'The DMARC policy is reject.',
    },
    'TR-03182-06-M-alignment': {
      section: '4.1.6',
      level: 'should',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-relaxed-alignment'],
      text: 'The DMARC record asks for strict alignment.',
    },
    'TR-03182-06-M-rua': {
      section: '4.1.6',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-missing-rua', 'dmarc-rua-not-usable', 'dmarc-destination-unknown'],
      text: 'The DMARC record has at least one address that can receive aggregate reports.',
    },
    'TR-03182-06-M-ruf': {
      section: '4.1.6',
      level: 'should',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-failure-reports'],
      text: 'The DMARC record asks for no failure reports.',
    },
    'TR-03182-dnssec': {
      section: '4.1.1, 4.1.3 and 4.1.6',
      level: 'should',
      coverage: 'text',
      rules: ['dnssec-not-valid'],
      text: 'The zone with the SPF, DKIM and DMARC records is protected by DNSSEC.',
    },
    'TR-03182-07-M': {
      section: '4.1.7',
      text: 'The service verifies DMARC of incoming mail with DNSSEC validation, and documents where it departs from policies.',
    },
    'TR-03182-08-M': {
      section: '4.1.8',
      text: 'The service sends aggregate reports, signed with DKIM, and no failure reports.',
    },
    'TR-03182-09-M': {
      section: '4.1.9',
      text: 'DMARC reports are received.',
    },
    'TR-03182-10-M': {
      section: '4.1.10',
      text: 'DMARC reports are evaluated regularly and promptly.',
    },
    'TR-03182-11-M-mx': {
      section: '4.1.11',
      coverage: 'interpretation',
      scope: 'parked',
      rules: ['mx-not-null'],
      text: 'A domain without outgoing mail has a null MX. Understood of parked domains only: one that receives mail would lose it.',
    },
    'TR-03182-11-M-spf': {
      section: '4.1.11',
      coverage: 'text',
      scope: 'non-senders',
      rules: ['spf-missing', 'spf-multiple-records', 'spf-authorizes-somebody'],
      text: 'The SPF record of a domain without outgoing mail authorizes nobody, with a result of fail.',
    },
    'TR-03182-11-M-dmarc': {
      section: '4.1.11',
      coverage: 'text',
      scope: 'non-senders',
      rules: ['dmarc-missing', 'dmarc-below-reject'],
      text: 'The DMARC policy of a domain without outgoing mail is reject.',
    },
    'TR-03182-11-M-rua': {
      section: '4.1.11',
      coverage: 'text',
      scope: 'non-senders',
      rules: ['dmarc-missing', 'dmarc-missing-rua'],
      text: 'The DMARC record of a domain without outgoing mail asks for aggregate reports.',
    },
    'TR-03182-12-M': {
      section: '4.2.1',
      text: 'The provider has a security concept as the law requires, and keeps it up to date.',
    },
    'TR-03182-13-M': {
      section: '4.2.2',
      text: 'The service is operated in the EU, as the data protection laws there require.',
    },
    'TR-03182-14-M': {
      section: '4.2.3',
      text: 'The provider tells its customers about security incidents, and informs them about security.',
    },
    'TR-03182-15-M': {
      section: '4.2.4',
      text: 'The provider tells its customers which other providers meet the guideline.',
    },
  },
});
