/** Follows what a template refers to. */
import { AssemblyError, type CloudAssembly, type Json, type Resource } from './cloud-assembly.ts';
import { counterparts, nameOf } from './counterparts.ts';
import { createResolver, type Resolve } from './intrinsics.ts';

export interface Links {
  readonly assembly: CloudAssembly;
  /** Resolves with a name for everything that only serves to tell one thing from another. */
  readonly identify: Resolve;
  /** The function whose name or ARN a value is. @throws AssemblyError when it is none of the assembly. */
  functionAt(value: Json, stack: string): Resource;
  /** The queue whose ARN a value is. @throws AssemblyError when it is none of the assembly. */
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
  const find = (type: string, value: Json, stack: string, is: (name: string, text: string) => boolean) => {
    const text: string = identify(value, stack);
    const found = assembly.all(type).find((resource) => is(nameOf(resource), text));
    if (found === undefined) throw new AssemblyError(`${stack}: ${text} is no ${type} of the assembly`);
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
