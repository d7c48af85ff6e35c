/**
 * The data of the example internet: zones, mail hosts and web sites under `test`, a reserved name (RFC 6761 section
 * 6.2). Addresses are from 192.0.2.0/24, which is not routed (RFC 5737); connections to them are redirected to
 * loopback.
 */
import { isWithin } from '../../../shared/protocol/domain-name.ts';

/** The records of one name, as dns-packet writes them. TLSA records are added when certificates are created. */
export interface Node {
  readonly A?: readonly string[];
  /** The exchange `.` is a null MX (RFC 7505). */
  readonly MX?: readonly { readonly preference: number; readonly exchange: string }[];
  readonly TXT?: readonly string[];
  readonly CAA?: readonly { readonly flags: number; readonly tag: string; readonly value: string }[];
}

interface MailHost {
  readonly name: string;
  readonly address: string;
  /** Whether the host offers STARTTLS and has a TLSA record. */
  readonly tls: boolean;
}

export interface WebHost {
  readonly name: string;
  readonly address: string;
  readonly files: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
  /** Whether it takes requests of webhooks, for people who try them out. */
  readonly takesWebhooks?: true;
}

/** The zone whose keys are the trust anchor. */
export const topZone = 'test';
/** The name server of every zone, as in their NS and SOA records. */
export const nameServer = { name: 'ns.test', address: '192.0.2.53' } as const;

/** Zones delegated from `test`, with or without DNSSEC. */
export const zones: readonly { readonly name: string; readonly signed: boolean }[] = [
  { name: 'good.test', signed: true },
  { name: 'weak.test', signed: false },
  { name: 'parked.test', signed: true },
  { name: 'broken-spf.test', signed: true },
  { name: 'send-only.test', signed: true },
  { name: 'receive-only.test', signed: true },
  { name: 'local.test', signed: true },
];

/** The zone whose SPF record authorizes this machine, so that a first test message passes. */
export const localSenderDomain = 'local.test';

/** Zones whose server fails: every query in them is answered with SERVFAIL. */
const failingZones: readonly string[] = ['servfail.test'];

/** Every domain that users can try. */
export const exampleDomains = [...zones.map(({ name }) => name), ...failingZones];

export const fails = (name: string): boolean => failingZones.some((zone) => isWithin(name, zone));

export const mailHosts: readonly MailHost[] = [
  { name: 'mx1.good.test', address: '192.0.2.11', tls: true },
  { name: 'mx2.good.test', address: '192.0.2.12', tls: true },
  { name: 'mx.receive-only.test', address: '192.0.2.13', tls: true },
  { name: 'bounces.send-only.test', address: '192.0.2.14', tls: true },
  { name: 'mx.weak.test', address: '192.0.2.15', tls: false },
  { name: 'mx.local.test', address: '192.0.2.16', tls: true },
];

/** BIMI logos are SVG Tiny PS: square, with a title, static and self-contained (draft-svg-tiny-ps-abrotman). */
const logo = (title: string, colour: string) => ({
  type: 'image/svg+xml',
  text: `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 64 64">
<title>${title}</title>
<desc>A white envelope on a plain ground</desc>
<rect width="64" height="64" fill="${colour}"/>
<path d="M12 20h40v24H12zM12 20l20 14 20-14" fill="none" stroke="#ffffff" stroke-width="4"/>
</svg>
`,
});

/** RFC 8461 section 3.2. */
const policy = (...exchanges: string[]) => ({
  type: 'text/plain',
  text: [
    'version: STSv1',
    'mode: enforce',
    ...exchanges.map((name) => `mx: ${name}`),
    'max_age: 604800',
    '',
  ].join('\r\n'),
});

export const webHosts: readonly WebHost[] = [
  { name: 'good.test', address: '192.0.2.21', files: { '/bimi/logo.svg': logo('Good Example', '#00695c') } },
  {
    name: 'mta-sts.good.test',
    address: '192.0.2.22',
    files: { '/.well-known/mta-sts.txt': policy('mx1.good.test', 'mx2.good.test') },
  },
  {
    name: 'mta-sts.receive-only.test',
    address: '192.0.2.23',
    files: { '/.well-known/mta-sts.txt': policy('mx.receive-only.test') },
  },
  {
    name: 'send-only.test',
    address: '192.0.2.24',
    files: { '/bimi/logo.svg': logo('Send Only', '#283593') },
  },
  { name: 'hooks.test', address: '192.0.2.25', files: {}, takesWebhooks: true },
];

/** DKIM public keys (RFC 6376 section 3.6.1, RFC 8463); the private keys were discarded. */
const rsa2048 =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAs3yD270USndjsGSNRzi3rF7AxKgan7yxCsMfFNuTunXiHABEgWsS+O3L' +
  'Ls/CcT0W6zas0yNoxxVNzKa+XpZ7NwmuT7l3US86ySkXG5dIJtZ2Tmluy44JBQQ3nWgkGwIS/thltw4DK5bwSKVjrkXhQkXJ45sq' +
  's8xqOWHDwwVZGoj3f0NRoYHlwsLjSe490+eyrgq7mPhpNkUMBXvTfioZ359f9RkNgEeIW0vEJzq+4oQ2w53+Dz3o73Bf10csPLVL' +
  'cNCxxmIUsISekTQAl56Qbdn/wQoL8kjAq+lsgk9YrerEQ8zoc1yqdg/Ld4omP94S4YZMSvWfP9zOxS6sGxzGgwIDAQAB';
