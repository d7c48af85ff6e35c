/** The values of a template's properties: references and functions of CloudFormation in terms of what runs here. */
import { AssemblyError, type CloudAssembly, type Json, type Resource } from './cloud-assembly.ts';

/** What resources are here. */
export interface Counterparts {
  /** What `Ref` gives. */
  reference(resource: Resource): string;
  /** What `Fn::GetAtt` gives. */
  attribute(resource: Resource, name: string): string;
}

/** Resolves a value of a stack's template. @throws AssemblyError naming what is not understood. */
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
      return called(name, value[name], stack);
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one, stack)]));
  }

  function called(name: string, argument: Json, stack: string): Json {
    switch (name) {
      case 'Ref':
        return referenced(argument, stack);
      case 'Fn::GetAtt': {
        const [id, attribute] = Array.isArray(argument) ? argument : argument.split('.');
        return counterparts.attribute(assembly.resource(stack, id), attribute);
      }
      case 'Fn::Join': {
        const [separator, parts] = argument;
        return resolve(parts, stack).join(separator);
      }
      case 'Fn::Sub':
        return substituted(argument, stack);
      case 'Fn::Select': {
        const [at, list] = argument;
        return resolve(list, stack)[Number(at)];
      }
      case 'Fn::Split': {
        const [separator, text] = argument;
        return resolve(text, stack).split(separator);
      }
      case 'Fn::ImportValue':
        return imported(resolve(argument, stack), stack);
      case 'Fn::GetStackOutput':
        return output(resolve(argument.StackName, stack), argument.OutputName);
      default:
        throw new AssemblyError(`${stack}: ${name} is not understood`);
    }
  }

  function referenced(id: string, stack: string): string {
    const pseudo = pseudoParameters[id];
    if (pseudo !== undefined) return pseudo;
    if (id === 'AWS::StackName') return assembly.stacks.get(stack)?.name ?? stack;
    const parameter = assembly.stacks.get(stack)?.template.Parameters?.[id];
    return parameter === undefined
      ? counterparts.reference(assembly.resource(stack, id))
      : String(parameter.Default);
  }

  function substituted(argument: Json, stack: string): string {
    const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
    return text.replace(/\$\{([^}]+)\}/g, (_all: string, name: string) => {
      if (name.startsWith('!')) return `\${${name.slice(1)}}`;
      if (Object.hasOwn(variables, name)) return resolve(variables[name], stack);
      return name.includes('.') ? called('Fn::GetAtt', name, stack) : referenced(name, stack);
    });
  }

  function imported(name: string, by: string): Json {
    for (const [stack, { template }] of assembly.stacks) {
      for (const { Export, Value } of Object.values<Json>(template.Outputs ?? {})) {
        if (Export !== undefined && resolve(Export.Name, stack) === name) return resolve(Value, stack);
      }
    }
    throw new AssemblyError(`${by} imports ${name}, which no stack exports`);
  }

  function output(stackName: string, name: string): Json {
    for (const [stack, { name: other, template }] of assembly.stacks) {
      const found = other === stackName ? template.Outputs?.[name] : undefined;
      if (found !== undefined) return resolve(found.Value, stack);
    }
    throw new AssemblyError(`there is no output ${name} of a stack ${stackName}`);
  }
}
