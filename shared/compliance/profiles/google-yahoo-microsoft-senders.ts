/** What large mailbox providers require of those who send much mail to them. */
import { profile } from '../profile.ts';

const spf = ['spf-missing', 'spf-not-valid', 'spf-multiple-records', 'spf-pass-all'] as const;
const dmarc = ['dmarc-missing', 'dmarc-not-valid'] as const;

export const googleYahooMicrosoftSenders = profile({
  name: 'Sender requirements of Google, Yahoo and Microsoft',
  version: 'Google 2026-03-21, Yahoo 2025-04-10, Microsoft 2025-04-29',
  description:
    'For domains that send more than 5,000 messages a day to Gmail or Outlook.com, or much mail to Yahoo. Checks see what is published in DNS; what only messages, sending servers or complaints show is not testable. The mail tester judges single messages.',
  sources: {
    google: {
      title: 'Email sender guidelines (Google)',
      address: 'https://support.google.com/a/answer/81126',
      date: '2026-03-21',
      read: 'The sections with requirements, in a dated capture of the page in github.com/azumakuniyuki/feb-2024-no-auth-no-entry',
    },
    yahoo: {
      title: 'Sender Requirements & Recommendations (Yahoo)',
      address: 'https://senders.yahooinc.com/best-practices/',
      date: '2025-04-10',
      read: 'The sections with requirements, in a dated capture of the page in github.com/azumakuniyuki/feb-2024-no-auth-no-entry',
    },
    microsoft: {
      title: "Strengthening Email Ecosystem: Outlook's New Requirements for High-Volume Senders (Microsoft)",
      address:
        'https://techcommunity.microsoft.com/blog/microsoftdefenderforoffice365blog/strengthening-email-ecosystem-outlook%E2%80%99s-new-requirements-for-high%E2%80%90volume-senders/4399730',
      date: '2025-04-29',
      read: 'The sections with requirements, in a dated capture of the page in github.com/azumakuniyuki/feb-2024-no-auth-no-entry',
    },
  },
  source: 'google',
  level: 'must',
  scope: 'senders',
  requirements: {
    'google-spf': {
      section: 'Requirements for sending 5,000 or more messages per day',
      coverage: 'text',
      rules: spf,
      text: 'The domain has an SPF record that receivers can evaluate.',
    },
    'google-dkim': {
      section: 'Requirements for sending 5,000 or more messages per day',
      coverage: 'interpretation',
      rules: ['dkim-no-valid-key'],
      text: 'Mail is signed with DKIM. Understood as: a valid key is published; only messages show whether they are signed.',
    },
    'google-dkim-1024': {
      section: 'DKIM',
      coverage: 'text',
      rules: ['dkim-key-too-short', 'dkim-no-valid-key'],
      text: 'DKIM keys have at least 1024 bits.',
    },
    'google-dkim-2048': {
      section: 'DKIM',
      level: 'should',
      coverage: 'text',
      rules: ['dkim-key-short', 'dkim-key-too-short', 'dkim-no-valid-key'],
      text: 'DKIM keys have 2048 bits.',
    },
    'google-dmarc': {
      section: 'Requirements for sending 5,000 or more messages per day',
      coverage: 'text',
      rules: dmarc,
      text: 'A DMARC record applies to the domain; its policy can be none.',
    },
    'google-dmarc-reports': {
      section: 'DMARC',
      level: 'should',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-missing-rua'],
      text: 'The DMARC record asks for reports.',
    },
    'google-ptr': {
      section: 'IP addresses',
      text: 'Addresses that send have PTR records, whose names lead back to them.',
    },
    'google-tls': {
      section: 'Requirements for sending 5,000 or more messages per day',
      text: 'Mail is sent over TLS.',
    },
    'google-spam-rate': {
      section: 'Requirements for sending 5,000 or more messages per day',
      text: 'The spam rate in Postmaster Tools stays below 0.3 %.',
    },
    'google-format': {
      section: 'Requirements for sending 5,000 or more messages per day',
      text: 'Messages have the format of RFC 5322, and do not use a Gmail address as the author.',
    },
    'google-alignment': {
      section: 'Requirements for sending 5,000 or more messages per day',
      text: 'The domain of the author is aligned with that of SPF or DKIM.',
    },
    'google-unsubscribe': {
      section: 'Make it easy to unsubscribe',
      text: 'Marketing mail can be unsubscribed from with one click.',
    },
    'yahoo-spf': {
      source: 'yahoo',
      section: 'Requirements for Bulk Senders, 1',
      coverage: 'text',
      rules: spf,
      text: 'The domain has an SPF record that receivers can evaluate.',
    },
    'yahoo-dkim': {
      source: 'yahoo',
      section: 'Requirements for Bulk Senders, 1',
      coverage: 'interpretation',
      rules: ['dkim-no-valid-key'],
      text: 'Mail is signed with DKIM. Understood as: a valid key is published; only messages show whether they are signed.',
    },
    'yahoo-dkim-1024': {
      source: 'yahoo',
      section: 'Authenticate using SPF, DKIM, and DMARC',
      level: 'should',
      coverage: 'text',
      rules: ['dkim-key-too-short', 'dkim-no-valid-key'],
      text: 'DKIM keys have at least 1024 bits.',
    },
    'yahoo-dmarc': {
      source: 'yahoo',
      section: 'Requirements for Bulk Senders, 1',
      coverage: 'text',
      rules: dmarc,
      text: 'A valid DMARC policy applies to the domain, at least none. Only messages show whether they pass.',
    },
    'yahoo-rua': {
      source: 'yahoo',
      section: 'Requirements for Bulk Senders, 1',
      level: 'should',
      coverage: 'text',
      rules: ['dmarc-missing', 'dmarc-missing-rua', 'dmarc-rua-not-usable', 'dmarc-destination-unknown'],
      text: 'The DMARC record has a rua tag with an address that can receive reports.',
    },
    'yahoo-unsubscribe': {
      source: 'yahoo',
      section: 'Requirements for Bulk Senders, 2',
      text: 'Marketing mail has List-Unsubscribe with one click and a visible link, and requests are honored within two days.',
    },
    'yahoo-spam-rate': {
      source: 'yahoo',
      section: 'Requirements for Bulk Senders, 3',
      text: 'The spam rate stays below 0.3 %.',
    },
    'yahoo-ptr': {
      source: 'yahoo',
      section: 'Requirements for Bulk Senders, 4',
      text: 'Addresses that send have valid forward and reverse DNS records.',
    },
    'yahoo-format': {
      source: 'yahoo',
      section: 'Requirements for Bulk Senders, 5',
      text: 'Mail follows RFC 5321 and RFC 5322.',
    },
    'microsoft-spf': {
      source: 'microsoft',
      section: "What's Changing?, 1",
      coverage: 'interpretation',
      rules: spf,
      text: 'SPF passes for the domain. Understood as: the record can be evaluated; only messages show whether it lists every sender.',
    },
    'microsoft-dkim': {
      source: 'microsoft',
      section: "What's Changing?, 2",
      coverage: 'interpretation',
      rules: ['dkim-no-valid-key'],
      text: 'DKIM passes. Understood as: a valid key is published; only messages show whether they are signed.',
    },
    'microsoft-dmarc': {
      source: 'microsoft',
      section: "What's Changing?, 3",
      coverage: 'interpretation',
      rules: dmarc,
      text: 'DMARC is at least p=none and aligned with SPF or DKIM. Understood as: a record applies; only messages show the alignment.',
    },
    'microsoft-from': {
      source: 'microsoft',
      section: 'Additional Email Hygiene Recommendations',
      level: 'should',
      text: 'The address of the author or for replies is valid and can receive replies.',
    },
    'microsoft-unsubscribe': {
      source: 'microsoft',
      section: 'Additional Email Hygiene Recommendations',
      level: 'should',
      text: 'Recipients find an easy way to unsubscribe.',
    },
    'microsoft-lists': {
      source: 'microsoft',
      section: 'Additional Email Hygiene Recommendations',
      level: 'should',
      text: 'Invalid addresses are removed from lists, subjects and headers do not deceive, and recipients agreed.',
    },
  },
});
