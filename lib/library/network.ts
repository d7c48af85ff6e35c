/** The network of the library: real lookups, without settings from the environment. */
import { hostname } from 'node:os';
import { createNetwork } from '../../shared/network/network.ts';
import type { Network } from '../../shared/network/ports.ts';
import { parseServers } from '../../shared/runtime/config/config-lists.ts';

/** How functions of the library reach the network. */
export interface NetworkOptions {
  /** Recursive resolvers, such as `192.0.2.53` or `[2001:db8::1]:53`; those of the system by default. */
  readonly dnsServers?: readonly string[];
  /** Whether mail servers are asked on port 25; `false` where a network blocks it. Default: `true`. */
  readonly probeSmtp?: boolean;
  /** The name that is sent in EHLO (RFC 5321 section 4.1.1.1); the host name of the machine by default. */
  readonly ehloName?: string;
}

/** Connects to nothing yet. @throws Error for an invalid address of a resolver. */
export function networkOf({ dnsServers, probeSmtp = true, ehloName }: NetworkOptions): Network {
  return createNetwork({
    ...(dnsServers !== undefined && { dnsServers: parseServers(dnsServers.join(',')) }),
    probeSmtp: probeSmtp ? 'on' : 'off',
    ehloName: ehloName ?? hostname(),
  });
}
