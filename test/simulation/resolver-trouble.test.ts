/** A month of trouble with resolvers, in which nothing happens to the domains, played in seconds. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import { keepLastKnown } from '../../shared/checks/last-known.ts';
import type { CheckName, CheckResults } from '../../shared/checks/results.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { computeScore } from '../../shared/score/score.ts';
import type { ZoneLiteral } from '../kit/zone.ts';
import { checkNames, tellable } from './tellable.ts';
import { outage, pick, type Random, seeded, troubles } from './trouble.ts';
import { faulty, healthy, inspectorOf, names, type Shape, signedZone, start } from './world.ts';

const INTERVAL_MILLISECONDS = 6 * 3_600_000;
const RUNS_A_DAY = 4;
const MONTH = 30 * RUNS_A_DAY;

/** Longer than one run may take. */
const RUN_MILLISECONDS = 20_000;

/** For a month, on a machine that does much else. */
const PATIENCE_MILLISECONDS = 60_000;

/** How many of the runs are in trouble, and how many of their questions are. */
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

/** One check as the service makes it: what was seen in it, and what is stored in the end. */
async function check({ domain }: Shape, dns: Dns, run: number, before?: Stored) {
  const now = new Date(start.getTime() + run * INTERVAL_MILLISECONDS);
  const knownSelectors = before?.results.dkim.selectors.map(({ selector }) => selector) ?? [];
  const inspected = { domain, testEmailLocalPart: null, knownSelectors };
  const running = inspectDomain(inspected, inspectorOf(dns, { now: () => now }));
  await jest.advanceTimersByTimeAsync(RUN_MILLISECONDS);
  const seen = await running;
  return { seen, results: keepLastKnown(seen, before, now), checkedAt: now.toISOString() };
}

function scoreOf({ results }: Stored, { usage }: Shape): number | null {
  return computeScore(results, usage).score;
}

function troubledBy(random: Random): { readonly kind: string; readonly dns: Dns } {
  if (random() > TROUBLED_RUNS) return { kind: 'none', dns: calm };
  const [kind, trouble] = pick(Object.entries(troubles), random);
  return { kind, dns: trouble(calm, random, pick(SHARES, random)) };
}

test('the domains of this internet are in order, but for one', async () => {
  for (const shape of healthy) {
    const { results } = await check(shape, calm, 0);
    expect(checkNames.flatMap((name) => tellable(name, results).findings)).toEqual([]);
  }
  const { results } = await check(faulty, calm, 0);
  expect(checkNames.flatMap((name) => tellable(name, results).findings).length).toBeGreaterThan(8);
});

describe('in a month of trouble nothing is told and no point is lost', () => {
  test.each([...healthy, faulty])(
    'of $domain',
    async (shape) => {
      const random = seeded(20_261_121);
      const first = await check(shape, calm, 0);
      const changes: unknown[] = [];
      const kinds = new Set<string>();
      const unmade = new Map<CheckName, number>();
      let before: Stored = first;
      for (let run = 1; run <= MONTH; run += 1) {
        const { kind, dns } = troubledBy(random);
        const made = await check(shape, dns, run, before);
        kinds.add(kind);
        for (const name of checkNames) {
          if (made.seen[name].state === 'unknown') unmade.set(name, (unmade.get(name) ?? 0) + 1);
          const [then, now] = [tellable(name, first.results), tellable(name, made.results)];
          if (!isSame(then, now)) changes.push({ run, kind, name, then, now });
        }
        if (scoreOf(made, shape) !== scoreOf(first, shape))
          changes.push({ run, kind, score: scoreOf(made, shape) });
        before = made;
      }
      expect(changes).toEqual([]);
      expect(kinds).toEqual(new Set(['none', ...Object.keys(troubles)]));
      for (const name of checkNames) expect(unmade.get(name)).toBeGreaterThan(5);
    },
    PATIENCE_MILLISECONDS,
  );
});

