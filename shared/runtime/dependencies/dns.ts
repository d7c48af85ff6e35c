import { stoppableDns } from '../../network/abandon.ts';
import { systemClock } from '../../network/clock.ts';
import { createResolver, systemServers } from '../../network/resolver.ts';
import type { Dns } from '../../protocol/dns.ts';
import { config } from '../config/config.ts';

let resolver: Dns | undefined;

/** The resolver of this process, with a shared cache. */
export function dns(): Dns {
  const servers = config().DNS_SERVERS;
  resolver ??= stoppableDns(
    createResolver({ servers: servers.length === 0 ? systemServers() : servers, clock: systemClock }),
  );
  return resolver;
}
