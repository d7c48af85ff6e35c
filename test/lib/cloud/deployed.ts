/** A synthesised template, asked by what a reader wants to know of it. */
type Json = Readonly<Record<string, unknown>>;
type Reference = { Ref?: string; 'Fn::GetAtt'?: [string, string]; 'Fn::Join'?: [string, unknown[]] };
interface Resource extends Json {
  readonly Type: string;
  readonly Properties: Json;
}
interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

export class Deployed {
  readonly template: { readonly Resources: Readonly<Record<string, Resource>>; readonly Outputs: Json };

  constructor(template: Deployed['template']) {
    this.template = template;
  }

  resources(type: string): Resource[] {
    return Object.values(this.template.Resources).filter((resource) => resource.Type === type);
  }

  /** The properties of every resource of a type. */
  all(type: string): Json[] {
    return this.resources(type).map((resource) => resource.Properties);
  }

  outputs(): string[] {
    return Object.keys(this.template.Outputs);
  }

  outputValue(name: string): unknown {
    return (this.template.Outputs[name] as Json).Value;
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

  /** `action on resource`, sorted, of all policies of the role of the function with this description. */
  permissions(description: string): string[] {
    const { Role, LoggingConfig } = this.#function(description);
    const role = idOf(Role);
    const names = new Map([[idOf((LoggingConfig as Json).LogGroup), 'its log']]);
    for (const [id, { Type }] of Object.entries(this.template.Resources)) {
      if (Type === 'AWS::DynamoDB::GlobalTable') names.set(id, 'the table');
      if (Type === 'AWS::S3::Bucket') names.set(id, 'the mail');
      if (Type === 'AWS::SQS::Queue') names.set(id, id.replace(/^Work(\w+)Queue[0-9A-F]{8}$/, '$1'));
    }
    const roles = this.template.Resources[role]?.Properties;
    if (roles?.Policies !== undefined || roles?.ManagedPolicyArns !== undefined)
      throw new Error('more than its own policy');
    return this.#statements((policy) => (policy.Roles as unknown[]).some((one) => idOf(one) === role))
      .flatMap(({ Action, Resource }) =>
        [Action].flat().map((action) => `${action} on ${write(Resource, names)}`),
      )
      .toSorted();
  }

  /** Every action that any role may do. */
  actions(): string[] {
    return this.#statements(() => true).flatMap(({ Action }) => Action);
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
    const resource = this.template.Resources[idOf(reference)];
    if (resource === undefined) throw new Error(`nothing at ${JSON.stringify(reference)}`);
    return resource.Properties;
  }
}

function idOf(reference: unknown): string {
  const { Ref, 'Fn::GetAtt': attribute } = reference as Reference;
  return Ref ?? attribute?.[0] ?? '';
}

/** A resource as a policy names it, with the names of things in place of references. */
function write(resource: unknown, names: ReadonlyMap<string, string>): string {
  if (typeof resource === 'string') return resource;
  if (Array.isArray(resource)) return resource.map((one) => write(one, names)).join(' and ');
  const join = (resource as Reference)['Fn::Join'];
  if (join !== undefined) return join[1].map((part) => write(part, names)).join(join[0]);
  return names.get(idOf(resource)) ?? idOf(resource);
}
