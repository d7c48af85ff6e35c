/** A simulated month of resolver trouble during which the domains do not change. It runs in seconds. */

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import { keepLastKnown } from '../../shared/checks/last-known.ts';
import type { CheckResults } from '../../shared/checks/results.ts';
import type { CheckName } from '../../shared/checks/state.ts';
import { checkNames } from '../../shared/checks/state.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { computeScore } from '../../shared/score/score.ts';
import type { ZoneLiteral } from '../kit/zone.ts';
import { alertFacts } from './alert-facts.ts';
import { outage, pick, type Random, seeded, troubles } from './trouble.ts';
import { checkContextOf, faulty, healthy, names, type Shape, signedZone, start } from './world.ts';

const INTERVAL_MILLISECONDS = 6 * 3_600_000;
const RUNS_A_DAY = 4;
const MONTH = 30 * RUNS_A_DAY;

/** Longer than any single run. */
const RUN_MILLISECONDS = 20_000;

/** Enough for a month on a busy machine. */
const TIMEOUT_MILLISECONDS = 60_000;

/** The share of runs with trouble, and the share of their queries that are affected. */
const TROUBLED_RUNS = 0.4;
const SHARES = [0.01, 0.1, 0.5, 1];

const calm = signedZone(names);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

interface Stored {
  readonly checkedAt: string;
  readonly results: CheckResults;
}

/** One check run as the service performs it: its own results, and the results that are stored. */
async function check({ domain }: Shape, dns: Dns, run: number, before?: Stored) {
  const now = new Date(start.getTime() + run * INTERVAL_MILLISECONDS);
  const knownSelectors = before?.results.dkim.selectors.map(({ selector }) => selector) ?? [];
  const inspected = { domain, testEmailLocalPart: null, knownSelectors };
  const running = inspectDomain(inspected, checkContextOf(dns, { now: () => now }));
  await jest.advanceTimersByTimeAsync(RUN_MILLISECONDS);
  const seen = await running;
  return { seen, results: keepLastKnown(seen, before, now), checkedAt: now.toISOString() };
}

function scoreOf({ results }: Stored, { usage }: Shape): number | null {
  return computeScore(results, usage).score;
}

/** Lookups have random numbers of their own, so that their number does not decide which troubles come. */
function troubledBy(random: Random, run: number): { readonly kind: string; readonly dns: Dns } {
  if (random() > TROUBLED_RUNS) return { kind: 'none', dns: calm };
  const [kind, trouble] = pick(Object.entries(troubles), random);
  return { kind, dns: trouble(calm, seeded(run), pick(SHARES, random)) };
}

test('all simulated domains but one are in order', async () => {
  for (const shape of healthy) {
    const { results } = await check(shape, calm, 0);
    expect(checkNames.flatMap((name) => alertFacts(name, results).findings)).toEqual([]);
  }
  const { results } = await check(faulty, calm, 0);
  expect(checkNames.flatMap((name) => alertFacts(name, results).findings).length).toBeGreaterThan(8);
});

describe('a month of trouble raises no alert and costs no points', () => {
  test.each([...healthy, faulty])(
    'for $domain',
    async (shape) => {
      const random = seeded(20_261_121);
      const first = await check(shape, calm, 0);
      const changes: unknown[] = [];
      const kinds = new Set<string>();
      const unknownRuns = new Map<CheckName, number>();
      let before: Stored = first;
      for (let run = 1; run <= MONTH; run += 1) {
        const { kind, dns } = troubledBy(random, run);
        const current = await check(shape, dns, run, before);
        kinds.add(kind);
        for (const name of checkNames) {
          if (current.seen[name].state === 'unknown') unknownRuns.set(name, (unknownRuns.get(name) ?? 0) + 1);
          const [initial, now] = [alertFacts(name, first.results), alertFacts(name, current.results)];
          if (!isSame(initial, now)) changes.push({ run, kind, name, initial, now });
        }
        if (scoreOf(current, shape) !== scoreOf(first, shape))
          changes.push({ run, kind, score: scoreOf(current, shape) });
        before = current;
      }
      expect(changes).toEqual([]);
      expect(kinds).toEqual(new Set(['none', ...Object.keys(troubles)]));
      for (const name of checkNames) expect(unknownRuns.get(name)).toBeGreaterThan(5);
    },
    TIMEOUT_MILLISECONDS,
  );
});

