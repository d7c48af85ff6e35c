import { describe, expect, test } from '@jest/globals';
import { exampleDomains } from '../../../../lib/local/example-internet/zone-data.ts';
import { inspectDomain } from '../../../../shared/checks/inspect.ts';
import { differenceOf, placedFindings } from '../../../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../../../shared/checks/preview/preview.ts';
import { readZone } from '../../../../shared/checks/preview/proposal.ts';
import { recordLookups } from '../../../../shared/checks/record-lookups.ts';
import { usageTypes } from '../../../../shared/checks/state.ts';
import { noReportedMail } from '../../../../shared/fixes/facts.ts';
import { writeFixes } from '../../../../shared/fixes/formats.ts';
import { makePlan } from '../../../../shared/fixes/plan.ts';
import { createNetwork } from '../../../../shared/network/network.ts';
import { parseTrustAnchors } from '../../../../shared/protocol/dnssec/anchors.ts';
import { parseDialMap } from '../../../../shared/runtime/config/config-lists.ts';
import { computeScore } from '../../../../shared/score/score.ts';
import { atEnd } from '../../../kit/use.ts';
import { startWorld } from './world.ts';

const MAILBOX = 'box-1@reports.localhost';

const receiving = { reportsDomain: 'reports.localhost', testerDomain: 'tester.localhost' };
const world = await startWorld([], { receiving });
const network = createNetwork({
  dnsServers: [{ address: '127.0.0.1', port: world.dnsPort }],
  dialMap: parseDialMap(world.internet.dialMap),
  extraCa: world.internet.caPem,
  ehloName: 'checker.test',
});
const parsed = parseTrustAnchors(world.internet.trustAnchors);
if (!parsed.ok) throw new Error(parsed.entry);
const checkContext = { network, trustAnchors: parsed.anchors };

atEnd(() => world.internet.stop());

describe('the safe changes for the example internet come true in a preview:', () => {
  test.each(exampleDomains)('%s', async (domain) => {
    const asked = { domain, testEmailLocalPart: null, knownSelectors: [], reportMailbox: MAILBOX };
    const { dns, lookups } = recordLookups(checkContext.network.dns);
    const results = await inspectDomain(asked, {
      ...checkContext,
      network: { ...checkContext.network, dns },
    });
    for (const usageType of usageTypes) {
      const input = {
        domain,
        usageType,
        mailbox: MAILBOX,
        mail: { ...noReportedMail, isReported: true },
        results,
      };
      const plan = await makePlan({ ...input, lookups: lookups() });
      const read = readZone(writeFixes(plan, 'zone'), domain);
      if (!read.ok) {
        expect(plan.scoreAfter).toBe(plan.score);
        continue;
      }
      const preview = await previewChecks(asked, read.sets, checkContext);
      if (!preview.ok) throw new Error(preview.conflicts.join());
      expect(computeScore(preview.after, usageType).score).toBe(plan.scoreAfter);
      const remaining = new Set(placedFindings(preview.after).map(({ id }) => id));
      const safe = plan.changes.filter((change) => change.class === 'safe');
      expect(safe.flatMap(({ resolves }) => resolves).filter((id) => remaining.has(id))).toEqual([]);
      const { introduced } = differenceOf(preview.before, preview.after);
      const isMeant = ({ id }: { id: string }) => id === 'dmarc-monitoring-only';
      expect(introduced.filter((found) => found.severity !== 'notice' && !isMeant(found))).toEqual([]);
    }
  });
});
