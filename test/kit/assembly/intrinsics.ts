/** Evaluates the intrinsic functions of CloudFormation in template properties, with local values for resources. */
import { AssemblyError, type CloudAssembly, type Json, type Resource } from './cloud-assembly.ts';

/** The local values of resources. */
export interface Counterparts {
  /** Returns the value of `Ref`. */
  reference(resource: Resource): string;
  /** Returns the value of `Fn::GetAtt`. */
  attribute(resource: Resource, name: string): string;
}

/**
 * Resolves a value in a stack's template. @throws AssemblyError that names an unsupported function or an unknown
 * reference.
 */
export type Resolve = (value: Json, stack: string) => Json;

export function createResolver(assembly: CloudAssembly, counterparts: Counterparts): Resolve {
  const pseudoParameters: Readonly<Record<string, string>> = {
    'AWS::Region': assembly.place.region,
    'AWS::AccountId': assembly.place.account,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
  };
  return resolve;

  function resolve(value: Json, stack: string): Json {
    if (Array.isArray(value)) return value.map((one) => resolve(one, stack));
    if (typeof value !== 'object' || value === null) return value;
    const [name = '', ...others] = Object.keys(value);
    if (others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) {
      return evaluate(name, value[name], stack);
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one, stack)]));
  }

  function evaluate(name: string, argument: Json, stack: string): Json {
    switch (name) {
      case 'Ref':
        return reference(argument, stack);
      case 'Fn::GetAtt': {
        const [id, attribute] = Array.isArray(argument) ? argument : argument.split('.');
        return counterparts.attribute(assembly.resource(stack, id), attribute);
      }
      case 'Fn::Join': {
        const [separator, parts] = argument;
        return resolve(parts, stack).join(separator);
      }
      case 'Fn::Sub':
        return substitute(argument, stack);
      case 'Fn::Select': {
        const [at, list] = argument;
        return resolve(list, stack)[Number(at)];
      }
      case 'Fn::Split': {
        const [separator, text] = argument;
        return resolve(text, stack).split(separator);
      }
      case 'Fn::ImportValue':
        return importedValue(resolve(argument, stack), stack);
      case 'Fn::GetStackOutput':
        return stackOutput(resolve(argument.StackName, stack), argument.OutputName);
      default:
        throw new AssemblyError(`${stack}: ${name} is not supported`);
    }
  }

  function reference(id: string, stack: string): string {
    const pseudo = pseudoParameters[id];
    if (pseudo !== undefined) return pseudo;
    if (id === 'AWS::StackName') return assembly.stacks.get(stack)?.name ?? stack;
    const parameter = assembly.stacks.get(stack)?.template.Parameters?.[id];
    return parameter === undefined
      ? counterparts.reference(assembly.resource(stack, id))
      : String(parameter.Default);
  }

  function substitute(argument: Json, stack: string): string {
    const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
    return text.replace(/\$\{([^}]+)\}/g, (_all: string, name: string) => {
      if (name.startsWith('!')) return `\${${name.slice(1)}}`;
      if (Object.hasOwn(variables, name)) return resolve(variables[name], stack);
      return name.includes('.') ? evaluate('Fn::GetAtt', name, stack) : reference(name, stack);
    });
  }

  function importedValue(name: string, importer: string): Json {
    for (const [stack, { template }] of assembly.stacks) {
      for (const { Export, Value } of Object.values<Json>(template.Outputs ?? {})) {
        if (Export !== undefined && resolve(Export.Name, stack) === name) return resolve(Value, stack);
      }
    }
    throw new AssemblyError(`${importer} imports ${name}, which no stack exports`);
  }

  function stackOutput(stackName: string, name: string): Json {
    for (const [stack, { name: other, template }] of assembly.stacks) {
      const found = other === stackName ? template.Outputs?.[name] : undefined;
      if (found !== undefined) return resolve(found.Value, stack);
    }
    throw new AssemblyError(`stack ${stackName} has no output ${name}`);
  }
}
