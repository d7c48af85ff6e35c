/** What calls which function, as the templates say. What AWS would not call, for want of a permission, is refused. */
import { triggers } from '../../../functions/triggers.ts';
import type { QueueName, Trigger, TriggerSource } from '../../../shared/runtime/trigger.ts';
import { AssemblyError, type Resource } from './cloud-assembly.ts';
import { nameOf } from './counterparts.ts';
import type { Links } from './links.ts';
import { type May, permissionsOf, permissionsOfResource } from './policies.ts';

export interface Wiring {
  readonly routes: readonly Routing[];
  readonly fallback: Resource;
  readonly consumers: readonly Consuming[];
  readonly schedules: readonly Scheduling[];
}

export interface Routing {
  readonly method: string;
  readonly path: string;
  readonly made: Resource;
}

export interface Consuming {
  readonly queue: Resource;
  /** What the queue is called here, which is what the row of its consumer calls it. */
  readonly name: QueueName;
  readonly batchSize: number;
  /** Whether the function says which messages of a batch failed. */
  readonly reportsFailures: boolean;
  readonly made: Resource;
}

type Schedule = Extract<TriggerSource, { kind: 'schedule' }>;

export interface Scheduling {
  /** The row's, with the rhythm of the template. */
  readonly source: Schedule;
  readonly made: Resource;
}

/** @throws AssemblyError naming what is not connected, or not allowed. */
export function readWiring(links: Links): Wiring {
  const { all } = links.assembly;
  const mayCall = permissionsOfApi(links);
  const routes = all('AWS::ApiGatewayV2::Route').map((route) => readRoute(route, links, mayCall));
  const fallback = routes.find(({ method }) => method === '$default');
  if (fallback === undefined) throw new AssemblyError('the API has no route $default');
  const wiring = {
    routes: routes.filter((route) => route !== fallback),
    fallback: fallback.made,
    consumers: all('AWS::Lambda::EventSourceMapping').map((mapping) => readConsumer(mapping, links)),
    schedules: all('AWS::Scheduler::Schedule').map((schedule) => readSchedule(schedule, links)),
  };
  const called = new Set(functionsOf(wiring).map(({ properties }) => properties.Description));
  const idle = Object.values(triggers).filter(({ summary }) => !called.has(summary));
  if (idle.length > 0) throw new AssemblyError(`nothing calls ${idle.map(({ name }) => name).join(', ')}`);
  return wiring;
}

/** Every function that something calls, once. */
export function functionsOf({ routes, fallback, consumers, schedules }: Wiring): readonly Resource[] {
  return [...new Set([fallback, ...[...routes, ...consumers, ...schedules].map(({ made }) => made)])];
}

/** What API Gateway may call, by the permissions of the functions. */
function permissionsOfApi({ assembly, identify, functionAt }: Links): May {
  const statements = assembly.all('AWS::Lambda::Permission').map(({ stack, properties }) => ({
    Effect: 'Allow',
    Principal: { Service: properties.Principal },
    Action: properties.Action,
    Resource: assembly.arns.function(nameOf(functionAt(properties.FunctionName, stack))),
    Condition: { ArnLike: { 'aws:SourceArn': identify(properties.SourceArn, stack) } },
  }));
  return permissionsOfResource('apigateway.amazonaws.com', statements);
}

function readRoute({ stack, properties }: Resource, links: Links, mayCall: May): Routing {
  const { assembly, identify, functionAt } = links;
  const { RouteKey, Target, ApiId } = properties;
  const target = identify(Target, stack);
  const integration = assembly
    .all('AWS::ApiGatewayV2::Integration')
    .find((one) => `integrations/${identify({ Ref: one.id }, one.stack)}` === target);
  if (integration?.properties.PayloadFormatVersion !== '2.0') {
    throw new AssemblyError(`${RouteKey} has no integration with events of version 2.0`);
  }
  const made = functionAt(integration.properties.IntegrationUri, integration.stack);
  const [method, path = ''] = RouteKey.split(' ');
  const source = assembly.arns.arn('execute-api', `${identify(ApiId, stack)}/$default/${method}${path}`);
  const context = { 'aws:SourceArn': [source] };
  if (
    !mayCall({ action: 'lambda:InvokeFunction', resource: assembly.arns.function(nameOf(made)), context })
  ) {
    throw new AssemblyError(`the API may not call ${nameOf(made)} for ${RouteKey}`);
  }
  return { method, path, made };
}

function readConsumer({ stack, properties }: Resource, { functionAt, queueAt }: Links): Consuming {
  const { EventSourceArn, FunctionName, BatchSize = 10, FunctionResponseTypes = [] } = properties;
  const made = functionAt(FunctionName, stack);
  const { source } = rowOf(made);
  if (source.kind !== 'queue') throw new AssemblyError(`${nameOf(made)} should work on no queue`);
  return {
    queue: queueAt(EventSourceArn, stack),
    name: source.queue,
    batchSize: BatchSize,
    reportsFailures: FunctionResponseTypes.includes('ReportBatchItemFailures'),
    made,
  };
}

const unitSeconds: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 };

function readSchedule({ stack, properties }: Resource, links: Links): Scheduling {
  const { Target, ScheduleExpression, State = 'ENABLED' } = properties;
  const made = links.functionAt(Target.Arn, stack);
  const { source } = rowOf(made);
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(ScheduleExpression) ?? [];
  if (source.kind !== 'schedule' || count === undefined || State !== 'ENABLED') {
    throw new AssemblyError(`${nameOf(made)} is not called by ${ScheduleExpression} (${State})`);
  }
  const may = permissionsOf(links.identify(Target.RoleArn, stack), links.assembly, links.identify);
  if (!may({ action: 'lambda:InvokeFunction', resource: links.assembly.arns.function(nameOf(made)) })) {
    throw new AssemblyError(`the scheduler may not call ${nameOf(made)}`);
  }
  return { source: { ...source, everySeconds: Number(count) * (unitSeconds[unit] ?? Number.NaN) }, made };
}

/** The row that a function was made from: its description is the row's summary. */
function rowOf(made: Resource): Trigger {
  const row = Object.values<Trigger>(triggers).find(({ summary }) => summary === made.properties.Description);
  if (row === undefined) throw new AssemblyError(`no row of functions/triggers.ts describes ${nameOf(made)}`);
  return row;
}
