/** Creates the real network from plain options. */
import type { Dns } from '../protocol/dns.ts';
import { createAuthorities } from './authorities.ts';
import { systemClock } from './clock.ts';
import { createDialer, type Dialer, type Endpoint } from './dialer.ts';
import type { Network } from './ports.ts';
import { createResolver, type ServerAddress, systemServers } from './resolver.ts';
import { shareProbes } from './share-probes.ts';
import { smtpOff } from './smtp-off.ts';
import { createSmtp } from './smtp-probe.ts';
import { createWeb } from './web.ts';
import { zoneOf } from './zone-of.ts';

interface NetworkOptions {
  /** Recursive resolvers; the system's by default. */
  readonly dnsServers?: readonly ServerAddress[];
  /** Whether private addresses may be dialled; `deny` by default. */
  readonly privateAddresses?: 'deny' | 'allow';
  /** Substitute endpoints by `host:port` (see `dialKey`). */
  readonly dialMap?: ReadonlyMap<string, Endpoint>;
  /** PEM of further trusted authorities. */
  readonly extraCa?: string;
  /** Whether port 25 may be dialled; `on` by default. */
  readonly probeSmtp?: 'on' | 'off';
  /** The name that the SMTP probe sends in EHLO. */
  readonly ehloName: string;
}

/** A network with its own caches; one instance serves a whole process. */
export function createNetwork(options: NetworkOptions): Network {
  const { privateAddresses = 'deny', dialMap = new Map(), ehloName } = options;
  const clock = systemClock;
  const servers = options.dnsServers ?? systemServers();
  const dns = createResolver({ servers, clock, zoneOf });
  const dialerOver = (answers: Dns) => createDialer({ dns: answers, privateAddresses, dialMap });
  const dialer = dialerOver(dns);
  const trust = options.extraCa === undefined ? {} : { extraCa: options.extraCa };
  const through = (dialer: Dialer) => ({
    web: createWeb({ dialer, ...trust }),
    authorities: createAuthorities(dialer),
  });
  return {
    dns,
    clock,
    ...through(dialer),
    over: (answers) => through(dialerOver(answers)),
    smtp:
      options.probeSmtp === 'off' ? smtpOff : shareProbes(createSmtp({ dialer, ehloName, ...trust }), clock),
    ...(servers.length < 2 ? {} : { otherDns: createResolver({ servers: servers.slice(1), clock, zoneOf }) }),
  };
}
