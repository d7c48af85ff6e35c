/** The records of the domains at which this machine receives mail; a deployment publishes the same. */
import { EDGE_HOST } from '../host/smtp/deliver.ts';
import type { UnsignedZone } from './authoritative-data.ts';

export interface ReceivingDomains {
  readonly reportsDomain: string;
  readonly testerDomain: string;
}

const LOOPBACK = '127.0.0.1';

/** Zones for the receiving domains under `localhost`, which no other name server serves (RFC 6761 section 6.3). */
export function receivingZones({ reportsDomain, testerDomain }: ReceivingDomains): readonly UnsignedZone[] {
  const zones = [
    zoneOf(reportsDomain, {
      // Authorizes reports about other domains (RFC 9990 section 4).
      [`*._report._dmarc.${reportsDomain}`]: { TXT: ['v=DMARC1'] },
    }),
    zoneOf(testerDomain),
    { name: EDGE_HOST, records: { [EDGE_HOST]: { A: [LOOPBACK] } } },
  ];
  return zones.filter(({ name }) => name.endsWith('.localhost'));
}

/** A domain that receives mail and never sends any. */
function zoneOf(name: string, others: UnsignedZone['records'] = {}): UnsignedZone {
  const records = {
    [name]: { MX: [{ preference: 10, exchange: EDGE_HOST }], TXT: ['v=spf1 -all'] },
    [`_dmarc.${name}`]: { TXT: ['v=DMARC1; p=reject'] },
    ...others,
  };
  return { name, records };
}
