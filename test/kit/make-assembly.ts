/** Before the second run of the end-to-end tests: what a deployment would upload, made once for all of them. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from './assembly.ts';

/** Tells the workers of jest, which inherit the environment; a failure is told by each test that needs the assembly. */
export default async function makeAssembly(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assembly-'));
  process.env.TESTED_ASSEMBLY = folder;
  await synthesize(folder).catch((error) => {
    process.env.TESTED_ASSEMBLY_PROBLEM = error.message;
  });
}
