/** Parameters, headers and responses that several operations have are defined once, under `components`. */
import type { ApiResponse, OpenApiDocument, Operation } from './schema.ts';

/**
 * The same document with references to what operations share. A part is named after the parameter, the header, or the
 * codes of the errors; of several that differ, the first has the name, and the others stay where they are. No part has the
 * name of a schema: generators of clients make a type of each.
 */
export function shareParts({ paths, components, ...document }: OpenApiDocument) {
  const parts = {
    parameters: new Map<string, object>(),
    headers: new Map<string, object>(),
    responses: new Map<string, object>(),
  };
  const share = (kind: keyof typeof parts, name: string, part: object): object => {
    const known = parts[kind].get(name) ?? part;
    parts[kind].set(name, known);
    const isSame = JSON.stringify(known) === JSON.stringify(part);
    return isSame ? { $ref: `#/components/${kind}/${name}` } : part;
  };
  const nameOfParameter = ({ name }: { readonly name: string }): string =>
    pascal(name) in components.schemas ? `${pascal(name)}Parameter` : pascal(name);
  const responseOf = ({ headers = {}, ...response }: ApiResponse, status: string) => {
    const shared = {
      ...response,
      headers: mapped(headers, (one, name) => share('headers', pascal(name), one)),
    };
    const name = nameOf(response, status);
    return name === '' ? shared : share('responses', name, shared);
  };
  const operationOf = ({ parameters, responses, ...operation }: Operation) => ({
    ...operation,
    parameters: parameters.map((one) => share('parameters', nameOfParameter(one), one)),
    responses: mapped(responses, responseOf),
  });
  return {
    ...document,
    paths: mapped(paths, (operations) => mapped(operations, operationOf)),
    components: { ...components, ...mapped(parts, (shared) => Object.fromEntries(shared)) },
  };
}

/** A name for a response without data of its operation; empty for others. */
function nameOf({ content }: ApiResponse, status: string): string {
  if (status === '304') return 'NotModified';
  return Object.keys(content?.['application/json']?.examples ?? {})
    .map(pascal)
    .join('Or');
}

function mapped<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

const pascal = (name: string): string =>
  name.replace(/(?:^|[_-])([A-Za-z])/g, (_, letter: string) => letter.toUpperCase());
