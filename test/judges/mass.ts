/** How many lines of the product's code are written again elsewhere, as jscpd finds them. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BenchRow } from '../bench/row.ts';
import { fromNpm } from '../kit/outside-packages.ts';

const JSCPD = 'jscpd@4.0.5';
const FOLDERS = ['shared', 'functions', 'lib', 'bin'];
const MIN_LINES = 6;
/** Six lines of five tokens each, the shortest that say anything. */
const MIN_TOKENS = 30;
const MOST = 0.02;
const RUN_MILLISECONDS = 300_000;
const SHOWN = 10;

interface Report {
  readonly statistics: { readonly total: { readonly lines: number; readonly duplicatedLines: number } };
  readonly duplicates: readonly {
    readonly lines: number;
    readonly firstFile: Place;
    readonly secondFile: Place;
  }[];
}

interface Place {
  readonly name: string;
  readonly start: number;
}

export async function judgeMass(): Promise<readonly BenchRow[]> {
  const name = `Lines of ${FOLDERS.join(', ')} that repeat ${MIN_LINES} or more lines (${JSCPD})`;
  const goal = `at most ${MOST * 100} %`;
  const installed = await fromNpm([JSCPD]);
  if ('missing' in installed) return [{ name, value: `skipped: ${installed.missing}`, goal, met: null }];
  const { statistics, duplicates } = await report(join(installed.folder, 'node_modules/jscpd/bin/jscpd'));
  const { lines, duplicatedLines } = statistics.total;
  for (const { lines: many, firstFile, secondFile } of duplicates
    .toSorted((a, b) => b.lines - a.lines)
    .slice(0, SHOWN)) {
    console.log(
      `  ${many} lines: ${firstFile.name}:${firstFile.start} and ${secondFile.name}:${secondFile.start}`,
    );
  }
  const share = duplicatedLines / lines;
  const value = `${duplicatedLines} of ${lines} lines in ${duplicates.length} places: ${(share * 100).toFixed(2)} %`;
  // An empty report would otherwise be the best one.
  return [{ name, value, goal, met: lines > 0 && share <= MOST }];
}

async function report(program: string): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'mass-'));
  try {
    await promisify(execFile)(
      process.execPath,
      [
        program,
        ...['--mode', 'strict', '--min-lines', String(MIN_LINES), '--min-tokens', String(MIN_TOKENS)],
        ...['--silent', '--reporters', 'json', '--output', folder, ...FOLDERS],
      ],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)), timeout: RUN_MILLISECONDS },
    );
    return JSON.parse(readFileSync(join(folder, 'jscpd-report.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
