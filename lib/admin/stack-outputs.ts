/** The outputs of stacks, as `cdk deploy --outputs-file` wrote them. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { Outputs } from '../cloud/dns-outputs.ts';
import { CommandError } from '../local/command-line.ts';

const schema = z.record(z.string(), z.record(z.string(), z.string()));

/** Of each stack in the file at `path`. @throws CommandError when it cannot be read, or holds something else. */
export async function readStackOutputs(path: string): Promise<readonly Outputs[]> {
  const stacks = schema.safeParse(await readJson(path));
  if (!stacks.success) throw new CommandError(`${path} holds something else than the outputs of stacks`);
  return Object.values(stacks.data);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`);
  }
}

/** What is told of two deployments at once cannot be told apart. */
export const severalDeployments = (path: string): CommandError =>
  new CommandError(`${path} holds more than one deployment: give a file of each`);
