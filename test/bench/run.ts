/**
 * `npm run bench [part]`: measures, prints, and fails nothing; numbers of one machine are no gate. Each part is measured
 * in a process of its own that holds nothing else: what other parts load makes the collector of memory, and so what is
 * measured, slower by half.
 */

import { spawnSync } from 'node:child_process';
import type { BenchRow } from './row.ts';

const parts: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  bundles: async () => (await import('./bundles.ts')).benchBundles(),
  capacity: async () => (await import('./capacity.ts')).benchCapacity(),
  checkdmarc: async () => (await import('./checkdmarc.ts')).benchCheckdmarc(),
  checks: async () => (await import('./checks.ts')).benchChecks(),
  reports: async () => (await import('./reports.ts')).benchReports(),
  'mail-test': async () => (await import('./mail-test.ts')).benchMailTest(),
  spf: async () => (await import('./spf.ts')).benchSpf(),
  start: async () => (await import('./start.ts')).benchStart(),
};

const [program = '', only] = process.argv.slice(1);
if (only === undefined) {
  for (const name of Object.keys(parts)) spawnSync(process.execPath, [program, name], { stdio: 'inherit' });
}
for (const row of (await parts[only ?? '']?.()) ?? []) {
  console.log(
    `${row.met === null ? 'skip' : row.met ? 'met ' : 'MISS'}  ${row.name}\n      ${row.value} (goal: ${row.goal})`,
  );
}
