/** Examples of the OpenAPI document, composed of the examples of its properties. */
import { nameOf, type Schema, type Schemas } from './schema.ts';

const byFormat: Readonly<Record<string, string>> = {
  uuid: '018f3b6e-7c2a-7d10-9b4e-5a6c7d8e9f01',
  'date-time': '2026-01-30T06:30:00.000Z',
  date: '2026-01-30',
};

/**
 * A value that is valid according to `schema`: its own example if it has one, otherwise one that is composed of its
 * parts. Objects have their required properties, and lists one item; further lists of the same named items are empty.
 */
export function exampleOf(schema: Schema, schemas: Schemas, listed = new Set<string>()): unknown {
  const { examples, $ref, anyOf, oneOf } = schema;
  if (examples !== undefined) return examples[0];
  if ($ref !== undefined) return exampleOf(schemas[nameOf($ref)] ?? {}, schemas, listed);
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const [choice] = anyOf ?? oneOf ?? [];
  return choice === undefined ? exampleOfType(schema, schemas, listed) : exampleOf(choice, schemas, listed);
}

/** The schema without an example that it has anyway. */
export function withoutPlainExample({ examples, ...schema }: Schema): Schema {
  if (examples === undefined) return schema;
  const plain = exampleOf(schema, {});
  const isPlain = plain !== undefined && JSON.stringify(examples) === JSON.stringify([plain]);
  return isPlain ? schema : { ...schema, examples };
}

function exampleOfType(schema: Schema, schemas: Schemas, listed: Set<string>): unknown {
  const { type: types, format = '', items, properties = {}, required = [] } = schema;
  const type = typeof types === 'object' ? types[0] : types;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.minimum !== undefined && schema.minimum === schema.maximum) return schema.minimum;
  if (type === 'boolean') return true;
  if (type === 'array') {
    if (items === undefined || listed.has(items.$ref ?? '')) return [];
    if (items.$ref !== undefined) listed.add(items.$ref);
    return [exampleOf(items, schemas, listed)];
  }
  if (type === 'object') {
    const shown = Object.entries(properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, schemas, listed)]));
  }
  return byFormat[format];
}
