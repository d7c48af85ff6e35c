/** A mail host whose certificate is renewed: a real SMTP server for each certificate, and check runs of it. */
import { createHash, X509Certificate } from 'node:crypto';
import { inspectMx } from '../../shared/checks/mx/inspect.ts';
import { watchChains } from '../../shared/checks/mx/rollover.ts';
import { createDialer } from '../../shared/network/dialer.ts';
import type { Network } from '../../shared/network/ports.ts';
import { createSmtp } from '../../shared/network/smtp-probe.ts';
import type { ServedHosts } from '../../shared/protocol/served-chain.ts';
import { readValue } from '../../shared/protocol/zone-file/record-set.ts';
import type { Issued } from './renewals.ts';
import { type SmtpHost, startSmtpHost } from './smtp-host.ts';
import { use } from './use.ts';
import { fakeWeb } from './web.ts';
import { zone } from './zone.ts';

export const HOST = 'mx.example.org';
export const TLSA = `_25._tcp.${HOST}`;

const DAY = 86_400_000;
export const ago = (days: number) => new Date(Date.now() - days * DAY);

export type RecordKind = '3 1 1' | '3 0 1' | '2 1 1' | '2 0 1';

/** The TLSA record of this kind for a host with this certificate: usage 3 for its own, 2 for that of its issuer. */
export function recordFor(kind: RecordKind, { chain: [leaf, issuer] }: Issued): string {
  const der = kind.startsWith('3') ? leaf : issuer;
  if (der === undefined) throw new Error('no certificate');
  const certificate = new X509Certificate(der);
  const data =
    kind[2] === '0' ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' });
  return `${kind} ${createHash('sha256').update(data).digest('hex')}`;
}

/** Hosts that serve certificates until the end of a test. */
export function renewedHosts() {
  async function serve({ key, chain }: Issued): Promise<SmtpHost> {
    const pem = chain.map((der) => new X509Certificate(der).toString()).join('');
    const certificate = {
      cert: pem,
      key: String(key.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      chain: pem,
    };
    return use(startSmtpHost({ certificate }));
  }

  return {
    serve,

    /** A check run some days ago, with these TLSA records: what it found, and the history after it. */
    async run(issued: Issued, values: readonly string[], served: ServedHosts, days: number) {
      const host = await serve(issued);
      const network = networkTo(host, values, ago(days));
      const watched = watchChains(network.smtp);
      const result = await inspectMx(
        'example.org',
        { ...network, smtp: watched.smtp },
        { authenticate: async () => 'secure', served, onTlsa: watched.onTlsa },
      );
      return { result, served: watched.served(served, ago(days)), network, port: host.port };
    },
  };
}

function networkTo({ address, port }: SmtpHost, values: readonly string[], now: Date): Network {
  const dns = zone({
    'example.org': {
      MX: [[10, HOST]],
      SOA: [{ mname: 'ns.example.org', rname: 'admin.example.org', serial: 1, minimum: 60 }],
    },
    [HOST]: { A: ['192.0.2.1'] },
    [TLSA]: { TLSA: values.flatMap((value) => readValue('TLSA', value) ?? []) },
  });
  const dialMap = new Map([['192.0.2.1:25', { address, port }]]);
  const dialer = createDialer({ dns, privateAddresses: 'deny', dialMap });
  return {
    dns,
    smtp: createSmtp({ dialer, ehloName: 'probe.test' }),
    web: fakeWeb({}),
    clock: { now: () => now },
  };
}
