/** What the product finds in the zones. */
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { createNetwork } from '../../../shared/network/network.ts';
import { parseTrustAnchors } from '../../../shared/protocol/dnssec/anchors.ts';
import { MAILBOX } from '../../shared/fixes/faulty-zones.ts';
import { type Complaints, eachZone } from './observed.ts';
import { RESOLVER, type World } from './world.ts';
import type { FaultClass, ZoneFault } from './zone-fault.ts';

const TOGETHER = 3;

/** The checks in which a fault of a class is to be found. */
const checksOf: Readonly<Record<FaultClass, readonly (keyof CheckResults)[]>> = {
  SPF: ['spf'],
  DMARC: ['dmarc'],
  'TLS-RPT': ['tlsRpt'],
  'MTA-STS': ['mtaSts'],
  MX: ['mx'],
  // The MX check validates the names of mail hosts, and proofs that they have no TLSA records.
  DNSSEC: ['dnssec', 'mx'],
  DANE: ['mx'],
};

/** The findings of each zone as `severity id`, those of the checks of its class alone. */
export async function judgeOurselves(world: World): Promise<Complaints> {
  const parsed = parseTrustAnchors(world.anchors.map((ds) => `. IN DS ${ds}`).join('\n'));
  if (!parsed.ok) throw new Error(`unreadable anchor: ${parsed.entry}`);
  const network = createNetwork({
    dnsServers: [{ address: RESOLVER, port: 53 }],
    privateAddresses: 'allow',
    extraCa: world.authority,
    ehloName: 'probe.test',
  });
  return eachZone(world.zones, TOGETHER, async ({ zone, domain }) => {
    const asked = { domain, testEmailLocalPart: null, knownSelectors: [], reportMailbox: MAILBOX };
    return findingsOf(zone, await inspectDomain(asked, { network, trustAnchors: parsed.anchors }));
  });
}

function findingsOf(zone: ZoneFault, results: CheckResults): readonly string[] {
  return checksOf[zone.class].flatMap((check) =>
    results[check].findings.map(({ severity, id }) => `${severity} ${id}`),
  );
}