test.each(healthy)(
  '$domain is unknown after 72 hours without an answer, and as before with the next',
  async (shape) => {
    const first = await check(shape, calm, 0);
    let before: Stored = first;
    for (let run = 1; run <= 5 * RUNS_A_DAY; run += 1) {
      const made = await check(shape, outage('timeout'), run, before);
      const isKept = run <= 3 * RUNS_A_DAY;
      expect(scoreOf(made, shape)).toBe(isKept ? scoreOf(first, shape) : null);
      for (const name of checkNames) {
        if (isKept) expect(made.results[name]).toEqual({ ...first.results[name], asOf: first.checkedAt });
        else expect(tellable(name, made.results)).toEqual({ findings: [], records: 'unknown' });
      }
      before = made;
    }
    const after = await check(shape, calm, 5 * RUNS_A_DAY + 1, before);
    expect(after.results).toEqual(first.results);
    expect(scoreOf(after, shape)).toBe(scoreOf(first, shape));
  },
);

describe('a change in the middle of trouble', () => {
  const [signed, , plain] = healthy as readonly [Shape, Shape, Shape, Shape];

  test.each<[string, Shape, CheckName, string, ZoneLiteral, string]>([
    ['of SPF', plain, 'spf', 'plain.example', { 'plain.example': { TXT: ['v=spf1 +all'] } }, 'spf-pass-all'],
    [
      'of MX records',
      plain,
      'mx',
      'plain.example',
      { 'plain.example': { ...nodeOf('plain.example'), MX: [[10, '198.51.100.25']] } },
      'mx-address-literal',
    ],
    [
      'of DMARC',
      plain,
      'dmarc',
      '_dmarc.plain.example',
      { '_dmarc.plain.example': { TXT: ['v=DMARC1; p=none'] } },
      'dmarc-monitoring-only',
    ],
    [
      'of a DKIM key',
      signed,
      'dkim',
      's1._domainkey.signed.example',
      { 's1._domainkey.signed.example': { TXT: ['v=DKIM1; p=oops!'] } },
      'dkim-malformed-base64',
    ],
    [
      'of MTA-STS',
      signed,
      'mtaSts',
      '_mta-sts.signed.example',
      { '_mta-sts.signed.example': { TXT: ['v=STSv1; id=?'] } },
      'mta-sts-id-invalid',
    ],
    [
      'of TLS-RPT',
      signed,
      'tlsRpt',
      '_smtp._tls.signed.example',
      { '_smtp._tls.signed.example': { TXT: ['v=TLSRPTv1;'] } },
      'tls-rpt-rua-missing',
    ],
    [
      'of BIMI',
      signed,
      'bimi',
      'default._bimi.signed.example',
      { 'default._bimi.signed.example': { TXT: ['v=BIMI1;'] } },
      'bimi-location-missing',
    ],
  ])(
    '%s is not known during an outage, and seen with the first answer',
    async (_, shape, name, at, change, id) => {
      const changed = signedZone({ ...names, ...change });
      const told = ({ results }: Stored) =>
        tellable(name, results).findings.map((finding) => finding.split(' ')[0]);
      const first = await check(shape, calm, 0);
      const during = await check(shape, outage('timeout'), 1, first);
      expect(during.results[name]).toEqual({ ...first.results[name], asOf: first.checkedAt });
      expect(told(await check(shape, changed, 2, during))).toContain(id);

      const spared = outage('server-failure', changed, at);
      const partly = await check(shape, spared, 2, during);
      expect(told(partly)).toContain(id);
      expect(partly.results[name].asOf).toBeUndefined();
    },
  );
});

function nodeOf(name: string) {
  const node = names[name];
  return typeof node === 'object' ? node : {};
}

/** Whether what is told now is what was told, or that it is not known. */
function isSame(then: ReturnType<typeof tellable>, now: ReturnType<typeof tellable>): boolean {
  if (now.records === 'unknown') return now.findings.length === 0;
  return JSON.stringify(then) === JSON.stringify(now);
}
