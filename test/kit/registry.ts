/** A registry of .example with RDAP, and the list of servers of IANA, on one real HTTPS server on loopback. */
import { createRegistrations, type Registrations } from '../../shared/monitoring/registrations.ts';
import { createDialer } from '../../shared/network/dialer.ts';
import { createWeb } from '../../shared/network/web.ts';
import { createAuthority } from './certificates.ts';
import { type HttpsHost, type Page, startHttpsHost } from './https-host.ts';
import { use } from './use.ts';
import { zone } from './zone.ts';

export const BOOTSTRAP_URL = 'https://iana.test/rdap/dns.json';

const authority = createAuthority();

export interface RegistryFacts {
  readonly expires?: string;
  readonly status?: readonly string[];
  readonly ds?: readonly number[];
}

/** An answer about a domain, as registries give it. */
export const rdapDomain = (
  domain: string,
  { expires = '2027-06-01T00:00:00Z', status = ['client transfer prohibited'], ds }: RegistryFacts = {},
): string =>
  JSON.stringify({
    objectClassName: 'domain',
    ldhName: domain.toUpperCase(),
    status,
    events: [{ eventAction: 'expiration', eventDate: expires }],
    ...(ds !== undefined && {
      secureDNS: {
        delegationSigned: ds.length > 0,
        dsData: ds.map((keyTag) => ({ keyTag, algorithm: 13, digestType: 2, digest: 'AB' })),
      },
    }),
  });

const listed = JSON.stringify({
  version: '1.0',
  services: [
    [['example'], ['https://rdap.test/v1/']],
    [['closed'], ['https://private.test/']],
    [['plain'], ['http://rdap.test/v1/']],
  ],
});

interface Registry {
  readonly host: HttpsHost;
  readonly registrations: Registrations;
}

/** @param pages What it answers, by path; they can be changed afterwards. */
export async function startRegistry(pages: Record<string, Page>): Promise<Registry> {
  const certificate = authority.issue(['iana.test', 'rdap.test']);
  pages['/rdap/dns.json'] ??= { body: listed };
  const host = await use(startHttpsHost(certificate, pages));
  const dialMap = new Map(
    ['iana.test:443', 'rdap.test:443'].map((name) => [name, { address: host.address, port: host.port }]),
  );
  const dns = zone({ 'private.test': { A: ['10.0.0.1'] } });
  const web = createWeb({
    dialer: createDialer({ dns, privateAddresses: 'deny', dialMap }),
    extraCa: authority.cert,
  });
  return { host, registrations: createRegistrations(web, BOOTSTRAP_URL) };
}
