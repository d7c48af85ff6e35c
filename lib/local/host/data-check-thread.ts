/** The code of the thread: sends a message about each file that is damaged. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { damageIn } from './damage.ts';
import { dataFileNames } from './data-files.ts';

for (const file of dataFileNames) {
  const path = join(workerData, file);
  const [problem] = existsSync(path) ? damageIn(path, 'quick_check') : [];
  if (problem !== undefined) parentPort?.postMessage({ file, problem: `is damaged: ${problem}` });
}
