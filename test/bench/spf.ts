/**
 * How fast SPF is evaluated, compared with mailauth on the same responses, and how close an expansion is to its longest
 * path.
 */
import { spf as mailauthSpf } from 'mailauth/lib/spf/index.js';
import type { Answer, Dns, RecordData, RecordType } from '../../shared/protocol/dns.ts';
import { evaluate } from '../../shared/protocol/spf/evaluate.ts';
import { expand } from '../../shared/protocol/spf/expand.ts';
import { type ZoneLiteral, zone } from '../kit/zone.ts';
import { hasCorpus, suites } from '../shared/protocol/spf/corpus.ts';
import type { BenchRow } from './row.ts';

/** Takes about three seconds. */
export async function benchSpf(): Promise<readonly BenchRow[]> {
  return [...(hasCorpus ? [await benchEvaluation()] : []), await benchExpansion()];
}

const ROUNDS = 7;
const MILLISECONDS_PER_ROUND = 150;
const NOW = new Date('2026-01-01T00:00:00Z');

type Run = () => Promise<unknown>;
type Resolver = NonNullable<NonNullable<Parameters<typeof mailauthSpf>[0]>['resolver']>;

/** Rounds alternate between the two, so that other load on the machine affects both. */
async function benchEvaluation(): Promise<BenchRow> {
  const ours: Run[] = [];
  const theirs: Run[] = [];
  for (const { zone: literal, cases } of suites().flatMap(({ scenarios }) => scenarios)) {
    const { dns, resolver } = withCache(zone(literal));
    for (const { host: ip, mailfrom, helo } of cases) {
      ours.push(() => evaluate({ ip, mailFrom: mailfrom, helo, now: NOW }, dns));
      theirs.push(() => mailauthSpf({ sender: mailfrom, ip, helo, mta: 'mx', resolver, strict: true }));
    }
  }
  const rates: { ours: number; theirs: number }[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const rate = { ours: await perSecond(ours), theirs: await perSecond(theirs) };
    if (round >= 0) rates.push(rate);
  }
  const ratio = median(rates.map((rate) => rate.ours / rate.theirs));
  const each = (who: 'ours' | 'theirs') =>
    Math.round(median(rates.map((rate) => rate[who]))).toLocaleString('en');
  return {
    name: 'SPF evaluations per second over the corpus, compared with mailauth',
    value: `${each('ours')} compared with ${each('theirs')}: ${ratio.toFixed(1)} times`,
    goal: 'at least 2 times',
    met: ratio >= 2,
  };
}

async function perSecond(runs: readonly Run[]): Promise<number> {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < MILLISECONDS_PER_ROUND) {
    for (const run of runs) await run();
    count += runs.length;
  }
  return (count / (performance.now() - start)) * 1000;
}

/** Computes each response once and keeps it in the format of either side. */
function withCache(source: Dns): { dns: Dns; resolver: Resolver } {
  const answers = new Map<string, Answer<unknown>>();
  const forms = new Map<string, unknown[] | Error>();

  async function cached(name: string, type: RecordType): Promise<Answer<unknown>> {
    const key = `${name} ${type}`;
    const held = answers.get(key) ?? (await source.lookup(name, type));
    answers.set(key, held);
    return held;
  }

  return {
    dns: {
      lookup: <T extends RecordType>(name: string, type: T) =>
        cached(name, type) as Promise<Answer<RecordData[T]>>,
    },
    resolver: (async (name: string, type: string) => {
      const key = `${name} ${type}`;
      const form = forms.get(key) ?? nodeForm(await cached(name, type as RecordType), type);
      forms.set(key, form);
      if (form instanceof Error) throw form;
      return form;
    }) as Resolver,
  };
}

/** A response in the format of node:dns. */
function nodeForm(answer: Answer<unknown>, type: string): unknown[] | Error {
  if (answer.status === 'absent') return Object.assign(new Error('absent'), { code: 'ENOTFOUND' });
  if (answer.status === 'unavailable') return Object.assign(new Error('unavailable'), { code: 'ESERVFAIL' });
  if (type === 'TXT') return answer.records.map((text) => [text]);
  if (type !== 'MX') return [...answer.records];
  return (answer.records as RecordData['MX'][]).map(({ preference, exchange }) => ({
    priority: preference,
    exchange,
  }));
}

const LOOKUP_MILLISECONDS = 20;

/** Ten includes on three levels below the record: four sequential lookups, whatever is beside them. */
const TREE: ZoneLiteral = {
  'example.org': { TXT: ['v=spf1 include:a.example.org include:b.example.org include:c.example.org -all'] },
  'a.example.org': { TXT: ['v=spf1 include:a1.example.org include:a2.example.org -all'] },
  'b.example.org': { TXT: ['v=spf1 include:b1.example.org include:b2.example.org -all'] },
  'c.example.org': { TXT: ['v=spf1 include:c1.example.org ip4:192.0.2.0/24 -all'] },
  'a1.example.org': { TXT: ['v=spf1 include:a11.example.org -all'] },
  'a2.example.org': { TXT: ['v=spf1 ip4:198.51.100.0/25 -all'] },
  'b1.example.org': { TXT: ['v=spf1 include:b11.example.org -all'] },
  'b2.example.org': { TXT: ['v=spf1 ip4:198.51.100.128/25 -all'] },
  'c1.example.org': { TXT: ['v=spf1 ip6:2001:db8::/48 -all'] },
  'a11.example.org': { TXT: ['v=spf1 ip4:203.0.113.0/25 -all'] },
  'b11.example.org': { TXT: ['v=spf1 ip4:203.0.113.128/25 -all'] },
};
const DEPTH = 4;

async function benchExpansion(): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await expand('example.org', zone(TREE, { delayMilliseconds: LOOKUP_MILLISECONDS }));
    times.push(performance.now() - start);
  }
  const ratio = median(times) / (DEPTH * LOOKUP_MILLISECONDS);
  return {
    name: 'SPF expansion of 10 includes, 4 levels, 20 ms per lookup, compared with 4 x 20 ms',
    value: `${median(times).toFixed(0)} ms: ${ratio.toFixed(2)} times`,
    goal: 'at most 1.3 times',
    met: ratio <= 1.3,
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
