/** Unions of schemas in forms that every generator of clients can express. */
import { exampleOf, withoutPlainExample } from './examples.ts';
import { nameOf, type Schema, type Schemas } from './schema.ts';

/**
 * A schema in which unions are one schema each: texts of several formats are a text, constants are an enumeration, and
 * objects are one object in which only common properties are required. Two kinds stay: what can be `null`, and named objects
 * that a property tells apart, with its values as a discriminator (OpenAPI 3.1 section 4.8.25). Anything else is any value.
 */
export function withoutUnions(schema: Schema, definitions: Schemas): Schema {
  const within = (part: Schema) => withoutUnions(part, definitions);
  const { anyOf, oneOf, discriminator, ...rest } = schema;
  const walked: Schema = withoutPlainExample({
    ...rest,
    ...(schema.items && { items: within(schema.items) }),
    ...(typeof schema.additionalProperties === 'object' && {
      additionalProperties: within(schema.additionalProperties),
    }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, property]) => [name, within(property)]),
      ),
    }),
  });
  const members = anyOf ?? oneOf;
  if (members === undefined) return walked;
  if (discriminator !== undefined)
    return { ...walked, oneOf: members, discriminator: withMapping(discriminator, members, definitions) };
  const others = members.filter(({ type }) => type !== 'null').map(within);
  const one = unite(others, definitions);
  if (others.length === members.length) return { ...one, ...walked };
  const { description: _, ...undescribed } = one;
  return { ...walked, anyOf: [walked.description === undefined ? one : undescribed, { type: 'null' }] };
}

type Discriminator = NonNullable<Schema['discriminator']>;

function withMapping(
  { propertyName }: Discriminator,
  members: readonly Schema[],
  definitions: Schemas,
): Discriminator {
  const mapping = members.map(({ $ref = '' }): [string, string] => {
    const value = definitions[nameOf($ref)]?.properties?.[propertyName]?.const;
    if (typeof value !== 'string') throw new Error(`${$ref} has no text as ${propertyName}`);
    return [value, $ref];
  });
  return { propertyName, mapping: Object.fromEntries(mapping) };
}

function unite(members: readonly Schema[], definitions: Schemas): Schema {
  const [first = {}, ...others] = members;
  if (others.length === 0) return first;
  if (members.every(({ const: value }) => value !== undefined))
    return { type: typeof first.const, enum: members.map(({ const: value }) => value) };
  if (members.every(({ type }) => type === 'string')) return { type: 'string' };
  if (!members.every(({ type }) => type === 'object')) return {};
  return { ...others.reduce(merged, first), examples: [exampleOf(first, definitions)] };
}

/** @throws Error if a property has two types. */
function merged(one: Schema, other: Schema): Schema {
  const { properties = {}, required = [] } = one;
  const added = Object.entries(other.properties ?? {}).filter(([name, property]) => {
    const known = properties[name];
    if (known !== undefined && typeText(known) !== typeText(property))
      throw new Error(`the objects of a union have different types of ${name}`);
    return known === undefined;
  });
  return {
    type: 'object',
    properties: { ...properties, ...Object.fromEntries(added) },
    required: required.filter((name) => other.required?.includes(name)),
  };
}

const typeText = ({ description: _, examples: _examples, ...type }: Schema): string => JSON.stringify(type);
