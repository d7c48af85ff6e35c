/**
 * The SPF includes of services that send the mail of the mailboxes they host, by their MX hosts, as their documentation gives
 * them in November 2026. Filters in front of other mail servers are not among them: they do not send what they receive.
 */
import { isWithin } from '../domain-name.ts';
import { providerOf } from '../providers.ts';

const includes: readonly (readonly [mx: string, include: string])[] = [
  ['google.com', '_spf.google.com'],
  ['googlemail.com', '_spf.google.com'],
  ['mail.protection.outlook.com', 'spf.protection.outlook.com'],
  ['mx.microsoft', 'spf.protection.outlook.com'],
  ['zoho.com', 'zohomail.com'],
  ['zoho.eu', 'zohomail.eu'],
  ['zoho.in', 'zohomail.in'],
  ['messagingengine.com', 'spf.messagingengine.com'],
  ['protonmail.ch', '_spf.protonmail.ch'],
  ['mail.icloud.com', 'icloud.com'],
  ['yandex.net', '_spf.yandex.net'],
  ['mailbox.org', 'mailbox.org'],
  ['mail.ovh.net', 'mx.ovh.com'],
  ['mail.gandi.net', '_mailcust.gandi.net'],
  ['infomaniak.ch', 'spf.infomaniak.ch'],
  ['emailsrvr.com', 'emailsrvr.com'],
  ['privateemail.com', 'spf.privateemail.com'],
  ['hostinger.com', '_spf.mail.hostinger.com'],
  ['titan.email', 'spf.titan.email'],
  ['secureserver.net', 'secureserver.net'],
];

/**
 * The terms that authorize the services behind MX hosts, and `mx` for hosts that are no known service. Undefined if the hosts do
 * not show who sends: there is none, or one of a known service that only receives.
 */
export function termsForMxHosts(hosts: readonly string[]): string | undefined {
  const terms = hosts.map((host) => {
    const known = includes.find(([mx]) => isWithin(host, mx));
    if (known !== undefined) return `include:${known[1]}`;
    return providerOf(host) === undefined ? 'mx' : undefined;
  });
  return terms.length === 0 || terms.includes(undefined) ? undefined : [...new Set(terms)].join(' ');
}