test.each(healthy)(
  '$domain is unknown after 72 hours without responses, and fully known again after the first response',
  async (shape) => {
    const first = await check(shape, calm, 0);
    let before: Stored = first;
    for (let run = 1; run <= 5 * RUNS_A_DAY; run += 1) {
      const current = await check(shape, outage('timeout'), run, before);
      const isKept = run <= 3 * RUNS_A_DAY;
      expect(scoreOf(current, shape)).toBe(isKept ? scoreOf(first, shape) : null);
      for (const name of checkNames) {
        if (isKept) expect(current.results[name]).toEqual({ ...first.results[name], asOf: first.checkedAt });
        else expect(alertFacts(name, current.results)).toEqual({ findings: [], records: 'unknown' });
      }
      before = current;
    }
    const after = await check(shape, calm, 5 * RUNS_A_DAY + 1, before);
    expect(after.results).toEqual(first.results);
    expect(scoreOf(after, shape)).toBe(scoreOf(first, shape));
  },
);

describe('a change during trouble', () => {
  const [signed, , plain] = healthy as readonly [Shape, Shape, Shape, Shape];

  test.each<[CheckName, Shape, string, ZoneLiteral[string], string]>([
    ['spf', plain, 'plain.example', { TXT: ['v=spf1 +all'] }, 'spf-pass-all'],
    [
      'mx',
      plain,
      'plain.example',
      { ...nodeOf('plain.example'), MX: [[10, '198.51.100.25']] },
      'mx-address-literal',
    ],
    ['dmarc', plain, '_dmarc.plain.example', { TXT: ['v=DMARC1; p=none'] }, 'dmarc-missing-rua'],
    ['dkim', signed, 's1._domainkey.signed.example', { TXT: ['v=DKIM1; p=oops!'] }, 'dkim-malformed-base64'],
    ['mtaSts', signed, '_mta-sts.signed.example', { TXT: ['v=STSv1; id=?'] }, 'mta-sts-id-invalid'],
    ['tlsRpt', signed, '_smtp._tls.signed.example', { TXT: ['v=TLSRPTv1;'] }, 'tls-rpt-rua-missing'],
    ['bimi', signed, 'default._bimi.signed.example', { TXT: ['v=BIMI1;'] }, 'bimi-location-missing'],
  ])(
    'in %s is unknown during an outage, and found with the first response',
    async (name, shape, at, node, id) => {
      const changed = signedZone({ ...names, [at]: node });
      const findingIds = ({ results }: Stored) =>
        alertFacts(name, results).findings.map((finding) => finding.split(' ')[0]);
      const first = await check(shape, calm, 0);
      const during = await check(shape, outage('timeout'), 1, first);
      expect(during.results[name]).toEqual({ ...first.results[name], asOf: first.checkedAt });
      expect(findingIds(await check(shape, changed, 2, during))).toContain(id);

      const partialOutage = outage('server-failure', changed, at);
      const afterPartial = await check(shape, partialOutage, 2, during);
      expect(findingIds(afterPartial)).toContain(id);
      expect(afterPartial.results[name].asOf).toBeUndefined();
    },
  );
});

function nodeOf(name: string) {
  const node = names[name];
  return typeof node === 'object' ? node : {};
}

/** Whether the current facts equal the earlier ones or are unknown. */
function isSame(initial: ReturnType<typeof alertFacts>, now: ReturnType<typeof alertFacts>): boolean {
  if (now.records === 'unknown') return now.findings.length === 0;
  return JSON.stringify(initial) === JSON.stringify(now);
}
