import { describe, expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import type { CheckName, UsageType } from '../../../shared/checks/state.ts';
import { dmarcRules } from '../../../shared/protocol/findings/dmarc.ts';
import { raiser } from '../../../shared/protocol/findings/finding.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { random } from '../../kit/random.ts';
import {
  bimiResult,
  dkimKey,
  emptyResults,
  mxHost,
  mxResult,
  nullMxResult,
  perfectResults,
  spfResult,
  unknownResults,
  usageTypes,
} from '../../kit/results.ts';

type Ladder<Name extends CheckName> = readonly CheckResults[Name][];
type Ladders = { readonly [Name in CheckName]: Ladder<Name> };

const perfect = perfectResults('sends-and-receives');
const empty = emptyResults();
const unknown = unknownResults();
const { dmarc } = perfect;
const checks = Object.keys(perfect) as CheckName[];

const weakSubdomains = { tag: 'sp', value: 'none', policy: 'reject' };
const plainHosts = [mxHost('mx1.example.org', 10, { tlsSupported: false }), mxHost('mx2.example.org', 20)];
const dkimOf = (...selectors: CheckResults['dkim']['selectors']): CheckResults['dkim'] => ({
  state: 'warning',
  findings: [],
  selectors,
});

/** The possible results of each check, from the worst to the best. MX is reversed on a parked domain. */
function laddersOf(usage: UsageType): Ladders {
  const mx = [
    empty.mx,
    mxResult({ tlsSupported: false, hosts: [], daneSupported: false }),
    mxResult({ tlsSupported: false, hosts: plainHosts, daneSupported: false }),
    mxResult({ daneSupported: false }),
    mxResult(),
  ];
  return {
    mx: usage === 'parked' ? [mxResult(), empty.mx, nullMxResult()] : mx,
    spf: [
      empty.spf,
      spfResult('v=spf1 +all'),
      spfResult('v=spf1 ?all'),
      spfResult('v=spf1 ~all'),
      ...(usage === 'parked' || usage === 'receives-only'
        ? [spfResult('v=spf1 a -all', { flattenedIps: ['192.0.2.1'] })]
        : []),
      spfResult('v=spf1 -all'),
    ],
    dkim: [
      empty.dkim,
      dkimOf(dkimKey('a', { valid: false })),
      dkimOf(dkimKey('a', { keySize: 1024 })),
      dkimOf(dkimKey('a'), dkimKey('b', { keySize: 1024 })),
      dkimOf(dkimKey('a'), dkimKey('b')),
    ],
    dmarc: [
      empty.dmarc,
      { ...dmarc, effectivePolicy: 'none', rua: [] },
      { ...dmarc, effectivePolicy: 'none' },
      { ...dmarc, policy: 'quarantine', effectivePolicy: 'none', testing: true },
      { ...dmarc, effectivePolicy: 'quarantine', percentage: 50 },
      { ...dmarc, effectivePolicy: 'quarantine' },
      { ...dmarc, effectivePolicy: 'quarantine', testing: true },
      { ...dmarc, effectivePolicy: 'reject', percentage: 50 },
      { ...dmarc, findings: [raiser(dmarcRules)('dmarc-weaker-subdomain-policy', weakSubdomains)] },
      dmarc,
    ],
    mtaSts: [
      empty.mtaSts,
      { ...perfect.mtaSts, valid: false },
      { ...perfect.mtaSts, policyMode: 'testing' },
      perfect.mtaSts,
    ],
    tlsRpt: [empty.tlsRpt, { ...perfect.tlsRpt, valid: false }, perfect.tlsRpt],
    bimi: [
      empty.bimi,
      bimiResult({ valid: false, logoValid: false }),
      bimiResult({ valid: false }),
      bimiResult(),
    ],
    dnssec: [empty.dnssec, { ...perfect.dnssec, chainValid: false }, perfect.dnssec],
    caa: [empty.caa, perfect.caa],
  };
}

/** Generates results with a random rung of every ladder (including unknown), the same ones in every run. */
function* randomResults(ladders: Ladders, count: number): Generator<CheckResults> {
  const below = random(20_250_101);
  for (let index = 0; index < count; index += 1) {
    const drawn = checks.map((check) => {
      const rungs = [...ladders[check], unknown[check]];
      return [check, rungs[below(rungs.length)]];
    });
    yield Object.fromEntries(drawn) as unknown as CheckResults;
  }
}

describe.each(usageTypes)('for random %s domains', (usage) => {
  const ladders = laddersOf(usage);
  const domains = [...randomResults(ladders, 300)];
  const scoreOf = (results: CheckResults) => computeScore(results, usage).score;

  test.each(checks)('a better %s result never lowers the score', (check) => {
    for (const domain of domains) {
      const scores = ladders[check].map((rung) => scoreOf({ ...domain, [check]: rung }) ?? -1);
      expect(scores).toEqual(scores.toSorted((a, b) => a - b));
    }
  });

  test.each(checks)(
    'with an unknown %s result the score is between those of its worst and best result',
    (check) => {
      for (const domain of domains) {
        const score = scoreOf({ ...domain, [check]: unknown[check] });
        if (score === null) continue;
        const worst = scoreOf({ ...domain, [check]: ladders[check].at(0) });
        const best = scoreOf({ ...domain, [check]: ladders[check].at(-1) });
        expect(score).toBeGreaterThanOrEqual(worst ?? 0);
        expect(score).toBeLessThanOrEqual(best ?? 100);
      }
    },
  );

  test('the gains add up to the missing points', () => {
    for (const domain of domains) {
      const { score, components } = computeScore(domain, usage);
      const gains = components.reduce((sum, { gain }) => sum + gain, 0);
      if (score === null) expect(gains).toBe(0);
      else expect(Math.abs(100 - score - gains)).toBeLessThan(1.5);
    }
  });

  test.each(checks)('fixing %s raises the score by its gain', (check) => {
    // A policy of DMARC is worth points of SPF, too.
    const isCoupled = ({ spf }: CheckResults) => check === 'dmarc' && spf.allPolicy === '~all';
    for (const domain of domains.filter((one) => one[check].state !== 'unknown' && !isCoupled(one))) {
      const before = computeScore(domain, usage);
      const gain = before.components
        .filter(({ component }) => component === check || (component === 'dane' && check === 'mx'))
        .reduce((sum, one) => sum + one.gain, 0);
      const after = scoreOf({ ...domain, [check]: perfectResults(usage)[check] });
      if (gain > 0) expect(Math.abs((after ?? 0) - (before.score ?? 0) - gain)).toBeLessThan(1.5);
    }
  });

  test('the score is an integer from 0 to 100, and 100 only if nothing can be gained', () => {
    for (const domain of domains) {
      const { score, components } = computeScore(domain, usage);
      if (score === null) continue;
      expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
      expect(score === 100).toBe(components.every(({ todo }) => todo === null));
    }
  });
});
