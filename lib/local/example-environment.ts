/** The example internet as part of the internet: joined to what the environment says, through the same keys. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerAddress } from '../../shared/network/dns-transport.ts';
import { systemServers } from '../../shared/network/resolver.ts';
import { printTrustAnchors } from '../../shared/protocol/dnssec/anchors.ts';
import type { Config } from '../../shared/runtime/config.ts';
import { readAuthorities } from '../../shared/runtime/inspector.ts';
import type { ExampleInternet } from './example-internet/index.ts';

/** The resolvers for every name that the example internet does not hold. */
export function resolversOf(config: Config): readonly ServerAddress[] {
  return config.DNS_SERVERS.length === 0 ? systemServers() : config.DNS_SERVERS;
}

/**
 * The environment in which the example internet is reached like any other: what was given stays, and its own name
 * server (which forwards what it does not know), trust anchor, hosts and authority join it.
 * @throws ConfigError when the given EXTRA_CA_FILE cannot be read.
 */
export function withExampleInternet(
  config: Config,
  givenDialMap: string | undefined,
  internet: ExampleInternet,
  folder: string,
): Record<string, string> {
  const authorities = join(folder, 'authorities.pem');
  const given = config.EXTRA_CA_FILE === '' ? '' : readAuthorities('EXTRA_CA_FILE', config);
  writeFileSync(authorities, `${given}\n${internet.caPem}`);
  return {
    DNS_SERVERS: internet.dnsServers,
    DNSSEC_TRUST_ANCHORS: `${printTrustAnchors(config.DNSSEC_TRUST_ANCHORS)};${internet.trustAnchors}`,
    DIAL_MAP: [givenDialMap, internet.dialMap].filter(Boolean).join(','),
    EXTRA_CA_FILE: authorities,
  };
}
