import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AssemblyError, type Resource } from './cloud-assembly.ts';
import { nameOf } from './counterparts.ts';
import type { Links } from './links.ts';

/** The bundle of a function. */
export interface Code {
  readonly file: string;
  /** The name of the export that is the handler. */
  readonly handler: string;
}

/** @throws AssemblyError if the bundle does not exist. */
export function codeOf(lambda: Resource, { assembly, identify }: Links): Code {
  const { Code, Handler } = lambda.properties;
  const folder = assembly.stacks.get(lambda.stack)?.assets.get(identify(Code.S3Key, lambda.stack)) ?? '';
  const [base = '', handler = ''] = Handler.split('.');
  const file = ['.mjs', '.js'].map((ending) => join(folder, `${base}${ending}`)).find(existsSync);
  if (file === undefined) {
    throw new AssemblyError(`${nameOf(lambda)} has no bundle: ${join(folder, base)}.mjs does not exist`);
  }
  return { file, handler };
}
