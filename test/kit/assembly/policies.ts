/**
 * Evaluates the policies in the templates (AWS, "Policy evaluation logic": an explicit deny overrides, and the default
 * is deny).
 */
import { AssemblyError, type CloudAssembly, type Json } from './cloud-assembly.ts';
import type { Resolve } from './intrinsics.ts';

/** An action on a resource, and the values of the condition keys in the request. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

export type IsAllowed = (permission: Permission) => boolean;

/** Returns the permissions of the role with this ARN. @throws AssemblyError for an unsupported statement. */
export function permissionsOf(roleArn: string, assembly: CloudAssembly, resolve: Resolve): IsAllowed {
  const role = assembly
    .all('AWS::IAM::Role')
    .find(({ id, stack }) => resolve({ 'Fn::GetAtt': [id, 'Arn'] }, stack) === roleArn);
  if (role === undefined) throw new AssemblyError(`the assembly has no role ${roleArn}`);
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

/** Returns what resource policies, with references resolved, allow an AWS service to do. */
export function permissionsOfResource(service: string, statements: readonly Json[]): IsAllowed {
  return evaluate(
    statements.flatMap(({ Principal, ...statement }) =>
      [Principal?.Service].flat().includes(service) ? [statement] : [],
    ),
  );
}

/** @throws AssemblyError for an unsupported statement. */
function evaluate(statements: readonly Json[]): IsAllowed {
  const parsed = statements.map(readStatement);
  return (permission) => {
    const applying = parsed.filter((statement) => statement.appliesTo(permission));
    return applying.length > 0 && applying.every((statement) => statement.allows);
  };
}

function readStatement({ Effect, Action, Resource, Condition = {}, Sid: _name, ...others }: Json) {
  rejectUnsupported(Object.keys(others));
  const isAction = matcher(Action, 'i');
  const isResource = matcher(Resource);
  const conditions = Object.entries<Json>(Condition).flatMap(([operator, keys]) =>
    Object.entries<Json>(keys).map(([key, values]) => readCondition(operator, key, values)),
  );
  return {
    allows: Effect === 'Allow',
    appliesTo: ({ action, resource, context = {} }: Permission) =>
      isAction(action) && isResource(resource) && conditions.every((matches) => matches(context)),
  };
}

/**
 * `ForAllValues` also matches if the request has no value for the key; without it, at least one is necessary (AWS,
 * "Multivalued context keys").
 */
function readCondition(operator: string, key: string, values: Json) {
  const [, forAllValues, comparison] =
    /^(ForAllValues:)?(StringEquals|StringLike|ArnEquals|ArnLike)$/.exec(operator) ?? [];
  if (comparison === undefined) rejectUnsupported([operator]);
  const matches =
    comparison === 'StringEquals' ? (one: string) => [values].flat().includes(one) : matcher(values);
  return (context: NonNullable<Permission['context']>): boolean => {
    const actual = context[key] ?? [];
    return actual.every(matches) && (forAllValues !== undefined || actual.length > 0);
  };
}

function rejectUnsupported(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new AssemblyError(`a policy contains ${names.join(', ')}, which is not supported`);
}

/** `*` matches any text and `?` any one character. Actions are case-insensitive. */
function matcher(patterns: string | readonly string[], flags = ''): (text: string) => boolean {
  const expressions = [patterns].flat().map((pattern) => {
    const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
    return new RegExp(`^${source.replace(/\?/g, '.')}$`, `s${flags}`);
  });
  return (text) => expressions.some((expression) => expression.test(text));
}
