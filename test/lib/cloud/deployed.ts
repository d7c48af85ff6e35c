/** The synthesised templates of a deployment, asked by what a reader wants to know of them. */
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';

type Json = Readonly<Record<string, unknown>>;
type Reference = { Ref?: string; 'Fn::GetAtt'?: [string, string]; 'Fn::Join'?: [string, unknown[]] };
interface Resource extends Json {
  readonly Type: string;
  readonly Properties: Json;
}
interface Output {
  readonly Value: unknown;
  readonly Export?: { readonly Name: string };
}
interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, Output>>;
}
interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: { readonly [operator: string]: { readonly [key: string]: unknown } };
}

export class Deployed {
  /** The stacks by their names, as they are deployed: none before what it needs. */
  readonly templates: ReadonlyMap<string, Template>;
  readonly assembly: CloudAssembly;
  /** All resources of all stacks; what a stack takes from another is named as if it were its own. */
  readonly #resources: Readonly<Record<string, Resource>>;

  constructor(assembly: CloudAssembly) {
    this.assembly = assembly;
    this.templates = new Map(assembly.stacks.map(({ stackName, template }) => [stackName, template]));
    const all = [...this.templates.values()].flatMap(({ Resources }) => Object.entries(Resources));
    if (new Set(all.map(([id]) => id)).size < all.length)
      throw new Error('two stacks use the same logical id');
    this.#resources = this.#localized(Object.fromEntries(all)) as Readonly<Record<string, Resource>>;
  }

  /** The template of the stack for `part`, such as `data`. */
  template(part: string): Template {
    const found = [...this.templates].find(([name]) => name.endsWith(`-${part}`));
    if (found === undefined) throw new Error(`no stack: ${part}`);
    return found[1];
  }

