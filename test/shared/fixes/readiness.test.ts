/** Plans, previews and readiness of the faulty zones agree, with 90 days of reports that show healthy mail. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { strongerPolicy } from '../../../shared/protocol/dmarc/next-record.ts';
import { policies } from '../../../shared/protocol/dmarc/record.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { rsaKey } from '../../kit/dkim-signer.ts';
import { assessed, steady, TODAY } from '../../kit/readiness.ts';
import { owner, ownMail } from '../../kit/report-history.ts';
import { zone } from '../../kit/zone.ts';
import { checkAndPlan, previewOf, setsOf } from './check-and-plan.ts';
import { faultyZones, zoneOf } from './faulty-zones.ts';

const DAYS = 90;

const key = rsaKey().record;

/** The zones with a key, and with every policy that a step can follow where the record asks for one. */
const zones = faultyZones.flatMap((faulty) => {
  const { fault, dmarc = [] } = faulty;
  const literal = { ...zoneOf(owner, faulty), [`default._domainkey.${owner}`]: { TXT: [key] } };
  const weaker = (policy: string) => ({
    fault: `${fault}, ${policy}`,
    literal: {
      ...literal,
      [`_dmarc.${owner}`]: { TXT: dmarc.map((text) => text.replace(/p=reject/i, `p=${policy}`)) },
    },
  });
  if (!dmarc.some((text) => /p=reject/i.test(text))) return [{ fault, literal }];
  return [{ fault, literal }, weaker('none'), weaker('quarantine')];
});

const policyOf = ({ dmarc }: CheckResults) => dmarc.effectivePolicy ?? 'none';

/** What the step of a zone does, as readiness and the plan see it. */
async function stepOf(dns: Dns) {
  const { results } = await checkAndPlan(owner, 'sends-and-receives', dns);
  const p = policyOf(results);
  const days = steady(() => [ownMail()], { from: TODAY - DAYS, p });
  const record = results.dmarc.record ?? '';
  const { readiness, target, published } = await assessed(days, { record, results: () => results });
  const isStep = readiness.ready && strongerPolicy(published.dmarc, owner, target);
  const given = { mail: { isAuthenticated: true }, nextPolicy: isStep ? target : null };
  const { plan } = await checkAndPlan(owner, 'sends-and-receives', dns, given);
  const changes = plan.changes.filter(({ class: kind }) => kind !== 'advice');
  const preview = await previewOf(owner, setsOf(changes), dns);
  return { before: p, after: policyOf(preview.after), target: isStep ? target : null, readiness };
}

describe('with 90 days of healthy reports', () => {
  const steps: ({ readonly fault: string } & Awaited<ReturnType<typeof stepOf>>)[] = [];

  beforeAll(async () => {
    for (const { fault, literal } of zones) steps.push({ fault, ...(await stepOf(zone(literal))) });
  });

  test('some faulty zones are ready for a stronger policy, and others are held up', () => {
    const ready = steps.filter(({ target }) => target !== null);
    expect(ready.length).toBeGreaterThan(10);
    expect(steps.length - ready.length).toBeGreaterThan(10);
  });

  test('a preview of the plan has the policy that the domain is ready for, and no stronger one', () => {
    const strength = policies.indexOf.bind(policies);
    const tooStrong = steps.filter(
      ({ before, after, target }) => strength(after) > strength(target ?? before),
    );
    expect(tooStrong.map(({ fault }) => fault)).toEqual([]);
    const later = steps.filter(({ before, after, target }) => after !== (target ?? before));
    // A record that receivers read in another way than its owner meant is repaired first.
    expect(later.map(({ fault }) => fault)).toEqual([
      'invalid subdomain policy',
      'invalid subdomain policy, quarantine',
    ]);
  });

  test('no step skips a policy', () => {
    for (const { before, target } of steps)
      if (target !== null) expect(policies.indexOf(target) - policies.indexOf(before)).toBeLessThanOrEqual(1);
  });

  test('what holds a zone up is named', () => {
    for (const { readiness } of steps) {
      const isNamed = readiness.rule.some(({ holds }) => !holds) || readiness.blockers.length > 0;
      expect(readiness.ready || isNamed).toBe(true);
    }
  });
});
