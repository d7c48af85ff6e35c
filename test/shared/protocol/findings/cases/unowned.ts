import { inspectDkim } from '../../../../../shared/checks/dkim/inspect.ts';
import { inspectServers } from '../../../../../shared/checks/dnssec/name-servers.ts';
import { inspectMx } from '../../../../../shared/checks/mx/inspect.ts';
import { outcomeOf } from '../../../../../shared/checks/outcome.ts';
import { inspectSpf } from '../../../../../shared/checks/spf/inspect.ts';
import { inspectAliases } from '../../../../../shared/checks/unowned.ts';
import { unownedRules } from '../../../../../shared/protocol/findings/unowned.ts';
import { fakeAuthorities } from '../../../../kit/authorities.ts';
import { type ZoneLiteral, zone } from '../../../../kit/zone.ts';
import { examplesOf, networkOf } from './example.ts';

const soa = { SOA: [{ mname: 'ns.example', rname: 'admin.example', serial: 1, minimum: 60 }] };
/** The registry of .example, and domains below it: one is registered, and one cannot be looked up. */
const registries: ZoneLiteral = { example: soa, 'there.example': soa, 'broken.example': 'SERVFAIL' };

/** The records of example.org, its key and policy. */
async function inspect(literal: ZoneLiteral) {
  const domain = 'example.org';
  const dns = zone({ ...registries, ...literal, [domain]: { TXT: [], ...Object(literal[domain]) } });
  const network = networkOf({ dns, authorities: fakeAuthorities({}) });
  const [mx, spf, dkim, alias, servers] = await Promise.all([
    inspectMx(domain, network, { authenticate: async () => 'insecure' }),
    inspectSpf(domain, network),
    inspectDkim(domain, network),
    inspectAliases(domain, [[`_dmarc.${domain}`, 'TXT']], dns),
    inspectServers(network, domain),
  ]);
  return outcomeOf([
    ...mx.findings,
    ...spf.findings,
    ...dkim.findings,
    ...alias.map(({ finding }) => finding),
    ...servers.findings,
  ]);
}

const spf = (term: string): ZoneLiteral => ({ 'example.org': { TXT: [`v=spf1 ${term} -all`] } });
const alias = (name: string, target: string): ZoneLiteral => ({
  [`${name}.example.org`]: { CNAME: [target] },
});
const servers = (name: string): ZoneLiteral => ({ 'example.org': { NS: ['ns1.example.org', name] } });

const mx = (target: string): ZoneLiteral => ({
  'example.org': { MX: [[10, 'mail.example.org']] },
  ...alias('mail', target),
});

export const unownedExamples = examplesOf<ZoneLiteral>('unowned', unownedRules, inspect, {
  'unowned-mx-alias': [mx('mx.gone.example'), mx('mx.there.example')],
  'unowned-spf-target': [spf('include:_spf.gone.example'), spf('include:_spf.there.example')],
  'unowned-dkim-alias': [
    alias('default._domainkey', 'key.gone.example'),
    alias('default._domainkey', 'key.there.example'),
  ],
  'unowned-alias': [alias('_dmarc', 'policy.gone.example'), alias('_dmarc', 'policy.broken.example')],
  'unowned-name-server': [servers('ns2.gone.example'), servers('ns2.there.example')],
});
