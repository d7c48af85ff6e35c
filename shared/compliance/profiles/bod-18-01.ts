/** Binding Operational Directive 18-01 for federal agencies of the United States. */
import { profile } from '../profile.ts';

export const bod1801 = profile({
  name: 'CISA BOD 18-01 Enhance Email and Web Security',
  version: '2017-10-16',
  description:
    'For federal agencies of the United States. Only the part about mail is covered; websites are not checked here. The page of the directive also has guidance, which is used where it explains a requirement.',
  sources: {
    bod: {
      title: 'Binding Operational Directive 18-01, with compliance guide (CISA)',
      address: 'https://www.cisa.gov/binding-operational-directive-18-01',
      date: '2017-10-16',
      read: 'The directive, its checklist and a part of its guidance, in the repository of the publisher (github.com/cisagov/cyber.dhs.gov, pages/18-01.md)',
    },
  },
  source: 'bod',
  level: 'must',
  scope: 'all',
  requirements: {
    starttls: {
      section: 'II.1.a.i',
      coverage: 'text',
      scope: 'receivers',
      rules: [
        'mx-no-starttls',
        'mx-starttls-failed',
        'mx-without-tls',
        'mx-not-asked',
        'mx-address-unavailable',
      ],
      text: 'All mail servers that the internet reaches offer STARTTLS.',
    },
    spf: {
      section: 'II.1.a.i',
      coverage: 'text',
      rules: ['spf-missing', 'spf-not-valid', 'spf-multiple-records', 'spf-pass-all'],
      text: 'The domain has a valid SPF record, also if it sends no mail.',
    },
    dmarc: {
      section: 'II.1.a.i',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-not-valid', 'dmarc-multiple-records'],
      text: 'A valid DMARC record applies to the domain, with a policy of none or stronger.',
    },
    'dmarc-reports': {
      section: 'II.1.a.i',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-no-report-address'],
      text: 'The DMARC record has at least one address for aggregate or failure reports.',
    },
    ssl: {
      section: 'II.1.a.ii',
      text: 'Mail servers do not offer SSL 2 and SSL 3. The checks use the newest version that a server offers.',
    },
    ciphers: {
      section: 'II.1.a.ii',
      coverage: 'interpretation',
      scope: 'receivers',
      rules: ['mx-tls-weak', 'mx-without-tls', 'mx-not-asked', 'mx-address-unavailable'],
      text: 'Mail servers do not offer 3DES and RC4. Understood as: every MX host negotiates TLS without weak parameters; what else they offer is not seen.',
    },
    'nccic-reports': {
      section: 'II.1.a.iii',
      text: 'Aggregate reports also go to the address of the NCCIC. Whether that address is still in use was not read for this release.',
    },
    reject: {
      section: 'II.1.a.iv',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-below-reject'],
      text: 'The DMARC policy is reject.',
    },
    web: {
      section: 'II.1.b',
      text: 'Websites are reached only over HTTPS with HSTS, without old versions and ciphers, and are submitted for preloading.',
    },
    plan: {
      section: 'II.2 and II.3',
      text: 'The agency carries out its plan, and reports about it.',
    },
  },
});
