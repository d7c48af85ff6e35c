/** PCI DSS, as far as it concerns what a mail domain publishes. */
import { profile } from '../profile.ts';

export const pciDss401 = profile({
  name: 'PCI DSS 4.0.1, requirement 5.4 (phishing)',
  version: '4.0.1',
  description:
    'For those who handle account data of payment cards. Only requirement 5.4.1 was read for this release, with its guidance; the rest of the standard is not covered. The standard names SPF, DKIM and DMARC only as examples of good practice, so they are recommendations here. Whether 5.4.1 is met is for an assessor to say.',
  sources: {
    dss: {
      title: 'PCI DSS 4.0.1 (PCI Security Standards Council)',
      address: 'https://www.pcisecuritystandards.org/document_library/',
      date: '2024-06',
      read: 'Requirement 5.4.1 with applicability notes and guidance, quoted in a public repository; the document itself was not available',
    },
  },
  source: 'dss',
  level: 'should',
  scope: 'all',
  requirements: {
    '5.4.1': {
      section: '5.4.1',
      level: 'must',
      text: 'Processes and automated mechanisms detect phishing and protect staff against it.',
    },
    '5.4.1-dmarc': {
      section: '5.4.1, good practice',
      coverage: 'interpretation',
      rules: ['dmarc-missing', 'dmarc-not-valid', 'dmarc-below-quarantine'],
      text: 'DMARC stops others from using the domain. Understood as: a policy of quarantine or reject, because none stops nobody.',
    },
    '5.4.1-spf': {
      section: '5.4.1, good practice',
      coverage: 'interpretation',
      rules: ['spf-missing', 'spf-not-valid', 'spf-pass-all', 'spf-neutral-all', 'spf-no-all'],
      text: 'SPF stops others from using the domain. Understood as: a valid record that ends with fail or softfail.',
    },
    '5.4.1-dkim': {
      section: '5.4.1, good practice',
      coverage: 'interpretation',
      scope: 'senders',
      rules: ['dkim-no-valid-key'],
      text: 'DKIM proves the origin of mail. Understood as: a valid key is published.',
    },
    '5.4.1-filters': {
      section: '5.4.1, good practice',
      text: 'Phishing mail and malware are blocked before they reach staff, who learn to report what does.',
    },
  },
});
