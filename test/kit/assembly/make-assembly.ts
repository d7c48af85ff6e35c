/** Creates once what a deployment would upload, before the end-to-end tests run against the bundles. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from './synthesize.ts';

/**
 * Passes the folder to the workers of jest through the environment; each test that needs the assembly reports a
 * failure.
 */
export default async function makeAssembly(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assembly-'));
  process.env.TESTED_ASSEMBLY = folder;
  await synthesize(folder).catch((error) => {
    process.env.TESTED_ASSEMBLY_PROBLEM = error.message;
  });
}
