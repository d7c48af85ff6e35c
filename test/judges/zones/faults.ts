/** All faulty zones, those in order included: the records of `test/shared/fixes`, and what only servers can have. */
import type { ZoneLiteral } from '../../kit/zone.ts';
import { type FaultyZone, faultyZones, zoneOf } from '../../shared/fixes/faulty-zones.ts';
import { daneFaults, leafRecord as danePinned, mxFaults } from './mail-host-faults.ts';
import { policyFaults } from './policy-faults.ts';
import { signingFaults } from './signing-faults.ts';
import { domainOf, type FaultClass, faultClasses, inOrder, type ZoneFault } from './zone-fault.ts';

/** In which role a case has another record, first the one that says most. */
const roles = [
  ['dmarc', 'DMARC'],
  ['spf', 'SPF'],
  ['tlsRpt', 'TLS-RPT'],
  ['mtaSts', 'MTA-STS'],
  ['mx', 'MX'],
] as const satisfies readonly (readonly [keyof FaultyZone, FaultClass])[];

const recordFaults: readonly ZoneFault[] = faultyZones.flatMap((faulty) => {
  const of = roles.find(([role]) => faulty[role] !== undefined)?.[1];
  if (of === undefined) return [];
  const zoneFault: ZoneFault = {
    fault: faulty.fault,
    class: of,
    records: (domain) => zoneOf(domain, faulty),
  };
  return isServable(domainOf(zoneFault), zoneFault.records(domainOf(zoneFault))) ? [zoneFault] : [];
});

/** Whether a server can have the zone: a name can fail, but not one of its types, and names above are of others. */
function isServable(domain: string, literal: ZoneLiteral): boolean {
  return Object.entries(literal).every(
    ([name, node]) =>
      name.split('.').length > 1 &&
      name !== '_dmarc.test' &&
      (typeof node === 'string'
        ? name !== domain
        : Object.values(node).every((it) => typeof it !== 'string')),
  );
}

/** What everybody says of these, they say of all. */
const zonesInOrder = faultClasses
  .filter((of) => of !== 'DNSSEC')
  .map(
    (of): ZoneFault => ({
      fault: inOrder,
      class: of,
      records: (domain) => zoneOf(domain, { fault: inOrder }),
      ...(of === 'DANE' ? { mailHost: { tlsa: danePinned } } : {}),
    }),
  );

export const zoneFaults: readonly ZoneFault[] = [
  ...zonesInOrder,
  ...recordFaults,
  ...policyFaults,
  ...mxFaults,
  ...signingFaults,
  ...daneFaults,
];
