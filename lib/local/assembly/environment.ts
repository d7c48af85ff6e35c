/** The environment that a deployed function would have, with this machine in the place of AWS. */
import { environmentSchema } from '../../../shared/runtime/config.ts';
import type { Place } from './arns.ts';
import { AssemblyError, type Json, type Resource } from './cloud-assembly.ts';
import { nameOf } from './counterparts.ts';
import type { Resolve } from './intrinsics.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where AWS is on this machine and what lets in there, and the internet of tests and examples. No deployment sets these
 * keys, so no template can lack them, and every function is told them.
 */
const HOST_KEYS: readonly string[] = [
  'DIAL_MAP',
  'EXTRA_CA_FILE',
  'PRIVATE_ADDRESSES',
  'BIMI_TRUST_ANCHORS_FILE',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SESV2',
  'AWS_SESSION_TOKEN',
];

/** What this machine has of its own, whatever a deployment was told. */
const PLACE_KEYS = ['HOST_URL', 'DNS_SERVERS'];

const variablesOf = ({ properties }: Resource): Readonly<Record<string, Json>> =>
  properties.Environment?.Variables ?? {};

/** The keys that are a setting of the deployment: what they hold is written into the template. */
function literalsOf(made: Resource): [string, string][] {
  return Object.entries(variablesOf(made)).filter(([, value]) => typeof value === 'string');
}

/**
 * Exactly the keys that the template gives the function, so that one that is missing there is missing here. References
 * become what they refer to on this machine. In place of a literal comes what this host was given for that key, as
 * though the assembly had been made with that setting: so one assembly serves under many settings.
 */
export function environmentOf(
  made: Resource,
  resolve: Resolve,
  { region }: Place,
  host: Environment,
): Record<string, string> {
  const taken = (keys: Iterable<string>) =>
    [...keys].flatMap((key) => (host[key] ? [[key, host[key]] as const] : []));
  const references = Object.fromEntries(
    Object.entries(variablesOf(made)).map(([key, value]) => [key, resolve(value, made.stack)]),
  );
  const literals = literalsOf(made).map(([key]) => key);
  const { MemorySize = 128 } = made.properties;
  return {
    ...references,
    ...Object.fromEntries(taken([...literals, ...HOST_KEYS])),
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    // Its name as its access key, by which the embedded endpoints know whose role a request has.
    AWS_ACCESS_KEY_ID: nameOf(made),
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: nameOf(made),
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    TZ: ':UTC',
  };
}

/** The settings that the functions agree on, for the host's own parts: the domains that receive mail, say. */
export function settingsOf(functions: readonly Resource[]): Record<string, string> {
  const settings = new Map<string, string>();
  for (const [key, value] of functions.flatMap(literalsOf)) {
    if (PLACE_KEYS.includes(key)) continue;
    if ((settings.get(key) ?? value) !== value) throw new AssemblyError(`functions disagree on ${key}`);
    settings.set(key, value);
  }
  return Object.fromEntries(settings);
}

/** @throws AssemblyError for a setting that no function would hear of, since the assembly was made without it. */
export function refuseUnheard(functions: readonly Resource[], given: Environment): void {
  const heard = new Set([...HOST_KEYS, ...functions.flatMap((made) => Object.keys(variablesOf(made)))]);
  const unheard = Object.keys(environmentSchema.shape).filter((key) => given[key] && !heard.has(key));
  if (unheard.length === 0) return;
  throw new AssemblyError(
    `no function of CLOUD_ASSEMBLY is told ${unheard.join(', ')}: synthesise it with that setting`,
  );
}
