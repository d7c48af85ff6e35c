/** Selectors to look up, because DNS cannot list selectors. As of November 2026. */
import { canonicalName, isWithin } from '../domain-name.ts';

interface SelectorProvider {
  readonly provider: string;
  /** Domains of the hosts in the MX records or SPF includes of the provider's customers. */
  readonly domains: readonly string[];
  readonly selectors: readonly string[];
}

/** Providers that are recognizable by MX or SPF records, with the selectors that all their customers use. */
const providers: readonly SelectorProvider[] = [
  {
    provider: 'Google Workspace',
    domains: ['_spf.google.com', 'aspmx.l.google.com', 'smtp.google.com', 'googlemail.com'],
    selectors: ['google'],
  },
  {
    provider: 'Microsoft 365',
    domains: ['spf.protection.outlook.com', 'mail.protection.outlook.com', 'mx.microsoft'],
    selectors: ['selector1', 'selector2'],
  },
  { provider: 'SendGrid', domains: ['sendgrid.net'], selectors: ['s1', 's2', 'smtpapi'] },
  {
    provider: 'Mailgun',
    domains: ['mailgun.org'],
    selectors: ['krs', 'mailo', 'k1', 'smtp', 'mg', 'pic'],
  },
  { provider: 'Mailchimp', domains: ['servers.mcsv.net'], selectors: ['k1', 'k2', 'k3'] },
  { provider: 'Mandrill', domains: ['spf.mandrillapp.com'], selectors: ['mte1', 'mte2', 'mandrill'] },
  { provider: 'Postmark', domains: ['spf.mtasv.net'], selectors: ['pm'] },
  {
    provider: 'Zoho',
    domains: ['zoho.com', 'zoho.eu', 'zoho.in', 'zohomail.com', 'zohomail.eu', 'one.zoho.com'],
    selectors: ['zmail', 'zoho', 'default'],
  },
  {
    provider: 'Salesforce',
    domains: ['_spf.salesforce.com', 'cust-spf.exacttarget.com', 'pardot.com'],
    selectors: ['200608', 'sf'],
  },
  { provider: 'HubSpot', domains: ['hubspotemail.net', 'hubspot.com'], selectors: ['hs1', 'hs2'] },
  { provider: 'Zendesk', domains: ['mail.zendesk.com'], selectors: ['zendesk1', 'zendesk2'] },
  { provider: 'Fastmail', domains: ['messagingengine.com'], selectors: ['fm1', 'fm2', 'fm3', 'mesmtp'] },
  {
    provider: 'Proton',
    domains: ['protonmail.ch'],
    selectors: ['protonmail', 'protonmail2', 'protonmail3'],
  },
  {
    provider: 'Brevo',
    domains: ['spf.brevo.com', 'spf.sendinblue.com'],
    selectors: ['mail', 'brevo1', 'brevo2'],
  },
  { provider: 'Mailjet', domains: ['spf.mailjet.com'], selectors: ['mailjet'] },
  { provider: 'iCloud', domains: ['icloud.com'], selectors: ['sig1'] },
  { provider: 'Yandex', domains: ['yandex.net', 'yandex.ru'], selectors: ['mail'] },
  {
    provider: 'Titan',
    domains: ['titan.email', 'flockmail.com'],
    selectors: ['titan1'],
  },
  { provider: 'GoDaddy', domains: ['secureserver.net'], selectors: ['secureserver1', 'secureserver2'] },
  {
    provider: 'Cloudflare Email Routing',
    domains: ['mx.cloudflare.net'],
    selectors: ['cf2024-1', 'cf2025-1'],
  },
  { provider: 'ImprovMX', domains: ['improvmx.com'], selectors: ['dkimprovmx1', 'dkimprovmx2'] },
  { provider: 'Amazon SES, Resend', domains: ['amazonses.com'], selectors: ['resend', 'amazonses', 'ses'] },
  { provider: 'Bluehost', domains: ['websitewelcome.com'], selectors: ['default'] },
  {
    provider: 'AWeber',
    domains: ['send.aweber.com'],
    selectors: ['aweber_key_a', 'aweber_key_b', 'aweber_key_c'],
  },
  { provider: 'MXroute', domains: ['mxlogin.com', 'mxrouting.net'], selectors: ['x'] },
];

/** The most common selectors of all providers. */
export const commonSelectors: readonly string[] = [
  ...[
    'google',
    'selector1',
    'selector2',
    's1',
    's2',
    'k1',
    'k2',
    'k3',
    'default',
    'dkim',
    'mail',
    'email',
    'smtp',
  ],
  ...['mte1', 'mte2', 'mandrill', 'pm', 'zmail', 'zoho', 'protonmail', 'protonmail2', 'protonmail3'],
  ...[
    'fm1',
    'fm2',
    'fm3',
    'mesmtp',
    'sig1',
    'hs1',
    'hs2',
    'zendesk1',
    'zendesk2',
    'mailjet',
    'brevo1',
    'brevo2',
  ],
  ...[
    'mxvault',
    'everlytickey1',
    'everlytickey2',
    'krs',
    'mailo',
    'mg',
    'resend',
    'secureserver1',
    'secureserver2',
  ],
  ...[
    'cm',
    'ctct1',
    'ctct2',
    'litesrv',
    'km1',
    'km2',
    'dkim1',
    'dkim2',
    'dkimprovmx1',
    'dkimprovmx2',
    'cf2024-1',
  ],
  ...['amazonses', 'ses', 'turbo-smtp', 'x', 'sm', '1', '2', 'a', 'b'],
];

/**
 * The selectors of the providers that MX hosts and SPF includes reveal, compared by whole labels. May include common
 * selectors.
 */
export function selectorsOfProviders(hosts: readonly string[]): readonly string[] {
  const names = hosts.map(canonicalName);
  const revealed = providers.filter(({ domains }) =>
    domains.some((domain) => names.some((name) => isWithin(name, domain))),
  );
  return [...new Set(revealed.flatMap(({ selectors }) => selectors))];
}

/** The domains that an SPF record includes or redirects to (RFC 7208 sections 5.2 and 6.1); skips names with macros. */
export function spfTargets(record: string): readonly string[] {
  return Array.from(
    record.matchAll(/(?:^| )[+?~-]?(?:include:|redirect=)([a-z0-9._-]+)(?= |$)/gi),
    ([, target = '']) => target,
  );
}
