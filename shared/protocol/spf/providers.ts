/**
 * Mail services by the host names that their customers include, as of November 2026. A name stands for itself and
 * for everything below it, label by label: `notsendgrid.net` is not SendGrid.
 */
import { canonicalName } from '../domain-name.ts';

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'Google Workspace': [
    '_spf.google.com',
    '_netblocks.google.com',
    '_netblocks2.google.com',
    '_netblocks3.google.com',
    'aspmx.googlemail.com',
  ],
  'Microsoft 365': ['spf.protection.outlook.com', 'spf.protection.office365.us'],
  'Outlook.com': ['outlook.com', 'hotmail.com'],
  'Amazon SES': ['amazonses.com'],
  SendGrid: ['sendgrid.net'],
  Mailgun: ['mailgun.org'],
  Mailchimp: ['servers.mcsv.net'],
  Mandrill: ['spf.mandrillapp.com'],
  Postmark: ['spf.mtasv.net'],
  Zoho: [
    'zoho.com',
    'zoho.eu',
    'zoho.in',
    'zoho.com.au',
    'zoho.jp',
    'zohomail.com',
    'zohomail.eu',
    'zohomail.in',
    'zcsend.net',
  ],
  Salesforce: ['_spf.salesforce.com'],
  'Salesforce Marketing Cloud': ['cust-spf.exacttarget.com'],
  Pardot: ['pardot.com'],
  HubSpot: ['hubspot.com', 'hubspotemail.net'],
  Zendesk: ['mail.zendesk.com'],
  Fastmail: ['spf.messagingengine.com'],
  'Proton Mail': ['_spf.protonmail.ch'],
  Brevo: ['spf.brevo.com', 'spf.sendinblue.com'],
  Mailjet: ['spf.mailjet.com'],
  SparkPost: ['sparkpostmail.com'],
  'iCloud Mail': ['icloud.com'],
  Yandex: ['_spf.yandex.net', '_spf.yandex.ru'],
  OVH: ['mx.ovh.com'],
  Titan: ['spf.titan.email', 'spf.flockmail.com'],
  GoDaddy: ['secureserver.net'],
  'Cloudflare Email Routing': ['_spf.mx.cloudflare.net'],
  ImprovMX: ['spf.improvmx.com'],
  'Forward Email': ['spf.forwardemail.net'],
  Mimecast: ['mimecast.com'],
  'Proofpoint Essentials': ['ppe-hosted.com'],
  Proofpoint: ['pphosted.com'],
  Barracuda: ['barracudanetworks.com'],
  Sophos: ['_spf.prod.hydra.sophos.com'],
  SMTP2GO: ['smtp2go.net', 'spf.smtp2go.com'],
  MailChannels: ['relay.mailchannels.net'],
  Bluehost: ['websitewelcome.com'],
  Valimail: ['vali.email'],
  Agari: ['spf-protect.agari.com'],
};

const PROVIDERS: ReadonlyMap<string, string> = new Map(
  Object.entries(HOSTS).flatMap(([provider, hosts]) => hosts.map((host) => [host, provider])),
);

/**
 * The service whose host a target names, the closest host deciding. A target with macros is known by its literal
 * end, as in `include:%{i}._ip.%{d}._spf.vali.email`.
 */
export function providerOf(target: string): string | undefined {
  let name = canonicalName(target.slice(target.lastIndexOf('}') + 1));
  for (;;) {
    const provider = PROVIDERS.get(name);
    if (provider !== undefined) return provider;
    const dot = name.indexOf('.');
    if (dot === -1) return undefined;
    name = name.slice(dot + 1);
  }
}
