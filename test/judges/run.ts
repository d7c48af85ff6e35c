/**
 * `npm run judge [name...]` has all judges, or those named, judge the product, each in a process of its own, and ends
 * with a table of them. It fails if something is not met. It is not part of `npm test`: it takes long, and installs other
 * programs outside of the project.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type BenchRow, printRows } from '../bench/row.ts';
import { judges } from './judges.ts';

const RUN_ONE = new URL('run-one.ts', import.meta.url);

interface Outcome {
  readonly name: string;
  readonly what: string;
  readonly rows: readonly BenchRow[];
  readonly minutes: number;
  /** Whether it ended by itself, with rows. */
  readonly complete: boolean;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !judges.some((judge) => judge.name === name));
if (unknown.length > 0) {
  console.error(
    `no judge is named ${unknown.join(', ')}; there are ${judges.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}

const outcomes: Outcome[] = [];
for (const { name, what } of judges.filter((judge) => names.length === 0 || names.includes(judge.name))) {
  console.log(`\n${name}: ${what}`);
  const started = performance.now();
  let rows: readonly BenchRow[] = [];
  const child = fork(RUN_ONE, [name]).on('message', (message) => {
    rows = message as readonly BenchRow[];
  });
  const [code] = await once(child, 'exit');
  printRows(rows);
  const minutes = (performance.now() - started) / 60_000;
  outcomes.push({ name, what, rows, minutes, complete: code === 0 && rows.length > 0 });
}

const isMet = ({ complete, rows }: Outcome) => complete && rows.every(({ met }) => met !== false);
const count = (rows: readonly BenchRow[], met: boolean | null) =>
  String(rows.filter((row) => row.met === met).length);
const line = (cells: readonly string[]) =>
  cells
    .map((cell, at) => (at === 0 || at === cells.length - 1 ? cell.padEnd(12) : cell.padStart(8)))
    .join(' ');
console.log(`\n${line(['judge', 'met', 'missed', 'skipped', 'minutes', ' result'])}`);
for (const outcome of outcomes) {
  const { name, rows, minutes, complete } = outcome;
  const result = isMet(outcome) ? ' met' : complete ? ' MISSED' : ' FAILED';
  console.log(
    line([name, count(rows, true), count(rows, false), count(rows, null), minutes.toFixed(1), result]),
  );
}
process.exitCode = outcomes.every(isMet) ? 0 : 1;
