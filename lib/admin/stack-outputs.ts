/** Reads the stack outputs that `cdk deploy --outputs-file` wrote. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { Outputs } from '../cloud/dns-outputs.ts';
import { CommandError } from '../terminal/command-line.ts';

const schema = z.record(z.string(), z.record(z.string(), z.string()));

/** The outputs of each stack in the file. @throws CommandError if the file cannot be read or contains anything else. */
export async function readStackOutputs(path: string): Promise<readonly Outputs[]> {
  const stacks = schema.safeParse(await readJson(path));
  if (!stacks.success) throw new CommandError(`${path} does not contain stack outputs`);
  return Object.values(stacks.data);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`);
  }
}

/** The outputs of two deployments in one file cannot be distinguished. */
export const severalDeployments = (path: string): CommandError =>
  new CommandError(`${path} contains more than one deployment: use a separate file for each`);
