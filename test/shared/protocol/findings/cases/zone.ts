import { inspectDnssec } from '../../../../../shared/checks/dnssec/inspect.ts';
import { inspectServers } from '../../../../../shared/checks/dnssec/name-servers.ts';
import { inspectMx } from '../../../../../shared/checks/mx/inspect.ts';
import { outcomeOf } from '../../../../../shared/checks/outcome.ts';
import { inspectAliases } from '../../../../../shared/checks/unowned.ts';
import { createValidator } from '../../../../../shared/protocol/dnssec/chain.ts';
import { zoneRules } from '../../../../../shared/protocol/findings/zone.ts';
import { fakeAuthorities } from '../../../../kit/authorities.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf, now } from './example.ts';

/**
 * Records of example.org on the second name server that differ from those on the first; null if it does not respond.
 */
type Input = Pick<ZoneNode, 'MX' | 'SOA'> | null;

const NS1 = 'ns1.example.net';
const NS2 = 'ns2.example.net';
const exists: ZoneLiteral = {
  'example.net': { SOA: soa(1) },
  'there.example.net': { TXT: ['v=DMARC1; p=none'] },
};
const address = { A: ['192.0.2.53'] } as const;
const held = { NS: [NS1, NS2], MX: [[0, '.']], SOA: soa(1) } as const;

/** The alias at _dmarc.example.org, what the only server of the delegation says, or what the second name server has. */
async function inspect(
  differs:
    | Input
    | 'REFUSED'
    | 'SERVFAIL'
    | { readonly alias: string }
    | { readonly delegated: 'REFUSED' | 'SERVFAIL' },
) {
  if (differs !== null && typeof differs !== 'string' && 'alias' in differs) {
    const dns = zone({ ...exists, '_dmarc.example.org': { CNAME: [differs.alias] } });
    const found = await inspectAliases('example.org', [['_dmarc.example.org', 'TXT']], dns);
    return outcomeOf(found.map(({ finding }) => finding));
  }
  if (differs !== null && typeof differs !== 'string' && 'delegated' in differs) {
    const dns = zone({
      ...{ 'example.org': 'SERVFAIL', org: { NS: ['a.registry.example'] } },
      [NS1]: address,
    });
    const authorities = fakeAuthorities({
      'a.registry.example': { 'example.org': { NS: [NS1] } },
      [NS1]: { 'example.org': differs.delegated },
    });
    return outcomeOf((await inspectServers(networkOf({ dns, authorities }), 'example.org')).findings);
  }
  const dns = zone({ 'example.org': held, [NS1]: address, [NS2]: address });
  const second =
    differs === null
      ? 'silent'
      : { 'example.org': typeof differs === 'string' ? differs : { ...held, ...differs } };
  const authorities = fakeAuthorities({ [NS1]: { 'example.org': held }, [NS2]: second });
  const network = networkOf({ dns, authorities });
  const validator = createValidator({ dns, anchors: [], clock: { now: () => now } });
  const [mx, dnssec] = await Promise.all([
    inspectMx('example.org', network, { authenticate: async () => 'insecure' }),
    inspectDnssec('example.org', network, validator),
  ]);
  return { state: mx.state, findings: [...mx.findings, ...dnssec.findings] };
}

export const zoneExamples = examplesOf<Parameters<typeof inspect>[0]>('zone', zoneRules, inspect, {
  'zone-servers-disagree': [{ MX: [[10, 'mx.example.org']] }, null],
  'zone-serials-differ': [{ SOA: soa(2) }, { SOA: soa(1) }],
  'zone-alias-dangling': [{ alias: 'gone.example.net' }, { alias: 'there.example.net' }],
  'zone-server-lame': ['REFUSED', 'SERVFAIL'],
  'zone-servers-lame': [{ delegated: 'REFUSED' }, { delegated: 'SERVFAIL' }],
});

function soa(serial: number) {
  return [{ mname: NS1, rname: 'admin.example.org', serial, minimum: 60 }];
}
