/**
 * Runs the service as deployed: the functions, their triggers, environment and permissions come from the templates and
 * bundles of a synthesized assembly. This machine replaces AWS.
 */
import { type HostContext, intervalOf, type Plan, type Program } from '../../../lib/local/host/program.ts';
import type { Settings } from '../../../lib/local/host/settings.ts';
import type { Place } from './arns.ts';
import { AssemblyError, type Json, type Resource, readCloudAssembly } from './cloud-assembly.ts';
import { type Code, codeOf } from './code.ts';
import { counterparts, nameOf } from './counterparts.ts';
import { type Environment, environmentOf, refuseUnusedSettings, settingsOf } from './environment.ts';
import { createGuard } from './guard.ts';
import { createResolver, type Resolve } from './intrinsics.ts';
import { createLinks, type Links } from './links.ts';
import { readInboundMail } from './mail-route.ts';
import { permissionsOf } from './policies.ts';
import { SandboxedFunction } from './sandboxed-function.ts';
import { type Consuming, functionsOf, readWiring, type Wiring } from './wiring.ts';

/** @throws AssemblyError with a one-line message that names what is missing or what AWS would deny. */
export function assemblyPlan(folder: string, given: Environment): Plan {
  const assembly = readCloudAssembly(folder);
  const links = createLinks(assembly);
  const wiring = readWiring(links);
  const functions = functionsOf(wiring);
  const code = new Map(functions.map((lambda) => [lambda, codeOf(lambda, links)]));
  refuseUnusedSettings(functions, given);
  const settings = settingsOf(functions);
  const bucket = bucketOf(functions, links);
  const inbound = readInboundMail(links, wiring.consumers, settings, bucket);
  const queueNames = new Map(wiring.consumers.map(({ queue, name }) => [queue, name as string]));

  const resolver = (chosen: Settings, queueUrl: HostContext['queueUrl']): Resolve =>
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
      const permissions = (lambda: Resource) =>
        permissionsOf(resolve(lambda.properties.Role, lambda.stack), assembly, resolve);
      return createGuard(
        new Map(functions.map((lambda) => [nameOf(lambda), permissions(lambda)])),
        assembly.arns,
      );
    },
    program({ settings: chosen, queueUrl }) {
      const resolve = resolver(chosen, queueUrl);
      const sandboxed = new Map(
        [...code].map(([lambda, bundle]) => [lambda, sandbox(lambda, bundle, resolve, assembly.place)]),
      );
      return { inbound, ...programOf(wiring, sandboxed, chosen) };
    },
  };
}

/** The environment is read at the first call, because the host learns its own address only after the start. */
function sandbox(lambda: Resource, code: Code, resolve: Resolve, place: Place): SandboxedFunction {
  const { Timeout = 3, MemorySize = 128 } = lambda.properties;
  const name = nameOf(lambda);
  return new SandboxedFunction(name, () => ({
    name,
    ...code,
    timeoutSeconds: Timeout,
    memoryMegabytes: MemorySize,
    environment: environmentOf(lambda, resolve, place, process.env),
  }));
}

function programOf(
  { routes, fallback, consumers, schedules }: Wiring,
  sandboxed: ReadonlyMap<Resource, SandboxedFunction>,
  settings: Settings,
): Omit<Program, 'inbound'> {
  const handler = (lambda: Resource): SandboxedFunction => sandboxed.get(lambda) as SandboxedFunction;
  return {
    routes: routes.map(({ lambda, ...route }) => ({ ...route, handler: handler(lambda) })),
    fallback: handler(fallback),
    consumers: consumers.map(({ lambda, name, batchSize, places, reportsFailures }) => ({
      queue: name,
      batchSize,
      places,
      reportsFailures,
      handler: handler(lambda),
      // Lambda polls a queue with the permissions of the consuming function.
      accessKeyId: nameOf(lambda),
    })),
    schedules: schedules.map(({ lambda, source, event }) => ({
      everySeconds: intervalOf(source, settings),
      event,
      handler: handler(lambda),
    })),
    async stop() {
      await Promise.all([...sandboxed.values()].map((one) => one.stop()));
    },
  };
}

/** Returns the bucket that the functions read mail from. */
function bucketOf(functions: readonly Resource[], { identify }: Links): string {
  const buckets = functions.flatMap(({ stack, properties }) => {
    const name: Json = properties.Environment?.Variables?.MAIL_BUCKET;
    return name === undefined ? [] : [identify(name, stack) as string];
  });
  const [bucket, ...others] = new Set(buckets);
  if (bucket === undefined || others.length > 0) {
    throw new AssemblyError('the functions must share one MAIL_BUCKET');
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
