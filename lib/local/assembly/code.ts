import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AssemblyError, type Resource } from './cloud-assembly.ts';
import { nameOf } from './counterparts.ts';
import type { Links } from './links.ts';

/** A function's bundle. */
export interface Code {
  readonly file: string;
  /** The name of the handler among what the file exports. */
  readonly handler: string;
}

/** @throws AssemblyError when there is no file. */
export function codeOf(made: Resource, { assembly, identify }: Links): Code {
  const { Code, Handler } = made.properties;
  const folder = assembly.stacks.get(made.stack)?.assets.get(identify(Code.S3Key, made.stack)) ?? '';
  const [base = '', handler = ''] = Handler.split('.');
  const file = ['.mjs', '.js'].map((ending) => join(folder, `${base}${ending}`)).find(existsSync);
  if (file === undefined) {
    throw new AssemblyError(`${nameOf(made)} has no bundle: ${join(folder, base)}.mjs is not there`);
  }
  return { file, handler };
}
