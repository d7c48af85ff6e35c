/** Where test suites of others come from: fetched when they are run, never part of this repository. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Source {
  readonly name: string;
  /** The repository on GitHub, as owner/name. */
  readonly repository: string;
  /** A file of it that has the license, and words that the license has. */
  readonly license: { readonly name: string; readonly file: string; readonly words: RegExp };
  /** A package in the Python Package Index whose source has the same files, for machines without GitHub. */
  readonly sdist?: string;
}

export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

const FOLDER = join(tmpdir(), 'email-security-suites');
const MILLISECONDS = 180_000;

/**
 * The folder with a source. It is fetched once per machine.
 * @throws Unavailable if it cannot be had, or has another license.
 */
export async function folderOf({ name, repository, license, sdist }: Source): Promise<string> {
  const folder = join(FOLDER, name);
  if (!existsSync(folder)) {
    mkdirSync(FOLDER, { recursive: true });
    const url = `https://github.com/${repository}`;
    await run('git', ['clone', '--quiet', '--depth', '1', url, folder], { timeout: MILLISECONDS }).catch(
      (error: Error) => fromIndex(folder, sdist, error),
    );
  }
  const text = existsSync(join(folder, license.file)) ? readFileSync(join(folder, license.file), 'utf8') : '';
  if (!license.words.test(text)) throw new Unavailable(`the license of ${repository} is another one`);
  return folder;
}

async function fromIndex(folder: string, sdist: string | undefined, error: Error): Promise<void> {
  const [reason = ''] = error.message.split('\n').slice(-2);
  if (sdist === undefined) throw new Unavailable(`it cannot be cloned: ${reason}`);
  const unpacked = `${folder}-sdist`;
  mkdirSync(unpacked, { recursive: true });
  const options = { timeout: MILLISECONDS };
  try {
    await run(
      'pip',
      ['download', '--quiet', '--no-deps', '--no-binary', ':all:', '-d', unpacked, sdist],
      options,
    );
    const [archive = ''] = readdirSync(unpacked).filter((file) => file.endsWith('.tar.gz'));
    mkdirSync(folder);
    await run('tar', ['xzf', join(unpacked, archive), '-C', folder, '--strip-components', '1'], options);
  } catch (cause) {
    throw new Unavailable(`neither git nor pip gets it: ${(cause as Error).message.split('\n')[0]}`);
  }
}
