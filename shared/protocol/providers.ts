/**
 * Mail services, one row each, as of November 2026: by what DNS and reports show of them. A name matches itself and its
 * subdomains, label by label: `notsendgrid.net` is not SendGrid. Where names nest, the longest one decides.
 */
import { canonicalName } from './domain-name.ts';

interface Service {
  /**
   * Domains that it uses for everything: it signs with them (`d=`), its customers share them in MAIL FROM and include them
   * in SPF, and its servers have names in them.
   */
  readonly own?: readonly string[];
  /** What it signs with and uses in MAIL FROM, if below it each name belongs to one customer, who alone can send with it. */
  readonly customers?: readonly string[];
  /** Other names that its customers include in SPF, or redirect to. */
  readonly includes?: readonly string[];
  /** Its servers in reverse DNS. They are HELO names too, for which SPF is evaluated where MAIL FROM is empty. */
  readonly servers?: readonly string[];
  /** What the service asks customers to include whose MAIL FROM domain is their own. */
  readonly include?: string;
  /** Hosts in the MX records of its customers, if that is all that they include for their mailboxes. */
  readonly mailboxes?: readonly string[];
  /** Other hosts in the MX records of its customers. */
  readonly mx?: readonly string[];
}

const SERVICES = {
  // Mailboxes
  'Google Workspace': {
    includes: [
      '_spf.google.com',
      '_netblocks.google.com',
      '_netblocks2.google.com',
      '_netblocks3.google.com',
      'aspmx.googlemail.com',
    ],
    servers: ['google.com'],
    customers: ['gappssmtp.com'],
    mailboxes: ['aspmx.l.google.com', 'smtp.google.com', 'googlemail.com'],
    include: '_spf.google.com',
  },
  'Microsoft 365': {
    own: ['protection.outlook.com', 'protection.office365.us', 'protection.partner.outlook.cn'],
    customers: ['onmicrosoft.com', 'onmicrosoft.us', 'partner.onmschina.cn'],
    mailboxes: ['mail.protection.outlook.com', 'mx.microsoft'],
    include: 'spf.protection.outlook.com',
  },
  'Outlook.com': { own: ['outlook.com', 'hotmail.com'] },
  Zoho: {
    own: [
      ...['zoho.com', 'zoho.eu', 'zoho.in', 'zoho.com.au', 'zoho.jp'],
      ...['zohomail.com', 'zohomail.eu', 'zohomail.in', 'zcsend.net'],
    ],
    mailboxes: ['zoho.com'],
    include: 'zohomail.com',
  },
  Fastmail: {
    own: ['messagingengine.com'],
    mailboxes: ['messagingengine.com'],
    include: 'spf.messagingengine.com',
  },
  'Proton Mail': {
    own: ['protonmail.ch', 'proton.ch'],
    mailboxes: ['protonmail.ch'],
    include: '_spf.protonmail.ch',
  },
  'iCloud Mail': {
    own: ['icloud.com'],
    servers: ['me.com'],
    mailboxes: ['mail.icloud.com'],
    include: 'icloud.com',
  },
  Yandex: {
    includes: ['_spf.yandex.net', '_spf.yandex.ru'],
    servers: ['mail.yandex.net'],
    mx: ['yandex.net', 'yandex.ru'],
    mailboxes: ['mx.yandex.net'],
    include: '_spf.yandex.net',
  },
  'Mail.ru': { own: ['mail.ru'], mailboxes: ['emx.mail.ru'], include: '_spf.mail.ru' },
  OVH: {
    includes: ['mx.ovh.com'],
    servers: ['mail-out.ovh.net'],
    mailboxes: ['mail.ovh.net'],
    include: 'mx.ovh.com',
  },
  Titan: { own: ['titan.email', 'flockmail.com'], mailboxes: ['titan.email'], include: 'spf.titan.email' },
  GoDaddy: { own: ['secureserver.net'], mailboxes: ['secureserver.net'], include: 'secureserver.net' },
  IONOS: {
    includes: ['_spf-eu.ionos.com', '_spf-us.ionos.com'],
    own: ['kundenserver.de', 'perfora.net'],
    mailboxes: ['ionos.de', 'ionos.fr', 'ionos.co.uk', 'kundenserver.de'],
    include: '_spf-eu.ionos.com',
  },
  STRATO: {
    includes: ['_spf.strato.com', '_spf.strato.de'],
    servers: ['rzone.de'],
    mailboxes: ['rzone.de'],
    include: '_spf.strato.com',
  },
  'ALL-INKL': { own: ['kasserver.com'], mailboxes: ['kasserver.com'], include: 'spf.kasserver.com' },
  Infomaniak: {
    includes: ['spf.infomaniak.ch', 'spf.infomaniak.com'],
    mailboxes: ['infomaniak.ch'],
    include: 'spf.infomaniak.ch',
  },
  Hostinger: {
    includes: ['_spf.mail.hostinger.com', 'spf.mx.hostinger.com'],
    mailboxes: ['mx1.hostinger.com', 'mx2.hostinger.com'],
    include: '_spf.mail.hostinger.com',
  },
  Gandi: {
    includes: ['_mailcust.gandi.net'],
    servers: ['mail.gandi.net'],
    mailboxes: ['mail.gandi.net'],
    include: '_mailcust.gandi.net',
  },
  Namecheap: {
    own: ['privateemail.com'],
    includes: ['spf.web-hosting.com', 'spf.efwd.registrar-servers.com'],
    mailboxes: ['privateemail.com'],
    include: 'spf.privateemail.com',
  },
  Rackspace: { own: ['emailsrvr.com'], mailboxes: ['emailsrvr.com'], include: 'emailsrvr.com' },
  'Mailbox.org': { own: ['mailbox.org'], mailboxes: ['mailbox.org'], include: 'mailbox.org' },
  Migadu: { own: ['migadu.com'], mailboxes: ['migadu.com'], include: 'spf.migadu.com' },
  Tuta: { own: ['tutanota.de'], mailboxes: ['mail.tutanota.de'], include: 'spf.tutanota.de' },
  'Yahoo Mail': { includes: ['_spf.mail.yahoo.com'], servers: ['mail.yahoo.com'] },
  MXroute: { own: ['mxlogin.com', 'mxroute.com'], mx: ['mxrouting.net'] },
  Bluehost: { own: ['websitewelcome.com', 'bluehost.com'] },
  DreamHost: { own: ['dreamhost.com'] },
  Locaweb: { own: ['locaweb.com.br'] },
  LuxSci: { own: ['luxsci.com'] },
  Paubox: { own: ['paubox.com'] },
  // Forwarding
  'Cloudflare Email Routing': {
    includes: ['_spf.mx.cloudflare.net'],
    mailboxes: ['mx.cloudflare.net'],
    include: '_spf.mx.cloudflare.net',
  },
  ImprovMX: { own: ['improvmx.com'], mailboxes: ['improvmx.com'], include: 'spf.improvmx.com' },
  'Forward Email': {
    own: ['forwardemail.net'],
    mailboxes: ['forwardemail.net'],
    include: 'spf.forwardemail.net',
  },
  DuoCircle: { own: ['mailhop.org'] },
  // Mail from programs
  'Amazon SES': { own: ['amazonses.com'], include: 'amazonses.com' },
  SendGrid: { own: ['sendgrid.net', 'sendgrid.info'], include: 'sendgrid.net' },
  Mailgun: { own: ['mailgun.org', 'mailgun.net', 'mailgun.us', 'mailgun.info'], include: 'mailgun.org' },
  Mandrill: { own: ['mandrillapp.com'], include: 'spf.mandrillapp.com' },
  Postmark: { own: ['mtasv.net'], include: 'spf.mtasv.net' },
  Mailjet: { own: ['mailjet.com'], include: 'spf.mailjet.com' },
  SparkPost: { own: ['sparkpostmail.com'], include: 'sparkpostmail.com' },
  'Zoho ZeptoMail': { own: ['zeptomail.net', 'transmail.net'] },
  MailerSend: { own: ['mailersend.net'] },
  SMTP2GO: { own: ['smtp2go.com', 'smtp2go.net', 'smtpcorp.com'], include: 'spf.smtp2go.com' },
  'SMTP.com': { own: ['smtp.com'] },
  SocketLabs: { own: ['email-od.com'] },
  Netcore: { own: ['pepitrans01.com', 'pepitrans02.com'] },
  MailChannels: { own: ['mailchannels.net'], include: 'relay.mailchannels.net' },
  'Elastic Email': { own: ['elasticemail.com', 'elasticemail.info'], include: '_spf.elasticemail.com' },
  Flowmailer: { own: ['flowmailer.net'] },
  'Oracle Dyn': { includes: ['spf.dynect.net'] },
  // Newsletters and marketing
  Mailchimp: { own: ['mcsv.net', 'rsgsv.net', 'mcdlv.net', 'mailchimpapp.net'], include: 'servers.mcsv.net' },
  Brevo: {
    own: ['brevo.com', 'brevosend.com', 'sendinblue.com', 'sender-sib.com'],
    include: 'spf.brevo.com',
  },
  Klaviyo: { own: ['klaviyomail.com'] },
  HubSpot: { own: ['hubspot.com', 'hubspotemail.net'] },
  'Salesforce Marketing Cloud': {
    own: ['exacttarget.com', 'exactt.com'],
    include: 'cust-spf.exacttarget.com',
  },
  Pardot: { own: ['pardot.com', 'pd25.com'] },
  'Adobe Marketo': { own: ['mktomail.com'] },
  'Oracle Eloqua': { own: ['en25.com'] },
  'Customer.io': { own: ['customeriomail.com'] },
  'Campaign Monitor': { own: ['createsend.com', 'cmail19.com', 'cmail20.com'] },
  ActiveCampaign: { own: ['emsd1.com'] },
  'Constant Contact': { own: ['constantcontact.com', 'ccsend.com'] },
  MailerLite: { own: ['mlsend.com'] },
  AWeber: { own: ['aweber.com'] },
  CleverReach: { own: ['crsend.com'], include: 'spf.crsend.com' },
  Inxmail: { own: ['inxserver.de'] },
  Emma: { own: ['e2ma.net'] },
  Keap: { own: ['infusionmail.com'], include: 'infusionmail.com' },
  Kit: { own: ['convertkit-mail.com', 'convertkit-mail2.com'] },
  Cvent: { own: ['cvent-planner.com', 'cvtsv.com'] },
  // Software that sends as its customers
  Salesforce: { own: ['salesforce.com'], include: '_spf.salesforce.com' },
  Zendesk: { own: ['zendesk.com', 'zdsys.com'], include: 'mail.zendesk.com' },
  Freshdesk: { own: ['freshdesk.com', 'freshemail.io'], include: 'email.freshdesk.com' },
  'Help Scout': { own: ['helpscoutemail.com', 'helpscout.net'], include: 'helpscoutemail.com' },
  Intercom: { own: ['intercom.io', 'intercom-mail.com'] },
  Atlassian: { own: ['atlassian.net'], include: '_spf.atlassian.net' },
  Shopify: { own: ['shops.shopify.com', 'shopifyemail.com'], include: 'shops.shopify.com' },
  Qualtrics: { own: ['qemailserver.com'], includes: ['_spf.qualtrics.com'], include: '_spf.qualtrics.com' },
  ServiceNow: { own: ['service-now.com'] },
  Workday: { own: ['myworkday.com'] },
  'Oracle NetSuite': { own: ['netsuite.com'] },
  'SAP Concur': { own: ['concursolutions.com'] },
  Cornerstone: { own: ['csod.com'] },
  KnowBe4: { own: ['knowbe4.com'] },
  Exclaimer: { own: ['exclaimer.net'] },
  CodeTwo: { own: ['emailsignatures365.com', 'codetwo.com'] },
  Zivver: { includes: ['_spf.zivver.com'] },
  // Security gateways
  Mimecast: { own: ['mimecast.com', 'mimecast.co.za', 'mimecast-offshore.com'] },
  Proofpoint: { own: ['pphosted.com', 'gpphosted.com'] },
  'Proofpoint Essentials': { own: ['ppe-hosted.com'] },
  Barracuda: { own: ['barracudanetworks.com', 'barracuda.com'] },
  Sophos: { own: ['hydra.sophos.com', 'sophosdmarc.net'] },
  'Cisco Secure Email': { own: ['iphmx.com'] },
  Hornetsecurity: { own: ['hornetsecurity.com', 'antispameurope.com', 'hornetdmarc.com'] },
  'Symantec Email Security.cloud': { own: ['messagelabs.com'] },
  'Trend Micro': { own: ['trendmicro.com', 'trendmicro.eu'] },
  SpamExperts: { own: ['antispamcloud.com', 'mtaroutes.com'] },
  SEPPmail: { own: ['seppmail.cloud'] },
  NoSpamProxy: { own: ['cloud.nospamproxy.com'] },
  Forcepoint: { own: ['mailcontrol.com'] },
  MailRoute: { own: ['mailroute.net'] },
  AppRiver: { own: ['appriver.com'] },
  FortiMail: { own: ['fortimail.com'] },
  // SPF records that a DMARC service keeps
  Valimail: { includes: ['vali.email'] },
  Agari: { includes: ['spf-protect.agari.com', 'agari-dns.net', 'dmp.cisco.com'] },
  OnDMARC: { includes: ['ondmarc.com'] },
  PowerDMARC: { includes: ['powerspf.com'] },
  EasyDMARC: { includes: ['easydmarc.pro'] },
  Sendmarc: { includes: ['sdmarc.net'] },
  AutoSPF: { includes: ['autospf.email'] },
} as const satisfies Readonly<Record<string, Service>>;

