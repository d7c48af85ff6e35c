/**
 * A network for benchmarks, in a separate process so that it takes no time from the measured ones: a name server with a
 * 20 ms delay, an MX host with STARTTLS, and a web host, all on loopback. It prints their ports as one line of JSON and
 * exits when its standard input closes.
 */
import { createAuthority } from '../kit/certificates.ts';
import { startDnsServer } from '../kit/dns-server.ts';
import { startHttpsHost } from '../kit/https-host.ts';
import { startSmtpHost } from '../kit/smtp-host.ts';
import type { ZoneLiteral } from '../kit/zone.ts';

export interface SimulatedNetwork {
  readonly domain: string;
  readonly delayMilliseconds: number;
  readonly dnsPort: number;
  /** Loopback ports to dial instead, by `host:port`. */
  readonly ports: Readonly<Record<string, number>>;
  /** PEM. */
  readonly authority: string;
}

const DELAY_MILLISECONDS = 20;
const DOMAIN = 'example.org';

const names: ZoneLiteral = {
  'example.org': {
    SOA: [{ mname: 'ns1.example.org', rname: 'hostmaster.example.org', serial: 1, minimum: 300 }],
    NS: ['ns1.example.org', 'ns2.example.org'],
    MX: [
      [10, 'mx1.example.org'],
      [20, 'mx2.example.org'],
    ],
    TXT: ['v=spf1 mx include:one.example.net include:two.example.net -all'],
    A: ['192.0.2.80'],
  },
  'ns1.example.org': { A: ['192.0.2.53'] },
  'ns2.example.org': { A: ['192.0.2.54'] },
  'mx1.example.org': { A: ['192.0.2.25'] },
  'mx2.example.org': { A: ['192.0.2.26'] },
  'one.example.net': { TXT: ['v=spf1 include:three.example.net ip4:192.0.2.128/26 -all'] },
  'two.example.net': { TXT: ['v=spf1 a:out.example.net -all'] },
  'three.example.net': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
  'out.example.net': { A: ['203.0.113.7'] },
  '25.2.0.192.in-addr.arpa': { PTR: ['mx1.example.org'] },
  '26.2.0.192.in-addr.arpa': { PTR: ['mx2.example.org'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject; rua=mailto:reports@elsewhere.example'] },
  'example.org._report._dmarc.elsewhere.example': { TXT: ['v=DMARC1'] },
  'elsewhere.example': { MX: [[10, 'mx1.example.org']] },
  '_mta-sts.example.org': { TXT: ['v=STSv1; id=20260101'] },
  'mta-sts.example.org': { A: ['192.0.2.80'] },
  '_smtp._tls.example.org': { TXT: ['v=TLSRPTv1; rua=mailto:reports@example.org'] },
  'default._bimi.example.org': { TXT: ['v=BIMI1; l=https://www.example.org/logo.svg'] },
  'www.example.org': { A: ['192.0.2.80'] },
};

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"><title>Example</title><desc>A circle</desc><circle r="9"/></svg>';

const authority = createAuthority();
const certificate = authority.issue(['*.example.org']);
const [dns, mx, web] = await Promise.all([
  startDnsServer(names, { delayMilliseconds: DELAY_MILLISECONDS, authoritative: true, negativeTtl: 300 }),
  startSmtpHost({ certificate }),
  startHttpsHost(
    { cert: certificate.chain, key: certificate.key },
    {
      '/.well-known/mta-sts.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'version: STSv1\nmode: enforce\nmx: *.example.org\nmax_age: 2419200\n',
      },
      '/logo.svg': { headers: { 'content-type': 'image/svg+xml' }, body: LOGO },
    },
  ),
]);
const network: SimulatedNetwork = {
  domain: DOMAIN,
  delayMilliseconds: DELAY_MILLISECONDS,
  dnsPort: dns.port,
  ports: {
    'ns1.example.org:53': dns.port,
    'ns2.example.org:53': dns.port,
    'mx1.example.org:25': mx.port,
    'mx2.example.org:25': mx.port,
    'mta-sts.example.org:443': web.port,
    'www.example.org:443': web.port,
  },
  authority: authority.cert,
};
process.stdout.write(`${JSON.stringify(network)}\n`);
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