const rsa1024 =
  'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCp78/uZee9Wb05fnDuaBGig5Ls96TTPvemJ8CBu6d3c6LH8ldp1tePT8VXHsWS' +
  '4AinJTHAjq19CwV2QlEyqlnxEeqH+8TftwiiLq3XPdyvf9FamILrsQ0yqc1MYMHu2JlPJ+n411nBrv7jDVxADJE4TCTUGUOVeO36' +
  'SDieidf0BQIDAQAB';
const ed25519 = 'YwsTo0D04Ee1LD7fIVFG1wTp5nu8sVV6hwBFCmU6iaA=';

/** More than the ten lookups of RFC 7208 section 4.6.4. */
const tooManyIncludes = Array.from({ length: 11 }, (_, index) => `_spf${index + 1}.broken-spf.test`);

export const records: Readonly<Record<string, Node>> = {
  'good.test': {
    MX: [
      { preference: 10, exchange: 'mx1.good.test' },
      { preference: 20, exchange: 'mx2.good.test' },
    ],
    TXT: ['v=spf1 include:_spf.good.test -all'],
    CAA: [
      { flags: 0, tag: 'issue', value: 'letsencrypt.org' },
      { flags: 0, tag: 'issuewild', value: ';' },
      { flags: 0, tag: 'iodef', value: 'mailto:security@good.test' },
    ],
  },
  '_spf.good.test': { TXT: ['v=spf1 ip4:192.0.2.11 ip4:192.0.2.12 -all'] },
  'google._domainkey.good.test': { TXT: [`v=DKIM1; k=rsa; p=${rsa2048}`] },
  'default._domainkey.good.test': { TXT: [`v=DKIM1; k=ed25519; p=${ed25519}`] },
  '_dmarc.good.test': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@good.test'] },
  '_mta-sts.good.test': { TXT: ['v=STSv1; id=20261101'] },
  '_smtp._tls.good.test': { TXT: ['v=TLSRPTv1; rua=mailto:tls@good.test'] },
  'default._bimi.good.test': { TXT: ['v=BIMI1; l=https://good.test/bimi/logo.svg; a='] },
  // The reports about a domain without mailboxes go to another domain, which must authorize them (RFC 9990 section 4).
  'parked.test._report._dmarc.good.test': { TXT: ['v=DMARC1'] },

  'weak.test': {
    MX: [{ preference: 10, exchange: 'mx.weak.test' }],
    TXT: ['v=spf1 mx ~all'],
    // RFC 8659 separates parameters by semicolons.
    CAA: [{ flags: 0, tag: 'issue', value: 'letsencrypt.org validationmethods=dns-01' }],
  },
  'default._domainkey.weak.test': { TXT: [`v=DKIM1; k=rsa; p=${rsa1024}`] },
  '_dmarc.weak.test': { TXT: ['v=DMARC1; p=none'] },

  'parked.test': { MX: [{ preference: 0, exchange: '.' }], TXT: ['v=spf1 -all'] },
  '_dmarc.parked.test': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@good.test'] },

  'broken-spf.test': {
    MX: [{ preference: 10, exchange: 'mx1.good.test' }],
    TXT: [`v=spf1 ${tooManyIncludes.map((name) => `include:${name}`).join(' ')} -all`],
  },
  ...Object.fromEntries(tooManyIncludes.map((name) => [name, { TXT: ['v=spf1 ip4:192.0.2.128/25 -all'] }])),
  '_dmarc.broken-spf.test': { TXT: ['v=DMARC1; p=quarantine; rua=mailto:dmarc@broken-spf.test'] },

  'send-only.test': {
    MX: [{ preference: 10, exchange: 'bounces.send-only.test' }],
    TXT: ['v=spf1 ip4:192.0.2.64/28 -all'],
  },
  'google._domainkey.send-only.test': { TXT: [`v=DKIM1; k=rsa; p=${rsa2048}`] },
  'default._domainkey.send-only.test': { TXT: [`v=DKIM1; k=ed25519; p=${ed25519}`] },
  '_dmarc.send-only.test': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@send-only.test'] },
  'default._bimi.send-only.test': { TXT: ['v=BIMI1; l=https://send-only.test/bimi/logo.svg; a='] },

  'receive-only.test': { MX: [{ preference: 10, exchange: 'mx.receive-only.test' }], TXT: ['v=spf1 -all'] },
  '_dmarc.receive-only.test': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@receive-only.test'] },
  '_mta-sts.receive-only.test': { TXT: ['v=STSv1; id=20261101'] },
  '_smtp._tls.receive-only.test': { TXT: ['v=TLSRPTv1; rua=mailto:tls@receive-only.test'] },

  'local.test': {
    MX: [{ preference: 10, exchange: 'mx.local.test' }],
    TXT: ['v=spf1 ip4:127.0.0.1 ip6:::1 -all'],
  },
  '_dmarc.local.test': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@local.test'] },
};
