/** A CDK cloud assembly: the folder that `cdk synth` writes, with the templates and assets of all stacks. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../../shared/runtime/config/config.ts';
import { type Arns, arnsIn, type Place } from './arns.ts';

/** The assembly cannot be run. The message is one line that gives the reason. */
export class AssemblyError extends ConfigError {}

// biome-ignore lint/suspicious/noExplicitAny: a template is walked freely
export type Json = any;

export interface Resource {
  readonly stack: string;
  readonly id: string;
  readonly type: string;
  readonly properties: Json;
}

export interface Stack {
  readonly name: string;
  readonly template: Json;
  /** Maps each asset's object key in the deployment bucket to its local folder. */
  readonly assets: ReadonlyMap<string, string>;
}

export interface CloudAssembly {
  readonly place: Place;
  readonly arns: Arns;
  readonly stacks: ReadonlyMap<string, Stack>;
  /** Returns the resources of one type in all stacks. */
  all(type: string): readonly Resource[];
  /** @throws AssemblyError if the stack has no resource with this ID. */
  resource(stack: string, id: string): Resource;
}

/** @throws AssemblyError if the folder holds no assembly, or an incomplete one. */
export function readCloudAssembly(folder: string): CloudAssembly {
  const root = resolve(folder);
  const stacks = new Map<string, Stack>();
  const places = new Set<string>();
  for (const [id, { type, properties, environment }] of Object.entries<Json>(
    readJson(root, 'manifest.json').artifacts,
  )) {
    if (type !== 'aws:cloudformation:stack') continue;
    const template = readJson(root, properties.templateFile);
    places.add(environment);
    stacks.set(id, { name: properties.stackName ?? id, template, assets: assetsOf(root, id) });
  }
  const [place = '', ...others] = places;
  if (others.length > 0)
    throw new AssemblyError(`CLOUD_ASSEMBLY has stacks in several environments: ${[...places].join(', ')}`);
  return assemblyOf(stacks, placeOf(place));
}

/** Parses `aws://<account>/<region>`. Parts that are only known at deployment get placeholder values. */
function placeOf(environment: string): Place {
  const [account = '', region = ''] = environment.replace('aws://', '').split('/');
  return {
    account: /^\d{12}$/.test(account) ? account : UNKNOWN.account,
    region: region.startsWith('unknown') ? UNKNOWN.region : region,
  };
}

const UNKNOWN: Place = { account: '000000000000', region: 'us-east-1' };

export function assemblyOf(stacks: CloudAssembly['stacks'], place: Place = UNKNOWN): CloudAssembly {
  const resources = [...stacks].flatMap(([stack, { template }]) =>
    Object.entries<Json>(template.Resources).map(([id, { Type: type, Properties: properties = {} }]) => ({
      stack,
      id,
      type,
      properties,
    })),
  );
  return {
    place,
    arns: arnsIn(place),
    stacks,
    all: (type) => resources.filter((resource) => resource.type === type),
    resource(stack, id) {
      const found = resources.find((resource) => resource.stack === stack && resource.id === id);
      if (found === undefined) throw new AssemblyError(`${stack} has no resource ${id}`);
      return found;
    },
  };
}

function assetsOf(root: string, stack: string): ReadonlyMap<string, string> {
  const { files } = readJson(root, `${stack}.assets.json`);
  return new Map(
    Object.values<Json>(files).flatMap(({ source, destinations }) =>
      Object.values<Json>(destinations).map(({ objectKey }) => [objectKey, join(root, source.path)] as const),
    ),
  );
}

function readJson(root: string, file: string): Json {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8'));
  } catch (error) {
    throw new AssemblyError(`CLOUD_ASSEMBLY ${root} cannot be read: ${(error as Error).message}`);
  }
}
