/** Access to the synthesized templates of a deployment. */
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { indexPartitions, partitions } from '../../../shared/store/keys.ts';

type Json = Readonly<Record<string, unknown>>;
type Reference = { Ref?: string; 'Fn::GetAtt'?: [string, string]; 'Fn::Join'?: [string, unknown[]] };
interface Resource extends Json {
  readonly Type: string;
  readonly Properties: Json;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
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

/** Matches the capabilities that concern the table. */
export const tableCapability = new RegExp(
  `^(?:${Object.keys({ ...partitions, ...indexPartitions }).join('|')}):`,
);

export class Deployed {
  /** The templates by stack name, in the order of deployment: each stack after those that it needs. */
  readonly templates: ReadonlyMap<string, Template>;
  readonly assembly: CloudAssembly;
  /** All resources of all stacks. References to other stacks are replaced with the referenced value. */
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

  /** The outputs of a stack for people, without those for other stacks. */
  outputs(part: string): Readonly<Record<string, unknown>> {
    const outputs = Object.entries(this.template(part).Outputs ?? {});
    const own = outputs.filter(([id]) => !/^(?:Exports|Publish)Output/.test(id));
    return Object.fromEntries(own.map(([id, { Value }]) => [id, Value]));
  }

  /** Maps route keys to the properties of their functions. */
  routes(): ReadonlyMap<string, Json> {
    return new Map(
      this.all('AWS::ApiGatewayV2::Route').map(({ RouteKey, Target }) => {
        const [, parts] = (Target as Reference)['Fn::Join'] ?? ['', []];
        const integration = this.#at(parts.at(-1));
        return [String(RouteKey), this.#at(integration.IntegrationUri)];
      }),
    );
  }

  /** The event source mapping and queues of the function with this description. */
  work(description: string): { mapping: Json; queue: Json; deadLetters: Json } {
    const mapping = this.all('AWS::Lambda::EventSourceMapping').find(
      ({ FunctionName }) => this.#at(FunctionName).Description === description,
    );
    if (mapping === undefined) throw new Error(`nothing starts: ${description}`);
    const queue = this.#at(mapping.EventSourceArn);
    return { mapping, queue, deadLetters: this.#at((queue.RedrivePolicy as Json).deadLetterTargetArn) };
  }

  /** The description of each scheduled function, and its interval in seconds. */
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

  /**
   * All permissions in the policies of the function with this description, sorted: `action on resource`, or `no action
   * on resource` if denied.
   */
  permissions(description: string): string[] {
    const { Role, LoggingConfig } = this.#function(description);
    const role = idOf(Role);
    const names = new Map([[idOf((LoggingConfig as Json).LogGroup), 'its log']]);
    for (const [id, { Type }] of Object.entries(this.#resources)) {
      if (Type === 'AWS::DynamoDB::GlobalTable') names.set(id, 'the table');
      if (Type === 'AWS::S3::Bucket') names.set(id, 'the mail');
      if (Type === 'AWS::KMS::Key') names.set(id, 'the key');
      if (Type === 'AWS::SQS::Queue') names.set(id, id.replace(/^(\w+)Queue[0-9A-F]{8}$/, '$1'));
    }
    const roles = this.#resources[role]?.Properties;
    if (roles?.Policies !== undefined || roles?.ManagedPolicyArns !== undefined)
      throw new Error('more than its own policy');
    return this.statements((policy) => (policy.Roles as unknown[]).some((one) => idOf(one) === role))
      .flatMap(({ Effect, Action, Resource, Condition }) =>
        [Action]
          .flat()
          .map((action) => (Effect === 'Deny' ? `no ${action}` : action))
          .map((action) => `${action} on ${write(Resource, names)}${conditionOf(Condition)}`),
      )
      .toSorted();
  }

  /** Every action that any role allows or denies. */
  actions(): string[] {
    return this.statements().flatMap(({ Action }) => Action);
  }

  /** The statements of the policies of roles, by default of all roles. */
  statements(of: (policy: Json) => boolean = () => true): Statement[] {
    const policies = this.all('AWS::IAM::Policy').filter(of);
    return policies.flatMap(({ PolicyDocument }) => (PolicyDocument as { Statement: Statement[] }).Statement);
  }

  /** Returns `value` with references to other stacks replaced with the referenced values. */
  #localized(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#localized(one));
    if (typeof value !== 'object' || value === null) return value;
    const { 'Fn::ImportValue': imported, 'Fn::GetStackOutput': output } = value as Json;
    if (imported !== undefined) return this.#exported(String(imported));
    if (output !== undefined) {
      const { StackName, OutputName } = output as { StackName: string; OutputName: string };
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

/** The condition of a statement: partitions of the table, prefixes of objects, or calls of the function's own code. */
function conditionOf(condition: Statement['Condition']): string {
  if (condition?.ArnLike?.['lambda:SourceFunctionArn'] !== undefined) return ' by its code';
  const keys =
    condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? condition?.StringLike?.['s3:prefix'];
  return keys === undefined ? '' : ` of ${[keys].flat().join(', ')}`;
}

/** A resource of a policy, with names instead of references. */
function write(resource: unknown, names: ReadonlyMap<string, string>): string {
  if (typeof resource === 'string') return resource;
  if (Array.isArray(resource)) return resource.map((one) => write(one, names)).join(' and ');
  const join = (resource as Reference)['Fn::Join'];
  if (join !== undefined) return join[1].map((part) => write(part, names)).join(join[0]);
  return names.get(idOf(resource)) ?? idOf(resource);
}
