/** Selectors to look up, because DNS cannot list selectors. As of November 2026. */
import { type Provider, providerOf } from '../providers.ts';

interface ProviderSelectors {
  readonly provider: Provider;
  readonly selectors: readonly string[];
}

/** Providers that are recognizable by MX or SPF records, with the selectors that all their customers use. */
const providers: readonly ProviderSelectors[] = [
  { provider: 'Google Workspace', selectors: ['google'] },
  { provider: 'Microsoft 365', selectors: ['selector1', 'selector2'] },
  { provider: 'SendGrid', selectors: ['s1', 's2', 'smtpapi'] },
  { provider: 'Mailgun', selectors: ['krs', 'mailo', 'k1', 'smtp', 'mg', 'pic'] },
  { provider: 'Mailchimp', selectors: ['k1', 'k2', 'k3'] },
  { provider: 'Mandrill', selectors: ['mte1', 'mte2', 'mandrill'] },
  { provider: 'Postmark', selectors: ['pm'] },
  { provider: 'Zoho', selectors: ['zmail', 'zoho', 'default'] },
  { provider: 'Salesforce', selectors: ['200608', 'sf'] },
  { provider: 'Salesforce Marketing Cloud', selectors: ['200608', 'sf'] },
  { provider: 'Pardot', selectors: ['200608', 'sf'] },
  { provider: 'HubSpot', selectors: ['hs1', 'hs2'] },
  { provider: 'Zendesk', selectors: ['zendesk1', 'zendesk2'] },
  { provider: 'Fastmail', selectors: ['fm1', 'fm2', 'fm3', 'mesmtp'] },
  { provider: 'Proton Mail', selectors: ['protonmail', 'protonmail2', 'protonmail3'] },
  { provider: 'Brevo', selectors: ['mail', 'brevo1', 'brevo2'] },
  { provider: 'Mailjet', selectors: ['mailjet'] },
  { provider: 'iCloud Mail', selectors: ['sig1'] },
  { provider: 'Yandex', selectors: ['mail'] },
  { provider: 'Titan', selectors: ['titan1'] },
  { provider: 'GoDaddy', selectors: ['secureserver1', 'secureserver2'] },
  { provider: 'Cloudflare Email Routing', selectors: ['cf2024-1', 'cf2025-1'] },
  { provider: 'ImprovMX', selectors: ['dkimprovmx1', 'dkimprovmx2'] },
  { provider: 'Amazon SES', selectors: ['resend', 'amazonses', 'ses'] },
  { provider: 'Bluehost', selectors: ['default'] },
  { provider: 'AWeber', selectors: ['aweber_key_a', 'aweber_key_b', 'aweber_key_c'] },
  { provider: 'MXroute', selectors: ['x'] },
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
  const shown = new Set(hosts.flatMap((host) => [providerOf(host, 'include'), providerOf(host, 'mx')]));
  const revealed = providers.filter(({ provider }) => shown.has(provider));
  return [...new Set(revealed.flatMap(({ selectors }) => selectors))];
}

/** The domains that an SPF record includes or redirects to (RFC 7208 sections 5.2 and 6.1); skips names with macros. */
export function spfTargets(record: string): readonly string[] {
  return Array.from(
    record.matchAll(/(?:^| )[+?~-]?(?:include:|redirect=)([a-z0-9._-]+)(?= |$)/gi),
    ([, target = '']) => target,
  );
}