  resources(type: string): Resource[] {
    return Object.values(this.#resources).filter((resource) => resource.Type === type);
  }

  /** The properties of every resource of a type. */
  all(type: string): Json[] {
    return this.resources(type).map((resource) => resource.Properties);
  }

  /** The outputs of a stack that are for people, not for other stacks. */
  outputs(part: string): Readonly<Record<string, unknown>> {
    const outputs = Object.entries(this.template(part).Outputs ?? {});
    const own = outputs.filter(([id]) => !/^(?:Exports|Publish)Output/.test(id));
    return Object.fromEntries(own.map(([id, { Value }]) => [id, Value]));
  }

  /** Route key to the function behind it. */
  routes(): ReadonlyMap<string, Json> {
    return new Map(
      this.all('AWS::ApiGatewayV2::Route').map(({ RouteKey, Target }) => {
        const [, parts] = (Target as Reference)['Fn::Join'] ?? ['', []];
        const integration = this.#at(parts.at(-1));
        return [String(RouteKey), this.#at(integration.IntegrationUri)];
      }),
    );
  }

  /** What starts the function with this description from a queue. */
  work(description: string): { mapping: Json; queue: Json; deadLetters: Json } {
    const mapping = this.all('AWS::Lambda::EventSourceMapping').find(
      ({ FunctionName }) => this.#at(FunctionName).Description === description,
    );
    if (mapping === undefined) throw new Error(`nothing starts: ${description}`);
    const queue = this.#at(mapping.EventSourceArn);
    return { mapping, queue, deadLetters: this.#at((queue.RedrivePolicy as Json).deadLetterTargetArn) };
  }

  /** Every schedule as the description of its function and its seconds. */
  schedules(): [unknown, number][] {
    return this.all('AWS::Scheduler::Schedule').map(({ ScheduleExpression, Target }) => {
      const [, count, unit = ''] =
        /^rate\((\d+) (minute|hour|day)s?\)$/.exec(String(ScheduleExpression)) ?? [];
      const seconds = { minute: 60, hour: 3600, day: 86_400 }[unit] ?? Number.NaN;
      return [this.#at((Target as Json).Arn).Description, Number(count) * seconds];
    });
  }

  environment(description: string): Json {
    const { Variables } = (this.#function(description).Environment as Json | undefined) ?? {};
    return (Variables as Json | undefined) ?? {};
  }

  /** `action on resource`, or `no action on resource` where that is denied, sorted, of all policies of the role of the function with this description. */
  permissions(description: string): string[] {
    const { Role, LoggingConfig } = this.#function(description);
    const role = idOf(Role);
    const names = new Map([[idOf((LoggingConfig as Json).LogGroup), 'its log']]);
    for (const [id, { Type }] of Object.entries(this.#resources)) {
      if (Type === 'AWS::DynamoDB::GlobalTable') names.set(id, 'the table');
      if (Type === 'AWS::S3::Bucket') names.set(id, 'the mail');
      if (Type === 'AWS::SQS::Queue') names.set(id, id.replace(/^(\w+)Queue[0-9A-F]{8}$/, '$1'));
    }
    const roles = this.#resources[role]?.Properties;
    if (roles?.Policies !== undefined || roles?.ManagedPolicyArns !== undefined)
      throw new Error('more than its own policy');
    return this.#statements((policy) => (policy.Roles as unknown[]).some((one) => idOf(one) === role))
      .flatMap(({ Effect, Action, Resource, Condition }) =>
        [Action]
          .flat()
          .map((action) => (Effect === 'Deny' ? `no ${action}` : action))
          .map((action) => `${action} on ${write(Resource, names)}${bound(Condition)}`),
      )
      .toSorted();
  }

  /** Every action that any role may do. */
  actions(): string[] {
    return this.#statements(() => true).flatMap(({ Action }) => Action);
  }

  /** `value` with the references to other stacks turned into what these references stand for. */
  #localized(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#localized(one));
    if (typeof value !== 'object' || value === null) return value;
    const { 'Fn::ImportValue': imported, 'Fn::GetStackOutput': told } = value as Json;
    if (imported !== undefined) return this.#exported(String(imported));
    if (told !== undefined) {
      const { StackName, OutputName } = told as { StackName: string; OutputName: string };
      return this.templates.get(StackName)?.Outputs?.[OutputName]?.Value;
    }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, this.#localized(part)]));
  }

  #exported(name: string): unknown {
    const outputs = [...this.templates.values()].flatMap(({ Outputs = {} }) => Object.values(Outputs));
    const found = outputs.find(({ Export }) => Export?.Name === name);
    if (found === undefined) throw new Error(`no stack exports ${name}`);
    return found.Value;
  }

  #statements(of: (policy: Json) => boolean): Statement[] {
    const policies = this.all('AWS::IAM::Policy').filter(of);
    return policies.flatMap(({ PolicyDocument }) => (PolicyDocument as { Statement: Statement[] }).Statement);
  }

  #function(description: string): Json {
    const found = this.all('AWS::Lambda::Function').find(({ Description }) => Description === description);
    if (found === undefined) throw new Error(`no function: ${description}`);
    return found;
  }

  #at(reference: unknown): Json {
    const resource = this.#resources[idOf(reference)];
    if (resource === undefined) throw new Error(`nothing at ${JSON.stringify(reference)}`);
    return resource.Properties;
  }
}

function idOf(reference: unknown): string {
  const { Ref, 'Fn::GetAtt': attribute } = reference as Reference;
  return Ref ?? attribute?.[0] ?? '';
}

/** What a statement is bound to: partitions of the table, or calls of the function's own code. */
function bound(condition: Statement['Condition']): string {
  if (condition?.ArnLike?.['lambda:SourceFunctionArn'] !== undefined) return ' by its code';
  const keys = condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  return keys === undefined ? '' : ` of ${[keys].flat().join(', ')}`;
}

/** A resource as a policy names it, with the names of things in place of references. */
function write(resource: unknown, names: ReadonlyMap<string, string>): string {
  if (typeof resource === 'string') return resource;
  if (Array.isArray(resource)) return resource.map((one) => write(one, names)).join(' and ');
  const join = (resource as Reference)['Fn::Join'];
  if (join !== undefined) return join[1].map((part) => write(part, names)).join(join[0]);
  return names.get(idOf(resource)) ?? idOf(resource);
}
