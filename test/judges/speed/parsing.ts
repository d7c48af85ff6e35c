/** Aggregate reports and SPF, beside mail-auth of Rust: seconds of one core on both sides. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Dns, RecordData, RecordType } from '../../../shared/protocol/dns.ts';
import { evaluate } from '../../../shared/protocol/spf/evaluate.ts';
import { readFile } from '../../../shared/reports/read-mail.ts';
import type { BenchRow } from '../../bench/row.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';
import { aggregateReport } from './aggregate-report.ts';
import { inTurns } from './compared.ts';
import { type MailAuth, startMailAuth } from './mail-auth.ts';

const ROWS = 20_000;
const TURNS = 7;
/** How often each side works in a turn. */
const TIMES = 5;
const ROWS_GOAL = 0.33;
/** SPF of ours answers with the terms that decided, in a process that does other things; mail-auth answers with the result. */
const SPF_GOAL = 0.1;

const SPF_ZONE: Readonly<Record<string, string>> = {
  'example.org': 'v=spf1 ip4:192.0.2.0/24 include:a.example.org include:b.example.org -all',
  'a.example.org': 'v=spf1 include:a1.example.org ip4:198.51.100.0/25 ~all',
  'a1.example.org': 'v=spf1 ip4:203.0.113.0/25 ip6:2001:db8::/48 ~all',
  'b.example.org': 'v=spf1 ip4:198.51.100.128/26 ip4:203.0.113.128/25 ?all',
};
const SPF_ADDRESSES = [
  '192.0.2.7',
  '198.51.100.9',
  '203.0.113.9',
  '2001:db8::7',
  '203.0.113.200',
  '198.18.0.1',
];
const SPF_PASSED = SPF_ADDRESSES.length - 1;
const SPF_TIMES = 2_000;

export async function judgeParsing(): Promise<readonly BenchRow[]> {
  const peer = await startMailAuth();
  const folder = mkdtempSync(join(tmpdir(), 'judge-speed-'));
  try {
    return [await judgeRows(peer, folder), await judgeSpf(peer, folder)];
  } finally {
    peer?.stop();
    rmSync(folder, { recursive: true });
  }
}

const skipped = { value: 'skipped: cargo cannot build mail-auth', met: null } as const;

async function judgeRows(peer: MailAuth | undefined, folder: string): Promise<BenchRow> {
  const name = `Rows of a DMARC report of ${ROWS} rows per second, beside mail-auth`;
  const goal = `at least ${ROWS_GOAL}`;
  if (peer === undefined) return { name, goal, ...skipped };
  const xml = aggregateReport(ROWS);
  const file = join(folder, 'report.xml');
  writeFileSync(file, xml);
  const { ours, theirs } = await inTurns(
    TURNS,
    () => cpuSeconds(TIMES, () => readRows(xml)),
    () => seconds(peer, `reports ${file} ${TIMES}`, ROWS),
  );
  return row(name, goal, ROWS_GOAL, { ours: (ROWS * TIMES) / ours, theirs: (ROWS * TIMES) / theirs });
}

async function readRows(xml: Buffer): Promise<void> {
  const [outcome] = await readFile('report.xml', xml);
  if (outcome?.outcome !== 'dmarc' || outcome.counts.records !== ROWS)
    throw new Error('not all rows were read');
}

async function judgeSpf(peer: MailAuth | undefined, folder: string): Promise<BenchRow> {
  const name = 'SPF evaluations per second with all records at hand, beside mail-auth';
  const goal = `at least ${SPF_GOAL}`;
  if (peer === undefined) return { name, goal, ...skipped };
  const file = join(folder, 'spf');
  const sender = 'someone@example.org';
  const zones = Object.entries(SPF_ZONE).map(([at, record]) => `zone ${at} ${record}`);
  writeFileSync(file, [...zones, ...SPF_ADDRESSES.map((ip) => `case ${ip} ${sender}`)].join('\n'));
  const literal: ZoneLiteral = Object.fromEntries(
    Object.entries(SPF_ZONE).map(([at, record]) => [at, { TXT: [record] }]),
  );
  const dns = remembered(zone(literal));
  const now = new Date();
  const evaluateAll = async () => {
    let passed = 0;
    for (const ip of SPF_ADDRESSES) {
      const { result } = await evaluate({ ip, mailFrom: sender, helo: 'example.org', now }, dns);
      if (result === 'pass') passed += 1;
    }
    if (passed !== SPF_PASSED) throw new Error(`${passed} passed`);
  };
  const { ours, theirs } = await inTurns(
    TURNS,
    () => cpuSeconds(SPF_TIMES, evaluateAll),
    () => seconds(peer, `spf ${file} ${SPF_TIMES}`, SPF_PASSED),
  );
  const evaluations = SPF_TIMES * SPF_ADDRESSES.length;
  return row(name, goal, SPF_GOAL, { ours: evaluations / ours, theirs: evaluations / theirs });
}

/** Computes each response once. */
function remembered(source: Dns): Dns {
  const answers = new Map<string, Answer<unknown>>();
  return {
    async lookup<T extends RecordType>(name: string, type: T) {
      const key = `${name} ${type}`;
      const held = answers.get(key) ?? (await source.lookup(name, type));
      answers.set(key, held);
      return held as Answer<RecordData[T]>;
    },
  };
}

async function cpuSeconds(times: number, work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  for (let left = times; left > 0; left -= 1) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

/** The seconds of the peer. Throws if it did not find what there is. */
async function seconds(peer: MailAuth, command: string, expected: number): Promise<number> {
  const [took = Number.NaN, found] = await peer.run(command);
  if (found !== expected) throw new Error(`mail-auth found ${found} of ${expected}`);
  return took;
}

function row(
  name: string,
  goal: string,
  least: number,
  { ours, theirs }: { ours: number; theirs: number },
): BenchRow {
  const ratio = ours / theirs;
  const text = (value: number) => Math.round(value).toLocaleString('en');
  const value = `${text(ours)} compared with ${text(theirs)}: ${ratio.toFixed(2)}`;
  return { name, value, goal, met: ratio >= least };
}
