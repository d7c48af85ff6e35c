/**
 * The service as it would be deployed: what runs, what calls it, what it is told and allowed come from the templates
 * and the bundles of a synthesised assembly; this machine stands for AWS.
 */
import { type Plan, type Program, rhythmOf, type Surroundings } from '../program.ts';
import type { Settings } from '../settings.ts';
import type { Place } from './arns.ts';
import { AssemblyError, type Json, type Resource, readCloudAssembly } from './cloud-assembly.ts';
import { type Code, codeOf } from './code.ts';
import { counterparts, nameOf } from './counterparts.ts';
import { type Environment, environmentOf, refuseUnheard, settingsOf } from './environment.ts';
import { createGuard } from './guard.ts';
import { createResolver, type Resolve } from './intrinsics.ts';
import { createLinks, type Links } from './links.ts';
import { readInboundMail } from './mail-route.ts';
import { permissionsOf } from './policies.ts';
import { SandboxedFunction } from './sandboxed-function.ts';
import { type Consuming, functionsOf, readWiring, type Wiring } from './wiring.ts';

/** @throws AssemblyError naming what is missing, or what AWS would not do, in one line. */
export function assemblyPlan(folder: string, given: Environment): Plan {
  const assembly = readCloudAssembly(folder);
  const links = createLinks(assembly);
  const wiring = readWiring(links);
  const functions = functionsOf(wiring);
  const code = new Map(functions.map((made) => [made, codeOf(made, links)]));
  refuseUnheard(functions, given);
  const settings = settingsOf(functions);
  const bucket = bucketOf(functions, links);
  const inbound = readInboundMail(links, wiring.consumers, settings, bucket);
  const queueNames = new Map(wiring.consumers.map(({ queue, name }) => [queue, name as string]));

  const resolver = (chosen: Settings, queueUrl: Surroundings['queueUrl']): Resolve =>
    createResolver(
      assembly,
      counterparts(
        {
          table: chosen.TABLE_NAME,
          bucket: (resource) => (nameOf(resource) === bucket ? chosen.MAIL_BUCKET : nameOf(resource)),
          queue: (resource) => queueNames.get(resource) ?? nameOf(resource),
          queueUrl,
          apiUrl: () => process.env.HOST_URL ?? '',
        },
        assembly.arns,
      ),
    );

  return {
    settings,
    queues: wiring.consumers.map(queueDefinition),
    guard(chosen) {
      const resolve = resolver(chosen, (name) => name);
      const permissions = (made: Resource) =>
        permissionsOf(resolve(made.properties.Role, made.stack), assembly, resolve);
      return createGuard(new Map(functions.map((made) => [nameOf(made), permissions(made)])), assembly.arns);
    },
    program({ settings: chosen, queueUrl }) {
      const resolve = resolver(chosen, queueUrl);
      const sandboxed = new Map(
        [...code].map(([made, of]) => [made, sandbox(made, of, resolve, assembly.place)]),
      );
      return { inbound, ...connected(wiring, sandboxed, chosen) };
    },
  };
}

/** What it is told is read at its first call, when this host knows its own address. */
function sandbox(made: Resource, code: Code, resolve: Resolve, place: Place): SandboxedFunction {
  const { Timeout = 3, MemorySize = 128 } = made.properties;
  const name = nameOf(made);
  return new SandboxedFunction(name, () => ({
    name,
    ...code,
    timeoutSeconds: Timeout,
    memoryMegabytes: MemorySize,
    environment: environmentOf(made, resolve, place, process.env),
  }));
}

function connected(
  { routes, fallback, consumers, schedules }: Wiring,
  sandboxed: ReadonlyMap<Resource, SandboxedFunction>,
  settings: Settings,
): Omit<Program, 'inbound'> {
  const called = (made: Resource): SandboxedFunction => sandboxed.get(made) as SandboxedFunction;
  return {
    routes: routes.map(({ made, ...route }) => ({ ...route, called: called(made) })),
    fallback: called(fallback),
    consumers: consumers.map(({ made, name, batchSize, reportsFailures }) => ({
      queue: name,
      batchSize,
      reportsFailures,
      called: called(made),
      // Lambda reads a queue with the permissions of the function that works on it.
      accessKeyId: nameOf(made),
    })),
    schedules: schedules.map(({ made, source }) => ({
      everySeconds: rhythmOf(source, settings),
      called: called(made),
    })),
    async stop() {
      await Promise.all([...sandboxed.values()].map((one) => one.stop()));
    },
  };
}

/** The bucket that functions read mail from. */
function bucketOf(functions: readonly Resource[], { identify }: Links): string {
  const named = functions.flatMap(({ stack, properties }) => {
    const name: Json = properties.Environment?.Variables?.MAIL_BUCKET;
    return name === undefined ? [] : [identify(name, stack) as string];
  });
  const [bucket, ...others] = new Set(named);
  if (bucket === undefined || others.length > 0) {
    throw new AssemblyError('the functions are not told of one MAIL_BUCKET');
  }
  return bucket;
}

function queueDefinition({ name, queue }: Consuming) {
  const { VisibilityTimeout = 30, RedrivePolicy } = queue.properties;
  return {
    name,
    visibilityTimeoutSeconds: VisibilityTimeout,
    maxReceiveCount: RedrivePolicy?.maxReceiveCount ?? Number.POSITIVE_INFINITY,
  };
}