export type Provider = keyof typeof SERVICES;

const rows = Object.entries(SERVICES) as [Provider, Service][];

export const services: ReadonlyMap<string, Service> = new Map(rows);

/** What a name was found as. */
export type Evidence = 'include' | 'signature' | 'envelope' | 'mx';

const BY_EVIDENCE: Readonly<Record<Evidence, ReadonlyMap<string, Provider>>> = {
  include: providersBy(({ includes }) => includes),
  signature: providersBy(({ customers }) => customers),
  envelope: providersBy(({ customers = [], servers = [] }) => [...customers, ...servers]),
  mx: providersBy(({ mx = [], mailboxes = [] }) => [...mx, ...mailboxes]),
};

function providersBy(
  names: (service: Service) => readonly string[] | undefined,
): ReadonlyMap<string, Provider> {
  return new Map(
    rows.flatMap(([provider, service]) =>
      [...(service.own ?? []), ...(names(service) ?? [])].map((name) => [name, provider] as const),
    ),
  );
}

/**
 * The service that a name shows as this evidence. An SPF target with macros is recognized by its literal end, as in
 * `include:%{i}._ip.%{d}._spf.vali.email`.
 */
export function providerOf(target: string, evidence: Evidence = 'include'): Provider | undefined {
  return closest(BY_EVIDENCE[evidence], target.slice(target.lastIndexOf('}') + 1));
}

