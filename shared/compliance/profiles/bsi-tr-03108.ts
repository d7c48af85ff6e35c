/** BSI TR-03108, Secure Email Transport: what a provider of mail services does to protect mail on its way. */
import { profile } from '../profile.ts';

export const bsiTr03108 = profile({
  name: 'BSI TR-03108 Secure Email Transport',
  version: '2.0',
  description:
    'For providers and operators of mail services. Checks see the MX hosts of a domain from outside; what clients of the service, outgoing mail or the organization of the provider show is not testable. A certificate of the BSI needs an accredited test.',
  sources: {
    tr: {
      title: 'BSI TR-03108 Secure Email Transport, version 2.0',
      address:
        'https://www.bsi.bund.de/SharedDocs/Downloads/DE/BSI/Publikationen/TechnischeRichtlinien/TR03108/TR03108.pdf?__blob=publicationFile',
      date: '2023-06-01',
      read: 'All sections with requirements, in a converted copy of the document in github.com/xoryouyou/bsi-technical-guidelines-markdown',
    },
  },
  source: 'tr',
  level: 'must',
  scope: 'receivers',
  requirements: {
    'TR-03108-01-M': {
      section: '4.1.1',
      text: 'Mail programs reach the service only over TLS, preferably with implicit TLS, and find its settings in DNS.',
    },
    'TR-03108-02-R': {
      section: '4.1.2',
      level: 'should',
      text: 'The service also offers STARTTLS to mail programs, for compatibility.',
    },
    'TR-03108-03-M': {
      section: '4.1.3 and 4.3.2',
      coverage: 'interpretation',
      rules: [
        'mx-no-starttls',
        'mx-starttls-failed',
        'mx-without-tls',
        'mx-tls-old',
        'mx-tls-weak',
        'mx-not-asked',
        'mx-address-unavailable',
      ],
      text: 'Every MX host offers STARTTLS, configured as BSI TR-03116-4 says. Of that configuration, a TLS version before 1.2 and weak parameters are seen.',
    },
    'TR-03108-04-M': {
      section: '4.1.4',
      text: 'The service sends with STARTTLS where it is offered, and resolves names with DNSSEC validation.',
    },
    'TR-03108-05-M': {
      section: '4.1.5',
      coverage: 'text',
      rules: [
        'dnssec-not-valid',
        'mx-records-bogus',
        'mx-address-bogus',
        'mx-dane-records-not-signed',
        'mx-without-dane',
        'mx-dane-partial',
        'mx-tlsa-unusable',
        'mx-tlsa-not-signed',
        'mx-tlsa-bogus',
        'mx-tlsa-denial-bogus',
        'mx-tlsa-mismatch',
        'mx-tlsa-without-tls',
        'mx-tlsa-unavailable',
        'mx-address-unavailable',
      ],
      text: 'The zones of the domain and of its MX hosts are signed with DNSSEC, and TLSA records of each MX host match what it serves.',
    },
    'TR-03108-06-M': {
      section: '4.1.6',
      text: 'The service follows the TLSA records of others when it sends.',
    },
    'TR-03108-07-R': {
      section: '4.1.7',
      level: 'should',
      coverage: 'text',
      rules: [
        'mta-sts-missing',
        'mta-sts-not-valid',
        'mta-sts-mode-none',
        'mta-sts-mx-not-covered',
        'mta-sts-policy-without-record',
      ],
      text: 'The domain has an MTA-STS policy (RFC 8461) that covers its MX hosts.',
    },
    'TR-03108-08-R': {
      section: '4.1.8',
      level: 'should',
      text: 'The service follows the MTA-STS policies of others when it sends.',
    },
    'TR-03108-09-M': {
      section: '4.1.9',
      text: 'The service sends TLS reports to those who ask for them.',
    },
    'TR-03108-10-M': {
      section: '4.1.10',
      coverage: 'text',
      rules: ['tls-rpt-missing', 'tls-rpt-not-valid', 'tls-rpt-no-mail', 'tls-rpt-by-https'],
      text: 'A TLS-RPT record asks for reports by mail, and not by HTTPS.',
    },
    'TR-03108-11-R': {
      section: '4.1.11',
      level: 'should',
      text: 'TLS reports are evaluated.',
    },
    'TR-03108-12-R': {
      section: '4.1.12',
      level: 'should',
      text: 'Certificates are from a CA that meets BSI TR-03116-4, which was not read for this release.',
    },
    'TR-03108-13-M': {
      section: '4.2.1',
      text: 'The provider has a security concept as the law requires, and keeps it up to date.',
    },
    'TR-03108-14-M': {
      section: '4.2.2',
      text: 'The service is operated in the EU, as the data protection laws there require.',
    },
    'TR-03108-15-M': {
      section: '4.2.3',
      text: 'The provider tells its customers about security incidents, and informs them about security.',
    },
    'TR-03108-16-M': {
      section: '4.2.4',
      text: 'The provider tells its customers which other providers meet the guideline.',
    },
  },
});
