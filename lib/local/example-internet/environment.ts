/** The example internet as part of the internet: joined to what the environment says, through the same keys. */
import { join } from 'node:path';
import type { ServerAddress } from '../../../shared/network/dns-transport.ts';
import { systemServers } from '../../../shared/network/resolver.ts';
import { printTrustAnchors } from '../../../shared/protocol/dnssec/anchors.ts';
import type { Config } from '../../../shared/runtime/config/config.ts';
import { readAuthorities } from '../../../shared/runtime/dependencies/check-context.ts';
import { RECORDS_FILE } from '../host/data-files.ts';
import type { StartInternet } from '../host/internet.ts';
import { replaceFile } from '../host/replace-file.ts';
import { type ExampleInternet, startExampleInternet } from './index.ts';
import { PUBLISH_PATH, publishEndpoint, WEBHOOKS_PATH, webhooksEndpoint } from './publish-endpoint.ts';

/** The example internet for the host. */
export const exampleInternet: StartInternet = async ({ settings, given, folder }) => {
  const internet = await startExampleInternet({
    forwardTo: resolversOf(settings),
    receiving: { reportsDomain: settings.REPORTS_DOMAIN, testerDomain: settings.TESTER_DOMAIN },
    keptIn: join(folder, RECORDS_FILE),
  });
  return {
    environment: () => withExampleInternet(settings, given.DIAL_MAP, internet, folder),
    endpoints: (hostUrl) => ({
      [PUBLISH_PATH]: publishEndpoint(internet, hostUrl),
      [WEBHOOKS_PATH]: webhooksEndpoint(internet),
    }),
    stop: internet.stop,
  };
};

/** Returns the resolvers for all names outside the example internet. */
export function resolversOf(config: Config): readonly ServerAddress[] {
  return config.DNS_SERVERS.length === 0 ? systemServers() : config.DNS_SERVERS;
}

/**
 * Returns the settings with which handlers reach the example internet like any other. Its trust anchor, hosts and
 * certificate authority are added to the given ones. Its name server replaces the given resolvers and forwards queries
 * for other names to them.
 * @throws ConfigError if the given EXTRA_CA_FILE cannot be read.
 */
export function withExampleInternet(
  config: Config,
  givenDialMap: string | undefined,
  internet: ExampleInternet,
  folder: string,
): Record<string, string> {
  const authorities = join(folder, 'authorities.pem');
  const given = config.EXTRA_CA_FILE === '' ? '' : readAuthorities('EXTRA_CA_FILE', config);
  replaceFile(authorities, `${given}\n${internet.caPem}`);
  return {
    DNS_SERVERS: internet.dnsServers,
    DNSSEC_TRUST_ANCHORS: `${printTrustAnchors(config.DNSSEC_TRUST_ANCHORS)};${internet.trustAnchors}`,
    DIAL_MAP: [givenDialMap, internet.dialMap].filter(Boolean).join(','),
    EXTRA_CA_FILE: authorities,
  };
}
