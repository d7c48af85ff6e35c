/** `npm run bench [part]`: measures, prints, and fails nothing; numbers of one machine are no gate. */
import { benchCapacity } from './capacity.ts';
import { benchCheckdmarc } from './checkdmarc.ts';
import { benchChecks } from './checks.ts';
import { benchMailTest } from './mail-test.ts';
import { benchReports } from './reports.ts';
import type { BenchRow } from './row.ts';
import { benchSpf } from './spf.ts';
import { benchStart } from './start.ts';

const parts: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  capacity: benchCapacity,
  checkdmarc: benchCheckdmarc,
  checks: benchChecks,
  reports: benchReports,
  'mail-test': benchMailTest,
  spf: benchSpf,
  start: benchStart,
};

const only = process.argv[2];
for (const [name, bench] of Object.entries(parts)) {
  if (only !== undefined && only !== name) continue;
  for (const row of await bench()) {
    console.log(
      `${row.met === null ? 'skip' : row.met ? 'met ' : 'MISS'}  ${row.name}\n      ${row.value} (goal: ${row.goal})`,
    );
  }
}
