/**
 * Mail services by the host names that their customers include, as of November 2026. A name matches itself and its
 * subdomains, label by label: `notsendgrid.net` is not SendGrid.
 */
import { canonicalName } from './domain-name.ts';

const HOSTS = {
  'Google Workspace': [
    '_spf.google.com',
    '_netblocks.google.com',
    '_netblocks2.google.com',
    '_netblocks3.google.com',
    'aspmx.googlemail.com',
  ],
  'Microsoft 365': ['protection.outlook.com', 'protection.office365.us', 'protection.partner.outlook.cn'],
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
  Salesforce: ['_spf.salesforce.com', '_spf.mta.salesforce.com'],
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
  Sophos: ['prod.hydra.sophos.com', 'sophosdmarc.net'],
  SMTP2GO: ['smtp2go.net', 'spf.smtp2go.com'],
  MailChannels: ['relay.mailchannels.net'],
  Bluehost: ['websitewelcome.com'],
  Valimail: ['vali.email'],
  Agari: ['spf-protect.agari.com', 'agari-dns.net', 'dmp.cisco.com'],
  OnDMARC: ['ondmarc.com'],
  PowerDMARC: ['powerspf.com'],
  EasyDMARC: ['easydmarc.pro'],
  Sendmarc: ['sdmarc.net'],
  AutoSPF: ['autospf.email'],
  'Cisco Secure Email': ['iphmx.com'],
  Hornetsecurity: ['hornetsecurity.com', 'hornetdmarc.com'],
  'Symantec Email Security.cloud': ['messagelabs.com'],
  'Trend Micro': ['trendmicro.com', 'trendmicro.eu'],
  SpamExperts: ['antispamcloud.com'],
  SEPPmail: ['seppmail.cloud'],
  NoSpamProxy: ['cloud.nospamproxy.com'],
  Zivver: ['_spf.zivver.com'],
  CodeTwo: ['emailsignatures365.com', 'codetwo.com'],
  Exclaimer: ['exclaimer.net'],
  KnowBe4: ['knowbe4.com'],
  IONOS: ['_spf-eu.ionos.com', '_spf-us.ionos.com', 'kundenserver.de', 'perfora.net'],
  STRATO: ['_spf.strato.com', '_spf.strato.de'],
  'ALL-INKL': ['kasserver.com'],
  Infomaniak: ['spf.infomaniak.ch', 'spf.infomaniak.com'],
  Hostinger: ['_spf.mail.hostinger.com', 'spf.mx.hostinger.com'],
  Locaweb: ['_spf.locaweb.com.br'],
  Gandi: ['_mailcust.gandi.net'],
  Namecheap: ['spf.web-hosting.com', 'spf.privateemail.com', 'spf.efwd.registrar-servers.com'],
  DreamHost: ['netblocks.dreamhost.com'],
  Rackspace: ['emailsrvr.com'],
  'Yahoo Mail': ['_spf.mail.yahoo.com'],
  'Mailbox.org': ['mailbox.org'],
  MailerLite: ['mlsend.com'],
  MailerSend: ['mailersend.net'],
  'Campaign Monitor': ['createsend.com'],
  ActiveCampaign: ['emsd1.com'],
  'Constant Contact': ['spf.constantcontact.com'],
  'Elastic Email': ['_spf.elasticemail.com', 'elasticemail.info'],
  Flowmailer: ['flowmailer.net'],
  'Oracle Dyn': ['spf.dynect.net'],
  Freshdesk: ['email.freshdesk.com', 'freshemail.io'],
  'Help Scout': ['helpscoutemail.com'],
  Atlassian: ['_spf.atlassian.net'],
  Shopify: ['shops.shopify.com'],
  Qualtrics: ['_spf.qualtrics.com'],
  AWeber: ['send.aweber.com'],
  MXroute: ['mxlogin.com'],
} as const satisfies Record<string, readonly string[]>;

export type Provider = keyof typeof HOSTS;

const PROVIDERS: ReadonlyMap<string, Provider> = new Map(
  (Object.keys(HOSTS) as Provider[]).flatMap((provider) => HOSTS[provider].map((host) => [host, provider])),
);

/**
 * The service whose host matches a target; the closest host decides. A target with macros is recognized by its literal
 * end, as in `include:%{i}._ip.%{d}._spf.vali.email`.
 */
export function providerOf(target: string): Provider | undefined {
  let name = canonicalName(target.slice(target.lastIndexOf('}') + 1));
  for (;;) {
    const provider = PROVIDERS.get(name);
    if (provider !== undefined) return provider;
    const dot = name.indexOf('.');
    if (dot === -1) return undefined;
    name = name.slice(dot + 1);
  }
}
