import { describe, expect, test } from '@jest/globals';
import { zones } from '../../../../lib/local/example-internet/zone-data.ts';
import { inspectDomain } from '../../../../shared/checks/inspect.ts';
import { limitNetwork, RUN_LIMITS } from '../../../../shared/checks/limit-network.ts';
import { placedFindings } from '../../../../shared/checks/preview/difference.ts';
import { checkNames, type UsageType } from '../../../../shared/checks/state.ts';
import { createNetwork } from '../../../../shared/network/network.ts';
import type { Network } from '../../../../shared/network/ports.ts';
import { parseTrustAnchors, rootAnchors } from '../../../../shared/protocol/dnssec/anchors.ts';
import { parseDialMap } from '../../../../shared/runtime/config/config-lists.ts';
import { computeScore } from '../../../../shared/score/score.ts';
import { atEnd } from '../../../kit/use.ts';
import { startWorld } from './world.ts';

const world = await startWorld();

atEnd(() => world.internet.stop());

async function inspect(
  domain: string,
  testEmailLocalPart: string | null = null,
  within = (network: Network) => network,
) {
  const { internet, dnsPort } = world;
  const network = createNetwork({
    dnsServers: [{ address: '127.0.0.1', port: dnsPort }],
    privateAddresses: 'deny',
    dialMap: parseDialMap(internet.dialMap),
    extraCa: internet.caPem,
    ehloName: 'checker.test',
  });
  const parsed = parseTrustAnchors(internet.trustAnchors);
  if (!parsed.ok) throw new Error(parsed.entry);
  return inspectDomain(
    { domain, testEmailLocalPart, knownSelectors: [] },
    { network: within(network), trustAnchors: [...rootAnchors, ...parsed.anchors] },
  );
}

describe('the checks on the example internet', () => {
  test.each([...zones.map(({ name }) => name), 'servfail.test', 'nonexistent.test'])(
    'find the same in %s within half of the limits of unverified domains',
    async (domain) => {
      const half = Object.fromEntries(Object.entries(RUN_LIMITS).map(([what, most]) => [what, most / 2]));
      const limits = { ...RUN_LIMITS, ...half };
      const limited = await inspect(domain, null, (network) =>
        limitNetwork(network, async () => true, limits),
      );
      expect(placedFindings(limited)).toEqual(placedFindings(await inspect(domain)));
    },
  );

  test.each<[string, UsageType, string | null]>([
    ['good.test', 'sends-and-receives', 'checks'],
    ['receive-only.test', 'receives-only', 'checks'],
    ['send-only.test', 'sends-only', null],
    ['parked.test', 'parked', null],
  ])('%s has a score of 100 as %s', async (domain, usage, mailbox) => {
    expect(computeScore(await inspect(domain, mailbox), usage)).toMatchObject({ score: 100 });
  });

  test('weak.test has its intended faults', async () => {
    const { mx, spf, dkim, dmarc, mtaSts, dnssec } = await inspect('weak.test');
    expect([mx.tlsSupported, spf.allPolicy, dkim.selectors[0]?.keySize, dmarc.policy]).toEqual([
      false,
      '~all',
      1024,
      'none',
    ]);
    expect([mtaSts.state, dnssec.state]).toEqual(['absent', 'absent']);
  });

  test('good.test has CAA records, weak.test has a malformed one, and parked.test has none', async () => {
    const [good, weak, parked] = await Promise.all(
      ['good.test', 'weak.test', 'parked.test'].map((name) => inspect(name)),
    );
    expect(good?.caa).toMatchObject({
      ...{ state: 'pass', recordsAt: 'good.test' },
      records: ['0 iodef "mailto:security@good.test"', '0 issue "letsencrypt.org"', '0 issuewild ";"'],
      // Its CA is a private one.
      certificates: ['good.test', 'mta-sts.good.test', 'mx1.good.test', 'mx2.good.test'].map(() => ({
        permitted: null,
      })),
    });
    expect(weak?.caa).toMatchObject({ state: 'warning', findings: [{ id: 'caa-issuer-malformed' }] });
    expect(parked?.caa).toMatchObject({ state: 'absent', certificates: [] });
  });

  test('local.test authorizes this machine', async () => {
    const { spf, mx } = await inspect('local.test');
    expect([spf.flattenedIps, mx.tlsSupported]).toEqual([['127.0.0.1', '::1'], true]);
  });

  test('broken-spf.test needs more than 10 lookups', async () => {
    const { spf } = await inspect('broken-spf.test');
    expect([spf.valid, spf.totalLookupCount]).toEqual([false, 11]);
  });

  test('all checks of servfail.test are unknown', async () => {
    const results = Object.values(await inspect('servfail.test'));
    expect(results.map(({ state }) => state)).toEqual(checkNames.map(() => 'unknown'));
  });
});
