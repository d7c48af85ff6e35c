import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Packs the package in `folder` with npm. @returns the path of the tarball, in `destination`. */
export async function packFolder(folder: string, destination: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', folder, '--pack-destination', destination, '--silent'],
    { shell: process.platform === 'win32' },
  );
  return join(destination, stdout.trim());
}
