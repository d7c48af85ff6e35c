/** What the domains at which this machine receives mail publish, as those of a deployment do. */
import { EDGE_HOST } from '../smtp/trace-lines.ts';
import type { UnsignedZone } from './authoritative-data.ts';

export interface ReceivingDomains {
  readonly reportsDomain: string;
  readonly testerDomain: string;
}

const LOOPBACK = '127.0.0.1';

/** Zones of the domains that lie below `localhost`, which no other name server answers for (RFC 6761 section 6.3). */
export function receivingZones({ reportsDomain, testerDomain }: ReceivingDomains): readonly UnsignedZone[] {
  const zones = [
    zoneOf(reportsDomain, {
      // Reports on other domains are sent here only where this allows it (RFC 9990 section 4).
      [`*._report._dmarc.${reportsDomain}`]: { TXT: ['v=DMARC1'] },
    }),
    zoneOf(testerDomain),
    { name: EDGE_HOST, records: { [EDGE_HOST]: { A: [LOOPBACK] } } },
  ];
  return zones.filter(({ name }) => name.endsWith('.localhost'));
}

/** A domain that only receives: its mail comes in, and nobody sends in its name. */
function zoneOf(name: string, others: UnsignedZone['records'] = {}): UnsignedZone {
  const records = {
    [name]: { MX: [[10, EDGE_HOST] as const], TXT: ['v=spf1 -all'] },
    [`_dmarc.${name}`]: { TXT: ['v=DMARC1; p=reject'] },
    ...others,
  };
  return { name, records };
}
