/**
 * Programs that only tests need, from npm and PyPI. They are installed outside of the project, because each is larger than
 * all that the project needs, and kept for the next run.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const INSTALL_MILLISECONDS = 120_000;

/** The folder of the packages, or why they are not available on this machine. */
type Installed = { readonly folder: string } | { readonly missing: string };

/** @param packages Names with exact versions, such as `openapi-fetch@0.17.0`. */
export async function fromNpm(packages: readonly string[]): Promise<Installed> {
  const options = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
  return install('npm', ['install', ...options, '--prefix'], packages);
}

/** @param packages Names with exact versions, such as `schemathesis==4.32.5`. */
export async function fromPip(packages: readonly string[]): Promise<Installed> {
  const options = ['--quiet', '--disable-pip-version-check', '--no-compile'];
  return install('python3', ['-m', 'pip', 'install', ...options, '--target'], packages);
}

async function install(
  program: string,
  args: readonly string[],
  packages: readonly string[],
): Promise<Installed> {
  const hash = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `domain-monitor-${program}-${hash}`);
  if (existsSync(folder)) return { folder };
  const made = mkdtempSync(`${folder}-`);
  try {
    await promisify(execFile)(program, [...args, made, ...packages], { timeout: INSTALL_MILLISECONDS });
    // Another test run may have installed them in the meantime.
    if (!existsSync(folder)) renameSync(made, folder);
    return { folder };
  } catch {
    return { missing: `${program} could not install ${packages.join(' ')}` };
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
