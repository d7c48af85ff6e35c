/** Resolves the references between resources of an assembly. */
import { AssemblyError, type CloudAssembly, type Json, type Resource } from './cloud-assembly.ts';
import { counterparts, nameOf } from './counterparts.ts';
import { createResolver, type Resolve } from './intrinsics.ts';

export interface Links {
  readonly assembly: CloudAssembly;
  /**
   * Resolves a value with a unique placeholder for each resource. Use it to compare references, not to run anything.
   */
  readonly identify: Resolve;
  /** Returns the function with this name or ARN. @throws AssemblyError if the assembly has no such function. */
  functionAt(value: Json, stack: string): Resource;
  /** Returns the queue with this ARN. @throws AssemblyError if the assembly has no such queue. */
  queueAt(value: Json, stack: string): Resource;
}

export function createLinks(assembly: CloudAssembly): Links {
  const identify = createResolver(
    assembly,
    counterparts(
      {
        table: 'table',
        bucket: nameOf,
        queue: nameOf,
        queueUrl: (name) => name,
        apiUrl: () => 'api',
      },
      assembly.arns,
    ),
  );
  const find = (
    type: string,
    value: Json,
    stack: string,
    matches: (name: string, text: string) => boolean,
  ) => {
    const text: string = identify(value, stack);
    const found = assembly.all(type).find((resource) => matches(nameOf(resource), text));
    if (found === undefined) throw new AssemblyError(`${stack}: the assembly has no ${type} ${text}`);
    return found;
  };
  return {
    assembly,
    identify,
    functionAt: (value, stack) =>
      find(
        'AWS::Lambda::Function',
        value,
        stack,
        (name, text) => text === name || text === assembly.arns.function(name),
      ),
    queueAt: (value, stack) =>
      find('AWS::SQS::Queue', value, stack, (name, text) => text === assembly.arns.queue(name)),
  };
}
