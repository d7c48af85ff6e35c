/** The environment of a deployed function, with this machine in place of AWS. */
import { environmentSchema } from '../../../shared/runtime/config/config.ts';
import type { Place } from './arns.ts';
import { AssemblyError, type Json, type Resource } from './cloud-assembly.ts';
import { nameOf } from './counterparts.ts';
import type { Resolve } from './intrinsics.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The local endpoints and their session token, and the settings that tests and the example internet need. No deployment
 * sets these keys, so templates do not contain them; every function receives them.
 */
const HOST_KEYS: readonly string[] = [
  'DIAL_MAP',
  'EXTRA_CA_FILE',
  'PRIVATE_ADDRESSES',
  'BIMI_TRUST_ANCHORS_FILE',
  'IP_DATA',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SESV2',
  'AWS_ENDPOINT_URL_KMS',
  'AWS_SESSION_TOKEN',
];

/** Settings that always come from this machine, never from the template. */
const PLACE_KEYS = ['HOST_URL', 'DNS_SERVERS'];

const variablesOf = ({ properties }: Resource): Readonly<Record<string, Json>> =>
  properties.Environment?.Variables ?? {};

/** Returns the keys whose values are settings of the deployment: the template contains them as literals. */
function literalsOf(lambda: Resource): [string, string][] {
  return Object.entries(variablesOf(lambda)).filter(([, value]) => typeof value === 'string');
}

/**
 * Returns exactly the variables that the template gives the function, so that a key that the template lacks is also
 * missing here. References resolve to local values. The host's value for a key replaces a literal, as if the assembly
 * had been synthesized with that setting, so one assembly works with different settings.
 */
export function environmentOf(
  lambda: Resource,
  resolve: Resolve,
  { region }: Place,
  host: Environment,
): Record<string, string> {
  const fromHost = (keys: readonly string[]) =>
    keys.flatMap((key) => (host[key] ? [[key, host[key]] as const] : []));
  const references = Object.fromEntries(
    Object.entries(variablesOf(lambda)).map(([key, value]) => [key, resolve(value, lambda.stack)]),
  );
  const literals = literalsOf(lambda).map(([key]) => key);
  const { MemorySize = 128 } = lambda.properties;
  return {
    ...references,
    ...Object.fromEntries(fromHost([...literals, ...HOST_KEYS])),
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    // The access key is the function's name: the embedded endpoints use it to find the role of the caller.
    AWS_ACCESS_KEY_ID: nameOf(lambda),
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: nameOf(lambda),
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    TZ: ':UTC',
  };
}

/**
 * Returns the settings that all functions share, for parts of the host that need them, such as the domains that receive
 * mail.
 */
export function settingsOf(functions: readonly Resource[]): Record<string, string> {
  const settings = new Map<string, string>();
  for (const [key, value] of functions.flatMap(literalsOf)) {
    if (PLACE_KEYS.includes(key)) continue;
    if ((settings.get(key) ?? value) !== value)
      throw new AssemblyError(`the functions have different values of ${key}`);
    settings.set(key, value);
  }
  return Object.fromEntries(settings);
}

/**
 * @throws AssemblyError if no function receives one of the given settings, because the assembly was synthesized without
 * it.
 */
export function refuseUnusedSettings(functions: readonly Resource[], given: Environment): void {
  const known = new Set([...HOST_KEYS, ...functions.flatMap((lambda) => Object.keys(variablesOf(lambda)))]);
  const unused = Object.keys(environmentSchema.shape).filter((key) => given[key] && !known.has(key));
  if (unused.length === 0) return;
  throw new AssemblyError(
    `no function in CLOUD_ASSEMBLY uses ${unused.join(', ')}: synthesize it with that setting`,
  );
}
