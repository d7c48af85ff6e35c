/** Judges the engine by test suites of others. What we judge differently has a reason in `different.ts`. */
import type { BenchRow } from '../../bench/row.ts';
import { different } from './different.ts';
import { folderOf, Unavailable } from './sources.ts';
import { suites } from './suites.ts';

export async function judgeSuites(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { name, source, cases } of suites) {
    try {
      let [passed, judged] = [0, 0];
      const wrong: string[] = [];
      for await (const { id, expected, ours } of cases(await folderOf(source))) {
        const reason = different.find((one) => one.suite === name && one.id === id);
        if (expected === ours && reason === undefined) passed += 1;
        else if (reason?.ours === ours) judged += 1;
        else wrong.push(`${id}: expected ${expected}, ours ${ours}`);
      }
      for (const line of wrong) console.log(`${name}: ${line}`);
      const value = `${passed} passed, ${judged} judged different, ${wrong.length} wrong`;
      rows.push({ name, value, goal: '0 wrong', met: wrong.length === 0 && passed > 0 });
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      rows.push({ name, value: `skipped: ${error.message}`, goal: '0 wrong', met: null });
    }
  }
  return rows;
}
