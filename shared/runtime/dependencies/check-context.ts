import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import markAuthorities from '@postalsys/vmc/data/root-store.json' with { type: 'json' };
import type { CheckContext } from '../../checks/inspect.ts';
import { createNetwork } from '../../network/network.ts';
import { type Config, ConfigError, config } from '../config/config.ts';

let made: CheckContext | undefined;

/** The dependencies of the checks in this process: one network with one cache, and the trust anchors. */
export function checkContext(): CheckContext {
  made ??= createCheckContext(config());
  return made;
}

/** @throws ConfigError if EXTRA_CA_FILE or BIMI_TRUST_ANCHORS_FILE is set and invalid. */
export function createCheckContext(config: Config): CheckContext {
  const network = createNetwork({
    ...(config.DNS_SERVERS.length === 0 ? {} : { dnsServers: config.DNS_SERVERS }),
    privateAddresses: config.PRIVATE_ADDRESSES,
    dialMap: config.DIAL_MAP,
    probeSmtp: config.PROBE_SMTP,
    extraCa: readAuthorities('EXTRA_CA_FILE', config),
    ehloName: ehloName(config.HOST_URL),
  });
  return {
    network,
    trustAnchors: config.DNSSEC_TRUST_ANCHORS,
    // By default, the roots of the issuers that the AuthIndicators Working Group lists or has listed.
    markAnchors: readMarkAnchors(config),
    strippedZones: new Map(),
  };
}

/** The certificates of a file, as PEM; empty if the operator has set none. @throws ConfigError if it cannot be read. */
export function readAuthorities(key: 'EXTRA_CA_FILE' | 'BIMI_TRUST_ANCHORS_FILE', config: Config): string {
  try {
    return config[key] && readFileSync(config[key], 'utf8');
  } catch (error) {
    throw new ConfigError(`${key} cannot be read: ${(error as Error).message}`);
  }
}

function readMarkAnchors(config: Config): readonly string[] {
  const pem = readAuthorities('BIMI_TRUST_ANCHORS_FILE', config);
  if (config.BIMI_TRUST_ANCHORS_FILE === '') return markAuthorities;
  try {
    void new X509Certificate(pem);
    return [pem];
  } catch {
    // An empty list would go unnoticed: every certificate would count as issued by an unknown CA.
    throw new ConfigError('BIMI_TRUST_ANCHORS_FILE contains no PEM certificate');
  }
}

/** RFC 5321 section 4.1.1.1: the client's FQDN. The host name of the service, or else that of the machine. */
function ehloName(hostUrl: string): string {
  const service = new URL(hostUrl).hostname;
  return service.includes('.') && !/^[\d.]+$/.test(service) ? service : hostname();
}
