/** Parameters, headers and responses that several operations have are defined once, under `components`. */
import type { ApiResponse, Content, Media, OpenApiDocument, Operation } from './schema.ts';

/** In characters. */
const SHORT_EXAMPLE = 200;

/**
 * The same document with references to what operations share. A part is named after the parameter, the header, or the
 * codes of the errors; one that differs from the part with this name, after the tag of its operations, too, or after one
 * operation. No part has the name of a schema: generators of clients make a type of each. A long example is shown once.
 */
export function shareParts({ paths, webhooks, components, ...document }: OpenApiDocument) {
  const parts = {
    parameters: new Map<string, object>(),
    headers: new Map<string, object>(),
    responses: new Map<string, object>(),
  };
  const nameOfPart = new Map<string, string>();
  function share(kind: keyof typeof parts, names: readonly string[], part: object): object {
    const text = JSON.stringify([kind, part, names[0]]);
    const name = nameOfPart.get(text) ?? names.find((one) => !parts[kind].has(one));
    if (name === undefined) throw new Error(`several ${kind} are ${names.at(-1)}`);
    nameOfPart.set(text, name);
    parts[kind].set(name, part);
    return { $ref: `#/components/${kind}/${name}` };
  }
  const shown = new Set<string>();
  function mediaOf({ example, ...media }: Media): Media {
    const { data = example } = (example ?? {}) as { readonly data?: unknown };
    const text = JSON.stringify(data) ?? '';
    if (example === undefined || (text.length > SHORT_EXAMPLE && shown.has(text))) return media;
    shown.add(text);
    return { ...media, example };
  }
  function operationOf({ parameters, responses, ...operation }: Operation) {
    const { operationId, tags = [] } = operation;
    const namesOf = (name: string) => [name, ...[...tags, operationId].map((one) => `${pascal(one)}${name}`)];
    const nameOfParameter = ({ name }: { readonly name: string }): string =>
      pascal(name) in components.schemas ? `${pascal(name)}Parameter` : pascal(name);
    const responseOf = ({ headers = {}, content, ...response }: ApiResponse, status: string) => {
      const shared = {
        ...response,
        ...(content && { content: mapped(content, mediaOf) }),
        headers: mapped(headers, (one, name) => share('headers', namesOf(pascal(name)), one)),
      };
      const name = nameOf(content, status);
      return name === '' ? shared : share('responses', namesOf(name), shared);
    };
    return {
      ...operation,
      parameters: parameters.map((one) => share('parameters', namesOf(nameOfParameter(one)), one)),
      responses: mapped(responses, responseOf),
    };
  }
  return {
    ...document,
    paths: mapped(paths, (operations) => mapped(operations, operationOf)),
    webhooks: mapped(webhooks, (operations) => mapped(operations, operationOf)),
    components: { ...components, ...mapped(parts, (shared) => Object.fromEntries(shared)) },
  };
}

/** A name for a response without data of its operation; empty for others. */
function nameOf(content: Content | undefined, status: string): string {
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
