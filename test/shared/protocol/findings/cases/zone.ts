import { inspectDnssec } from '../../../../../shared/checks/dnssec/inspect.ts';
import { inspectMx } from '../../../../../shared/checks/mx/inspect.ts';
import { createValidator } from '../../../../../shared/protocol/dnssec/chain.ts';
import { zoneRules } from '../../../../../shared/protocol/findings/zone.ts';
import { fakeAuthorities } from '../../../../kit/authorities.ts';
import { type ZoneNode, zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf, now } from './example.ts';

/**
 * Records of example.org on the second name server that differ from those on the first; null if it does not respond.
 */
type Input = Pick<ZoneNode, 'MX' | 'SOA'> | null;

const NS1 = 'ns1.example.net';
const NS2 = 'ns2.example.net';
const held = { NS: [NS1, NS2], MX: [[0, '.']], SOA: soa(1) } as const;

async function inspect(differs: Input) {
  const dns = zone({ 'example.org': held });
  const second = differs === null ? 'silent' : { 'example.org': { ...held, ...differs } };
  const authorities = fakeAuthorities({ [NS1]: { 'example.org': held }, [NS2]: second });
  const network = networkOf({ dns, authorities });
  const validator = createValidator({ dns, anchors: [], clock: { now: () => now } });
  const [mx, dnssec] = await Promise.all([
    inspectMx('example.org', network, { authenticate: async () => 'insecure' }),
    inspectDnssec('example.org', network, validator),
  ]);
  return { state: mx.state, findings: [...mx.findings, ...dnssec.findings] };
}

export const zoneExamples = examplesOf<Input>('zone', zoneRules, inspect, {
  'zone-servers-disagree': [{ MX: [[10, 'mx.example.org']] }, null],
  'zone-serials-differ': [{ SOA: soa(2) }, { SOA: soa(1) }],
});

function soa(serial: number) {
  return [{ mname: NS1, rname: 'admin.example.org', serial, minimum: 60 }];
}
