import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const schema = z.object({
  name: z.string(),
  version: z.string(),
  /** Those of a checkout; the package has none. */
  scripts: z.optional(z.record(z.string(), z.string())),
  /** Node.js for each platform: what a checkout installs, and what the package gets if it needs it. */
  optionalDependencies: z.optional(z.record(z.string(), z.string())),
  config: z.optional(z.object({ runtimes: z.record(z.string(), z.string()) })),
  /** What only who deploys needs. */
  peerDependencies: z.optional(z.record(z.string(), z.string())),
});

const manifest = () =>
  schema.parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')));

/** The version of this release. */
export const release = (): string => manifest().version;

/** The packages of npm with a Node.js that runs everything, with their versions. */
export function runtimes(): Readonly<Record<string, string>> {
  const { config, optionalDependencies = {} } = manifest();
  return config?.runtimes ?? optionalDependencies;
}

/** Whether this is the package, and no checkout. */
export const isPackage = (): boolean => manifest().scripts === undefined;

/** The packages that a deployment needs beside this one, with their versions. */
export const peerRanges = (): Readonly<Record<string, string>> => manifest().peerDependencies ?? {};

/** How a program is called with arguments: by npm in a checkout, else by the command of the package. */
export function called(program: string): string {
  const { name, scripts } = manifest();
  return scripts === undefined ? `npx ${name} ${program}` : `npm run ${program} --`;
}

/** How the service on this machine is started. */
export function startCommand(): string {
  const { name, scripts } = manifest();
  return scripts === undefined ? `npx ${name} start` : 'npm start';
}
