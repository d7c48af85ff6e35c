/** parsedmarc, a widely used reader of DMARC reports, as a peer to compare with. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const PARSEDMARC = '11.1.0';

/** Installs parsedmarc into its own folder, kept for the next run; undefined without Python or a registry. */
export async function installParsedmarc(): Promise<string | undefined> {
  const folder = join(tmpdir(), `bench-parsedmarc-${PARSEDMARC}`);
  const python = join(folder, 'bin', 'python');
  const mark = join(folder, 'installed');
  if (existsSync(mark)) return python;
  try {
    await run('python3', ['-m', 'venv', folder]);
    await run(python, ['-m', 'pip', 'install', '--quiet', `parsedmarc==${PARSEDMARC}`], { timeout: 300_000 });
    await writeFile(mark, '');
    return python;
  } catch {
    return undefined;
  }
}