const CUSTOMER_DOMAINS = new Map(
  rows.flatMap(([, { customers = [] }]) => customers.map((name) => [name, name])),
);

/** Google renews the key of all customers every few years, and its date is part of the name. */
const KEY_DATE = /\.\d{8}(?=\.gappssmtp\.com$)/;

/**
 * The name by which a customer of a service is known in its domains: `contoso.onmicrosoft.com` for itself. Undefined for
 * names that customers share.
 */
export function customerOf(name: string): string | undefined {
  const canonical = canonicalName(name);
  const domain = closest(CUSTOMER_DOMAINS, canonical);
  return domain === undefined || domain === canonical ? undefined : canonical.replace(KEY_DATE, '');
}

const MAILBOXES = new Map(
  rows.flatMap(([, { mailboxes = [], include = '' }]) => mailboxes.map((host) => [host, include])),
);

/** What the owner of the mailboxes behind an MX host includes in SPF, as their service asks for; undefined if not known. */
export const includeForMailboxes = (host: string): string | undefined => closest(MAILBOXES, host);

/** What a service asks customers to include whose MAIL FROM domain is their own; undefined if not known. */
export const includeOf = (provider: string): string | undefined => services.get(provider)?.include;

function closest<Value>(table: ReadonlyMap<string, Value>, of: string): Value | undefined {
  let name = canonicalName(of);
  for (;;) {
    const found = table.get(name);
    if (found !== undefined) return found;
    const dot = name.indexOf('.');
    if (dot === -1) return undefined;
    name = name.slice(dot + 1);
  }
}
