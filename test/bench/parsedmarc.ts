/** parsedmarc, a widely used reader of DMARC reports, as a peer to compare with. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PARSEDMARC = '11.1.0';

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

/** @param settings What the section `general` of its configuration has besides, and other sections. */
export async function runParsedmarc(
  python: string,
  folder: string,
  settings: string,
  files: readonly string[] = [],
): Promise<void> {
  const config = join(folder, 'parsedmarc.ini');
  const quick = `n_procs = ${availableParallelism()}\noffline = True\nalways_use_local_files = True\nsilent = True`;
  await writeFile(config, `[general]\n${quick}\n${settings}`);
  await run(join(python, '..', 'parsedmarc'), ['-c', config, ...files], {
    timeout: 900_000,
    maxBuffer: 64 * 1024 * 1024,
  });
}
