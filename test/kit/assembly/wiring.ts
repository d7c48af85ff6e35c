/**
 * The triggers of each function, from the templates. A trigger that AWS would not have permission for is an error.
 */
import { triggers } from '../../../functions/triggers.ts';
import type {
  QueueName,
  ScheduleEvent,
  Trigger,
  TriggerSource,
} from '../../../shared/runtime/workers/trigger.ts';
import { AssemblyError, type Resource } from './cloud-assembly.ts';
import { nameOf } from './counterparts.ts';
import type { Links } from './links.ts';
import { type IsAllowed, permissionsOf, permissionsOfResource } from './policies.ts';

export interface Wiring {
  readonly routes: readonly Routing[];
  readonly fallback: Resource;
  readonly consumers: readonly Consuming[];
  readonly schedules: readonly Scheduling[];
}

export interface Routing {
  readonly method: string;
  readonly path: string;
  readonly lambda: Resource;
}

export interface Consuming {
  readonly queue: Resource;
  /** The name of the queue on this host, from the row of its consumer in `functions/triggers.ts`. */
  readonly name: QueueName;
  readonly batchSize: number;
  /** Invocations at the same time. */
  readonly places: number;
  /** Whether the function reports which messages of a batch failed. */
  readonly reportsFailures: boolean;
  readonly lambda: Resource;
}

type Schedule = Extract<TriggerSource, { kind: 'schedule' }>;

interface Scheduling {
  /** The source in the function's row, with the rate from the template. */
  readonly source: Schedule;
  /** The input of the target. */
  readonly event: ScheduleEvent;
  readonly lambda: Resource;
}

/** @throws AssemblyError that names a missing trigger or permission. */
export function readWiring(links: Links): Wiring {
  const { all } = links.assembly;
  const mayCall = permissionsOfApi(links);
  const routes = all('AWS::ApiGatewayV2::Route').map((route) => readRoute(route, links, mayCall));
  const fallback = routes.find(({ method }) => method === '$default');
  if (fallback === undefined) throw new AssemblyError('the API has no $default route');
  const wiring = {
    routes: routes.filter((route) => route !== fallback),
    fallback: fallback.lambda,
    consumers: all('AWS::Lambda::EventSourceMapping').map((mapping) => readConsumer(mapping, links)),
    schedules: all('AWS::Scheduler::Schedule').map((schedule) => readSchedule(schedule, links)),
  };
  const described = new Set(functionsOf(wiring).map(({ properties }) => properties.Description));
  const idle = Object.values(triggers).filter(({ summary }) => !described.has(summary));
  if (idle.length > 0) throw new AssemblyError(`nothing invokes ${idle.map(({ name }) => name).join(', ')}`);
  return wiring;
}

/** Returns every function that has a trigger, without duplicates. */
export function functionsOf({ routes, fallback, consumers, schedules }: Wiring): readonly Resource[] {
  return [...new Set([fallback, ...[...routes, ...consumers, ...schedules].map(({ lambda }) => lambda)])];
}

/** Returns what API Gateway may invoke, from the resource policies of the functions. */
function permissionsOfApi({ assembly, identify, functionAt }: Links): IsAllowed {
  const statements = assembly.all('AWS::Lambda::Permission').map(({ stack, properties }) => ({
    Effect: 'Allow',
    Principal: { Service: properties.Principal },
    Action: properties.Action,
    Resource: assembly.arns.function(nameOf(functionAt(properties.FunctionName, stack))),
    Condition: { ArnLike: { 'aws:SourceArn': identify(properties.SourceArn, stack) } },
  }));
  return permissionsOfResource('apigateway.amazonaws.com', statements);
}

function readRoute({ stack, properties }: Resource, links: Links, mayCall: IsAllowed): Routing {
  const { assembly, identify, functionAt } = links;
  const { RouteKey, Target, ApiId } = properties;
  const target = identify(Target, stack);
  const integration = assembly
    .all('AWS::ApiGatewayV2::Integration')
    .find((one) => `integrations/${identify({ Ref: one.id }, one.stack)}` === target);
  if (integration?.properties.PayloadFormatVersion !== '2.0') {
    throw new AssemblyError(`${RouteKey} has no integration with payload format 2.0`);
  }
  const lambda = functionAt(integration.properties.IntegrationUri, integration.stack);
  const [method, path = ''] = RouteKey.split(' ');
  const source = assembly.arns.arn('execute-api', `${identify(ApiId, stack)}/$default/${method}${path}`);
  const context = { 'aws:SourceArn': [source] };
  if (
    !mayCall({ action: 'lambda:InvokeFunction', resource: assembly.arns.function(nameOf(lambda)), context })
  ) {
    throw new AssemblyError(`the API is not allowed to invoke ${nameOf(lambda)} for ${RouteKey}`);
  }
  return { method, path, lambda };
}

function readConsumer({ stack, properties }: Resource, { functionAt, queueAt }: Links): Consuming {
  const {
    EventSourceArn,
    FunctionName,
    BatchSize = 10,
    FunctionResponseTypes = [],
    ScalingConfig,
  } = properties;
  const lambda = functionAt(FunctionName, stack);
  const { source } = rowOf(lambda);
  if (source.kind !== 'queue')
    throw new AssemblyError(
      `${nameOf(lambda)} has an event source mapping, but its row in functions/triggers.ts has no queue`,
    );
  return {
    queue: queueAt(EventSourceArn, stack),
    name: source.queue,
    batchSize: BatchSize,
    places: ScalingConfig.MaximumConcurrency,
    reportsFailures: FunctionResponseTypes.includes('ReportBatchItemFailures'),
    lambda,
  };
}

const unitSeconds: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 };

function readSchedule({ stack, properties }: Resource, links: Links): Scheduling {
  const { Target, ScheduleExpression, State = 'ENABLED' } = properties;
  const lambda = links.functionAt(Target.Arn, stack);
  const { source } = rowOf(lambda);
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(ScheduleExpression) ?? [];
  if (source.kind !== 'schedule' || count === undefined || State !== 'ENABLED') {
    throw new AssemblyError(
      `${nameOf(lambda)} has an unsupported schedule: ${ScheduleExpression} (${State})`,
    );
  }
  const isAllowed = permissionsOf(links.identify(Target.RoleArn, stack), links.assembly, links.identify);
  if (
    !isAllowed({ action: 'lambda:InvokeFunction', resource: links.assembly.arns.function(nameOf(lambda)) })
  ) {
    throw new AssemblyError(`the scheduler is not allowed to invoke ${nameOf(lambda)}`);
  }
  return {
    source: { ...source, everySeconds: Number(count) * (unitSeconds[unit] ?? Number.NaN) },
    event: JSON.parse(Target.Input),
    lambda,
  };
}

/** Returns the row from which a function was created: the function's description is the row's summary. */
function rowOf(lambda: Resource): Trigger {
  const row = Object.values<Trigger>(triggers).find(
    ({ summary }) => summary === lambda.properties.Description,
  );
  if (row === undefined)
    throw new AssemblyError(`no row in functions/triggers.ts describes ${nameOf(lambda)}`);
  return row;
}
