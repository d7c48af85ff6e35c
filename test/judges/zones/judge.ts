/** More than 200 faulty zones, served by BIND and NSD: what the product finds beside what other programs find. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow } from '../../bench/row.ts';
import { hasBind } from '../../kit/bind.ts';
import { type Agreement, agreementOf, type Said } from './agreement.ts';
import { zoneFaults } from './faults.ts';
import { otherJudges } from './others.ts';

const GOAL = 'each disagreement is explained';
const AGREEMENT = new URL('agreement.json', import.meta.url);

export async function judgeZones(): Promise<readonly BenchRow[]> {
  const needed = ['nsd', 'dnssec-signzone', 'dnssec-keygen', 'dnssec-dsfromkey', 'unshare', 'ip', 'mount'];
  if (!hasBind(...needed)) {
    const value = `skipped: BIND, NSD, iproute2 and util-linux are needed (${needed.join(', ')})`;
    return [{ name: `${zoneFaults.length} faulty zones`, value, goal: GOAL, met: null }];
  }
  const missing = new Map<string, string>();
  for (const judge of otherJudges) {
    const reason = await judge.missing();
    if (reason !== undefined) missing.set(judge.name, reason);
  }
  const available = otherJudges.filter(({ name }) => !missing.has(name));
  const said = await saidInNamespace(available.map(({ name }) => name));
  const agreements = available.map((judge) => agreementOf(judge, said));
  if (missing.size === 0) writeAgreement(agreements);
  return [
    ...agreements.map(rowOf),
    ...[...missing].map(
      ([name, reason]): BenchRow => ({ name, value: `skipped: ${reason}`, goal: GOAL, met: null }),
    ),
  ];
}

async function saidInNamespace(available: readonly string[]): Promise<Said> {
  const folder = mkdtempSync(join(tmpdir(), 'judged-'));
  try {
    const result = join(folder, 'said.json');
    const script = new URL('in-namespace.ts', import.meta.url).pathname;
    const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    const child = spawn(
      'unshare',
      [...asRoot, '--net', '--mount', process.execPath, script, result, ...available],
      { stdio: 'inherit' },
    );
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error('the zones could not be judged');
    return JSON.parse(readFileSync(result, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf({ judge, zones, cells, unexplained, unused }: Agreement): BenchRow {
  const sum = (key: 'agree' | 'onlyOurs' | 'onlyTheirs') =>
    Object.values(cells).reduce((total, cell) => total + cell[key], 0);
  for (const line of [...unexplained, ...unused.map((it) => `explained, but not so: ${it}`)]) {
    console.log(`  ${judge}: ${line}`);
  }
  return {
    name: `${judge}, ${zones} zones`,
    value: `${sum('agree')} agree, ${sum('onlyOurs')} found by us alone, ${sum('onlyTheirs')} by ${judge} alone; ${unexplained.length} not explained, ${unused.length} explained that are none`,
    goal: GOAL,
    met: unexplained.length + unused.length === 0,
  };
}

/** For the table in `docs/judges.md`. */
function writeAgreement(agreements: readonly Agreement[]): void {
  const table = agreements.map(({ judge, cells }) => ({ judge, cells }));
  writeFileSync(AGREEMENT, `${JSON.stringify(table, null, 2)}\n`);
  execFileSync('npx', ['--no-install', 'biome', 'format', '--write', AGREEMENT.pathname], {
    stdio: 'ignore',
  });
}
