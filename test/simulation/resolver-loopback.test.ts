/** The same domains through the real resolver, with a server that causes trouble on the wire. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { decode, encode, RECURSION_AVAILABLE } from 'dns-packet';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import { keepLastKnown } from '../../shared/checks/last-known.ts';
import type { CheckResults } from '../../shared/checks/results.ts';
import { checkNames } from '../../shared/checks/state.ts';
import { createResolver } from '../../shared/network/resolver.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { type Behaviour, type DnsServerOptions, startDnsServer } from '../kit/dns-server.ts';
import { use } from '../kit/use.ts';
import { type ZoneLiteral, zone } from '../kit/zone.ts';
import { alertFacts } from './alert-facts.ts';
import { checkContextOf, names, start } from './world.ts';

/** Unsigned, like everything that this server serves, so that DNSSEC is unknown here. */
const DOMAIN = 'plain.example';
const HOUR = 3_600_000;
const RETRY_MILLISECONDS = 60;
/** Trouble that is overcome needs time, also on a busy machine; trouble that is not costs all of its time. */
const LONG_MILLISECONDS = 10_000;
const SHORT_MILLISECONDS = 300;

let now = start;
const clock = { now: () => now };

afterEach(() => {
  now = start;
});

async function resolverTo(
  zoneLiteral: ZoneLiteral,
  lookupMilliseconds: number,
  ...options: readonly DnsServerOptions[]
): Promise<Dns> {
  const started = await Promise.all(options.map((it) => use(startDnsServer(zoneLiteral, it))));
  return createResolver({
    servers: started,
    clock,
    retryMilliseconds: RETRY_MILLISECONDS,
    lookupMilliseconds,
  });
}

function inspect(dns: Dns): Promise<CheckResults> {
  const inspected = { domain: DOMAIN, testEmailLocalPart: null, knownSelectors: ['google'] };
  return inspectDomain(inspected, checkContextOf(dns, clock));
}

/** Applies a behaviour to every name of the domain. */
function everywhere(behaviour: Behaviour): DnsServerOptions {
  const own = Object.keys(names).filter((name) => name.endsWith(DOMAIN) || name.includes('provider'));
  return { behaviours: Object.fromEntries(own.map((name) => [name, behaviour])) };
}

const factsOfAll = (results: CheckResults) => checkNames.map((name) => alertFacts(name, results));

describe('trouble that the resolver overcomes changes nothing', () => {
  test.each<[string, readonly DnsServerOptions[]]>([
    ['none', [{}]],
    ['truncated responses, which are complete over TCP', [everywhere({ truncate: true })]],
    ['the first packet of every name lost', [everywhere({ drop: 1 })]],
    ['responses after the first repetition', [everywhere({ delayMilliseconds: 90 })]],
    ['a first server that does not respond', [everywhere({ drop: true }), {}]],
    ['a first server that sends garbage', [everywhere({ forge: () => [Buffer.from('not DNS')] }), {}]],
    ['a first server that is too slow', [everywhere({ delayMilliseconds: 2 * LONG_MILLISECONDS }), {}]],
    ['a TTL of zero', [{ ttl: 0 }]],
    ['a TTL of 68 years', [{ ttl: 2 ** 31 - 1 }]],
  ])('%s', async (_, options) => {
    const expected = factsOfAll(await inspect(zone(names)));
    expect(factsOfAll(await inspect(await resolverTo(names, LONG_MILLISECONDS, ...options)))).toEqual(
      expected,
    );
  });
});

describe('trouble that the resolver cannot overcome keeps the last known results', () => {
  const failing = (failure: 'SERVFAIL' | 'REFUSED' | 'TIMEOUT') =>
    Object.fromEntries(Object.keys(names).map((name) => [name, failure]));

  test.each<[string, ZoneLiteral, DnsServerOptions]>([
    ['SERVFAIL', failing('SERVFAIL'), {}],
    ['REFUSED', failing('REFUSED'), {}],
    ['no response', failing('TIMEOUT'), {}],
    ['garbage', names, everywhere({ forge: () => [Buffer.from('not DNS')] })],
    ['responses after the time limit', names, everywhere({ delayMilliseconds: 2 * SHORT_MILLISECONDS })],
  ])('%s', async (_, zoneLiteral, options) => {
    const results = await inspect(zone(names));
    now = new Date(start.getTime() + HOUR);
    const seen = await inspect(await resolverTo(zoneLiteral, SHORT_MILLISECONDS, options));
    for (const name of ['mx', 'spf', 'dmarc'] as const) expect(seen[name].state).toBe('unknown');
    const before = { checkedAt: start.toISOString(), results };
    expect(factsOfAll(keepLastKnown(seen, before, now))).toEqual(factsOfAll(results));
  });
});

test('a TTL of 68 years does not hide a change from the next check', async () => {
  let queries = 0;
  const server = await use(
    startDnsServer(names, {
      behaviours: {
        '_dmarc.plain.example': {
          forge(query) {
            queries += 1;
            return [textAnswer(query, `v=DMARC1; p=${queries === 1 ? 'reject' : 'none'}`)];
          },
        },
      },
    }),
  );
  const dns = createResolver({ servers: [server], clock });
  expect((await inspect(dns)).dmarc.policy).toBe('reject');
  expect((await inspect(dns)).dmarc.policy).toBe('reject');
  now = new Date(start.getTime() + HOUR);
  expect((await inspect(dns)).dmarc.policy).toBe('none');
});

/** A response with one TXT record and a TTL of 68 years. */
function textAnswer(query: Buffer, text: string): Uint8Array {
  const { id = 0, questions = [] } = decode(query);
  const name = questions[0]?.name ?? '';
  const answer = { type: 'TXT' as const, name, ttl: 2 ** 31 - 1, data: [text] };
  return encode({ type: 'response', id, flags: RECURSION_AVAILABLE, questions, answers: [answer] });
}
