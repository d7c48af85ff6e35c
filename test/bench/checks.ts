/**
 * A full check of one domain on a simulated network, compared with the longest chain of round trips that it cannot
 * avoid.
 */
import { inspectDomain } from '../../shared/checks/inspect.ts';
import { systemClock } from '../../shared/network/clock.ts';
import type { Network, Smtp } from '../../shared/network/ports.ts';
import { fakeWeb } from '../kit/web.ts';
import { type ZoneLiteral, zone } from '../kit/zone.ts';
import { median, secondsOf } from './measuring.ts';
import type { BenchRow } from './row.ts';

const ROUND_TRIP = 20;
const ROUNDS = 9;

/** Connect, greeting, EHLO, STARTTLS, TLS 1.3, EHLO, QUIT; and connect, TLS 1.3, request. */
const SMTP_ROUND_TRIPS = 7;
const WEB_ROUND_TRIPS = 3;
/** The addresses of a name server, and the query to it. */
const AUTHORITY_ROUND_TRIPS = 2;

/**
 * MX, then the addresses of its host, then the dialogue with it: no shorter path shows whether the host supports TLS.
 */
const CRITICAL_PATH = (1 + 1 + SMTP_ROUND_TRIPS) * ROUND_TRIP;

export async function benchChecks(): Promise<readonly BenchRow[]> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) times.push(1000 * (await secondsOf(measureCheck)));
  const usual = median(times.slice(1));
  const ratio = usual / CRITICAL_PATH;
  return [
    {
      name: `Full check of a domain at ${ROUND_TRIP} ms per round trip, compared with its critical path`,
      value: `${Math.round(usual)} ms compared with ${CRITICAL_PATH} ms: ${ratio.toFixed(2)} times`,
      goal: 'at most 1.3 times',
      met: ratio <= 1.3,
    },
  ];
}

/** One full check. */
export async function measureCheck(): Promise<void> {
  const results = await inspectDomain(
    { domain: 'example.org', testEmailLocalPart: null, knownSelectors: [] },
    { network: network(), trustAnchors: [] },
  );
  if (results.mx.tlsSupported !== true) throw new Error('the simulated MX host was not reached');
}

function network(): Network {
  return {
    dns: zone(records, { delayMilliseconds: ROUND_TRIP }),
    web: fakeWeb(
      {
        'https://mta-sts.example.org/.well-known/mta-sts.txt': {
          type: 'text/plain',
          body: 'version: STSv1\r\nmode: enforce\r\nmx: mx.example.org\r\nmax_age: 604800\r\n',
        },
      },
      WEB_ROUND_TRIPS * ROUND_TRIP,
    ),
    smtp,
    authorities: {
      async ask() {
        await new Promise((resolve) => setTimeout(resolve, AUTHORITY_ROUND_TRIPS * ROUND_TRIP));
        return { status: 'absent' };
      },
    },
    clock: systemClock,
  };
}

const records: ZoneLiteral = {
  'example.org': {
    NS: ['ns1.example.net', 'ns2.example.net'],
    MX: [[10, 'mx.example.org']],
    TXT: ['v=spf1 include:one.example.org include:two.example.org mx -all'],
  },
  'one.example.org': { TXT: ['v=spf1 include:three.example.org ip4:192.0.2.0/25 -all'] },
  'two.example.org': { TXT: ['v=spf1 a:mx.example.org -all'] },
  'three.example.org': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
  'mx.example.org': { A: ['192.0.2.25'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject; rua=mailto:reports@elsewhere.example'] },
  'example.org._report._dmarc.elsewhere.example': { TXT: ['v=DMARC1'] },
  '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] },
  '_smtp._tls.example.org': { TXT: ['v=TLSRPTv1; rua=mailto:reports@example.org'] },
};

const smtp: Smtp = {
  async probe({ hostname, address }) {
    await new Promise((resolve) => setTimeout(resolve, SMTP_ROUND_TRIPS * ROUND_TRIP));
    const now = Date.now();
    return {
      status: 'found',
      starttls: {
        status: 'established',
        protocol: 'TLSv1.3',
        cipher: 'TLS_AES_256_GCM_SHA384',
        certificate: {
          validFrom: new Date(now - 86_400_000),
          validTo: new Date(now + 30 * 86_400_000),
          chain: [],
          trusted: true,
          matchesName: true,
        },
      },
      recipient: 'not-asked',
      evidence: { hostname, address, milliseconds: SMTP_ROUND_TRIPS * ROUND_TRIP },
    };
  },
};
