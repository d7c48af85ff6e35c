/**
 * A zone that makes a check run send as much as possible to others: forty mail addresses, a tree of SPF includes,
 * thirteen name servers, and redirects of everything that is fetched. Its hosts are real servers on loopback.
 */
import type { Endpoint } from '../../shared/network/dialer.ts';
import { createNetwork } from '../../shared/network/network.ts';
import type { Network } from '../../shared/network/ports.ts';
import { createAuthority } from './certificates.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import { type HttpsHost, startHttpsHost } from './https-host.ts';
import { type SmtpHost, startSmtpHost } from './smtp-host.ts';
import type { ZoneLiteral, ZoneNode } from './zone.ts';

export const HOSTILE = 'hostile.example';

const MAIL_HOSTS = 10;
const NAME_SERVERS = 13;
const range = (length: number) => Array.from({ length }, (_, at) => at);
const WEB = '198.18.0.1';

/** The addresses of a mail host: two for each family. */
const mailAddresses = (host: number) => ({
  A: [`192.0.2.${2 * host}`, `192.0.2.${2 * host + 1}`],
  AAAA: [`2001:db8:${host}:1::1`, `2001:db8:${host}:2::1`],
});

/** The character-strings of a long record. */
const strings = (text: string): readonly string[] => text.match(/.{1,255}/g) ?? [];

/** A record with nine includes, of records with nine includes, of records that name hosts. */
function includes(name: string, depth: number): ZoneLiteral {
  const below = range(9).map((at) => `i${at}.${name}`);
  const term = depth === 0 ? 'a:' : 'include:';
  const own = { [name]: { TXT: [strings(`v=spf1 ${below.map((it) => `${term}${it}`).join(' ')} -all`)] } };
  return depth === 0 ? own : Object.assign(own, ...below.map((it) => includes(it, depth - 1)));
}

const hostileZone: ZoneLiteral = {
  ...includes(`_spf.${HOSTILE}`, 2),
  ...Object.fromEntries(range(MAIL_HOSTS).map((host) => [`mx${host}.${HOSTILE}`, mailAddresses(host)])),
  ...Object.fromEntries(
    range(NAME_SERVERS).map((server): [string, ZoneNode] => [
      `ns${server}.${HOSTILE}`,
      { A: [`198.51.100.${server}`] },
    ]),
  ),
  [HOSTILE]: {
    A: [WEB],
    MX: range(MAIL_HOSTS).map((host) => [host, `mx${host}.${HOSTILE}`] as const),
    NS: range(NAME_SERVERS).map((server) => `ns${server}.${HOSTILE}`),
    SOA: [{ mname: `ns0.${HOSTILE}`, rname: `admin.${HOSTILE}`, serial: 1, minimum: 0 }],
    TXT: [`v=spf1 include:_spf.${HOSTILE} -all`],
  },
  [`_dmarc.${HOSTILE}`]: {
    TXT: [
      strings(
        `v=DMARC1; p=reject; rua=${range(20)
          .map((at) => `mailto:a@r${at}.example`)
          .join(',')}`,
      ),
    ],
  },
  [`mta-sts.${HOSTILE}`]: { A: [WEB] },
  [`_mta-sts.${HOSTILE}`]: { TXT: ['v=STSv1; id=1'] },
  [`default._bimi.${HOSTILE}`]: {
    TXT: [`v=BIMI1; l=https://${HOSTILE}/0.svg; a=https://${HOSTILE}/0.pem`],
  },
};

export interface HostileHosts {
  /** A network of its own, without anything cached. */
  network(): Network;
  /** What arrived at the hosts of the zone. */
  sent(): { readonly queries: number; readonly connections: number; readonly requests: number };
  stop(): Promise<void>;
}

export async function startHostileHosts(): Promise<HostileHosts> {
  const authority = createAuthority();
  const redirects = ['svg', 'pem'].flatMap((type) =>
    range(9).map((at) => [
      `/${at}.${type}`,
      { status: 302, headers: { location: `https://${HOSTILE}/${at + 1}.${type}` } },
    ]),
  );
  const [dns, smtp, https]: [DnsServer, SmtpHost, HttpsHost] = await Promise.all([
    // Without a TTL, nothing is cached.
    startDnsServer(hostileZone, { authoritative: true, ttl: 0 }),
    // A failed handshake makes a probe connect a second time.
    startSmtpHost({ certificate: authority.issue(['mx.example']), afterStarttls: 'close' }),
    startHttpsHost(authority.issue([HOSTILE, `mta-sts.${HOSTILE}`]), Object.fromEntries(redirects)),
  ]);
  const addresses = range(MAIL_HOSTS).flatMap((host) => Object.values(mailAddresses(host)).flat());
  const dialMap = new Map<string, Endpoint>([
    ...addresses.map(
      (address) => [address.includes(':') ? `[${address}]:25` : `${address}:25`, smtp] as const,
    ),
    ...range(NAME_SERVERS).map((server) => [`198.51.100.${server}:53`, dns] as const),
    [`${WEB}:443`, https] as const,
  ]);
  return {
    network: () =>
      createNetwork({ dnsServers: [dns], dialMap, extraCa: authority.cert, ehloName: 'probe.test' }),
    sent: () => ({
      queries: dns.queries.length,
      connections: smtp.connections(),
      requests: https.requests.length,
    }),
    async stop() {
      await Promise.all([dns.stop(), smtp.stop(), https.stop()]);
    },
  };
}
