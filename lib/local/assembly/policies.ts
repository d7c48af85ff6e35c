/** What a role may do, by the policies in the templates (AWS, "Policy evaluation logic": a denial wins, silence denies). */
import { AssemblyError, type CloudAssembly, type Json } from './cloud-assembly.ts';
import type { Resolve } from './intrinsics.ts';

/** What is asked for, and the values of the condition keys that come with it. */
export interface Need {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

export type May = (need: Need) => boolean;

/** The permissions of the role with this ARN. @throws AssemblyError for a statement that is not understood. */
export function permissionsOf(roleArn: string, assembly: CloudAssembly, resolve: Resolve): May {
  const role = assembly
    .all('AWS::IAM::Role')
    .find(({ id, stack }) => resolve({ 'Fn::GetAtt': [id, 'Arn'] }, stack) === roleArn);
  if (role === undefined) throw new AssemblyError(`there is no role ${roleArn}`);
  const name = resolve({ Ref: role.id }, role.stack);
  const attached = assembly
    .all('AWS::IAM::Policy')
    .filter(({ properties, stack }) => resolve(properties.Roles ?? [], stack).includes(name));
  const documents: Json[] = [
    ...attached.map(({ properties, stack }) => resolve(properties.PolicyDocument, stack)),
    ...resolve(role.properties.Policies ?? [], role.stack).map((policy: Json) => policy.PolicyDocument),
  ];
  return evaluate(documents.flatMap((document) => document.Statement));
}

/** What resolved statements of resources let a service of AWS do. */
export function permissionsOfResource(service: string, statements: readonly Json[]): May {
  return evaluate(
    statements.flatMap(({ Principal, ...statement }) =>
      [Principal?.Service].flat().includes(service) ? [statement] : [],
    ),
  );
}

/** @throws AssemblyError for a statement that is not understood. */
function evaluate(statements: readonly Json[]): May {
  const read = statements.map(readStatement);
  return (need) => {
    const applying = read.filter((statement) => statement.appliesTo(need));
    return applying.length > 0 && applying.every((statement) => statement.allows);
  };
}

function readStatement({ Effect, Action, Resource, Condition = {}, Sid: _name, ...others }: Json) {
  refuseUnknown(Object.keys(others));
  const isAction = matcher(Action, 'i');
  const isResource = matcher(Resource);
  const conditions = Object.entries<Json>(Condition).flatMap(([operator, keys]) =>
    Object.entries<Json>(keys).map(([key, values]) => readCondition(operator, key, values)),
  );
  return {
    allows: Effect === 'Allow',
    appliesTo: ({ action, resource, context = {} }: Need) =>
      isAction(action) && isResource(resource) && conditions.every((holds) => holds(context)),
  };
}

/** `ForAllValues` holds where there is no value; without it there must be one (AWS, "Multivalued context keys"). */
function readCondition(operator: string, key: string, values: Json) {
  const [, all, comparison] =
    /^(ForAllValues:)?(StringEquals|StringLike|ArnEquals|ArnLike)$/.exec(operator) ?? [];
  if (comparison === undefined) refuseUnknown([operator]);
  const matches =
    comparison === 'StringEquals' ? (one: string) => [values].flat().includes(one) : matcher(values);
  return (context: NonNullable<Need['context']>): boolean => {
    const given = context[key] ?? [];
    return given.every(matches) && (all !== undefined || given.length > 0);
  };
}

function refuseUnknown(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new AssemblyError(`a policy holds ${names.join(', ')}, which is not understood`);
}

/** `*` is any text and `?` any character; actions have no case. */
function matcher(patterns: string | readonly string[], flags = ''): (text: string) => boolean {
  const expressions = [patterns].flat().map((pattern) => {
    const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
    return new RegExp(`^${source.replace(/\?/g, '.')}$`, `s${flags}`);
  });
  return (text) => expressions.some((expression) => expression.test(text));
}
