import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { routes } from '../../../functions/routes.ts';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { nameOf } from '../../../shared/openapi/schema.ts';
import { shareParts } from '../../../shared/openapi/share-parts.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
type Json = any;

const document: Json = openApiDocument(Object.values(routes), {
  hostUrl: 'https://monitor.example.net',
  version: '1.0.0',
});

const shared: Json = shareParts(document);

/** All objects in the document, with the JSON Pointer (RFC 6901) to each. Examples and defaults are values, not schemas. */
function* nodes(node: Json, path = ''): Iterable<{ node: Json; path: string }> {
  if (typeof node !== 'object' || node === null) return;
  yield { node, path };
  for (const [key, child] of Object.entries(node))
    if (!['example', 'examples', 'default'].includes(key))
      yield* nodes(child, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

const all = [...nodes(document)];

/** A nullable property has the description of its other alternative. */
function isDescribed(schema: Json): boolean {
  if (schema.description !== undefined) return true;
  if (schema.$ref !== undefined) return isDescribed(document.components.schemas[nameOf(schema.$ref)]);
  return (schema.anyOf ?? []).some(isDescribed);
}

describe('the OpenAPI document', () => {
  test('describes every property and parameter', () => {
    const properties = all.flatMap(({ node, path }) =>
      node.type === 'object' || node.anyOf !== undefined
        ? Object.entries(node.properties ?? {}).map(([name, schema]) => ({ name: `${path}/${name}`, schema }))
        : [],
    );
    // `data` and `meta` of every response; what they are is said of the response.
    const isEnvelope = ({ name }: { name: string }) =>
      /\/content\/application~1json\/schema\/(data|meta)$/.test(name);
    const parameters = all
      .filter(({ node }) => typeof node.in === 'string' && node.schema !== undefined)
      .map(({ node, path }) => ({ name: `${path}/${node.name}`, schema: node }));
    expect(properties.length).toBeGreaterThan(300);
    expect(parameters.length).toBeGreaterThan(30);
    const described = [...properties.filter((one) => !isEnvelope(one)), ...parameters];
    expect(described.filter(({ schema }) => !isDescribed(schema)).map(({ name }) => name)).toEqual([]);
  });

  test('has no two components with one name, of which generators make two types', () => {
    const names = Object.values(shared.components).flatMap((parts: Json) => Object.keys(parts));
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test('names every enumeration', () => {
    const enumerations = all.filter(({ node }) => Array.isArray(node.enum)).map(({ path }) => path);
    expect(enumerations.length).toBeGreaterThan(30);
    expect(enumerations.filter((path) => !/^\/components\/schemas\/\w+$/.test(path))).toEqual([]);
  });

  test('has only patterns that every generator can handle', () => {
    const patterns = all.filter(({ node }) => typeof node.pattern === 'string');
    expect(patterns.length).toBeGreaterThan(3);
    for (const { node, path } of patterns) {
      expect([path, node.pattern.length <= 200]).toEqual([path, true]);
      expect(() => new RegExp(node.pattern, 'u')).not.toThrow();
    }
  });

  test('lets every change name the version that it is meant for', () => {
    const paths: readonly Json[] = Object.values(document.paths);
    const changes = paths.flatMap(({ patch, put }) => [patch, put].filter((one) => one !== undefined));
    expect(changes.length).toBeGreaterThan(4);
    const names = (list: Json) => list.map(({ name }: { name: string }) => name);
    for (const { operationId, parameters, responses } of changes)
      expect([operationId, names(parameters), Object.keys(responses[200].headers), responses]).toEqual([
        ...[operationId, expect.arrayContaining(['If-Match']), expect.arrayContaining(['ETag'])],
        expect.objectContaining({ 412: expect.anything() }),
      ]);
  });

  test('lets responses have more properties', () => {
    const bodies = new Set(
      all
        .filter(({ path }) => path.endsWith('/requestBody/content/application~1json/schema'))
        .flatMap(({ node, path }) => [path, node.$ref?.slice(1)]),
    );
    const closed = all.filter(({ node }) => node.additionalProperties === false);
    expect(closed.length).toBeGreaterThan(8);
    for (const { path } of closed) expect([...bodies].some((body) => path.startsWith(body))).toBe(true);
  });

  test('has examples that match their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'document');
    const media = all.filter(({ node }) => node.schema !== undefined && node.example !== undefined);
    expect(media.length).toBeGreaterThan(60);
    for (const { node, path } of media) {
      const validate = ajv.compile({ $ref: `document#${encodeURI(path)}/schema` });
      validate(node.example);
      expect([path, validate.errors ?? []]).toEqual([path, []]);
    }
  });

  test('has an example of every parameter, header, request body and response', () => {
    const contents = all.filter(({ path }) =>
      /^\/(?:paths|webhooks)\/.*\/(?:content|headers|parameters)\/[^/]+$/.test(path),
    );
    expect(contents.length).toBeGreaterThan(300);
    const without = contents.filter(
      ({ node }) =>
        node.example === undefined && node.examples === undefined && node.schema.format !== 'binary',
    );
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  test.each([
    ['', false],
    ['example', false],
    ['127.0.0.1', false],
    ['-a.example.org', false],
    ['example.org', true],
    ['a-b.xn--bcher-kva.example', true],
  ])('has a schema of domain names that fits %j: %j', (name, fits) => {
    const { properties } = document.components.schemas.NewDomain;
    const validate = new Ajv2020({ strict: false }).compile(properties.domain);
    expect(validate(name)).toBe(fits);
  });

  test('is text that YAML parsers read, too', () => {
    expect(JSON.stringify(document)).not.toMatch(/[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd]/u);
    expect(parse(JSON.stringify(shared))).toEqual(JSON.parse(JSON.stringify(shared)));
  });

  test('has unions only of what can be null, and of objects that a property tells apart', () => {
    const unions = all.filter(({ node }) => (node.anyOf ?? node.oneOf) !== undefined);
    expect(unions.length).toBeGreaterThan(30);
    const isNullable = ({ anyOf = [] }: Json) => anyOf.length === 2 && anyOf[1].type === 'null';
    const others = unions.filter(({ node }) => !isNullable(node));
    for (const { node } of others) {
      const values = Object.entries<string>(node.discriminator.mapping);
      const constants = values.map(
        ([, ref]) =>
          document.components.schemas[nameOf(ref)].properties[node.discriminator.propertyName].const,
      );
      expect(constants).toEqual(values.map(([value]) => value));
      expect(values.map(([, $ref]) => ({ $ref }))).toEqual(node.oneOf);
    }
    expect(others.map(({ path }) => path.split('/')[3])).toEqual(expect.arrayContaining(['Alert', 'Event']));
    expect(all.filter(({ node }) => 'const' in node && typeof node.const !== 'string')).toEqual([]);
  });

  test('defines what operations share once, and stays small', () => {
    const references = [...nodes(shared)].flatMap(({ node }) => (node.$ref === undefined ? [] : [node.$ref]));
    const stated = [...nodes([shared.paths, shared.webhooks])].filter(
      ({ node, path }) =>
        node.$ref === undefined &&
        (/\/(?:parameters|headers)\/[^/]+$/.test(path) || /^\/0\/.*\/responses\/[345]\d\d$/.test(path)),
    );
    expect(stated.map(({ path }) => path)).toEqual([]);
    for (const kind of ['parameters', 'headers', 'responses'])
      for (const name of Object.keys(shared.components[kind]))
        expect(references).toContain(`#/components/${kind}/${name}`);
    expect(Object.keys(shared.components.responses)).toEqual(
      expect.arrayContaining(['InvalidRequest', 'NotFound', 'NotModified']),
    );
    const paths: readonly object[] = Object.values(shared.paths);
    const operations = paths.flatMap((path) => Object.keys(path)).length;
    expect(operations).toBeGreaterThan(60);
    expect(JSON.stringify(shared).length / operations).toBeLessThan(5_450);
  });

  test('has the security scheme under a name that no schema has', () => {
    const schemas = Object.keys(document.components.schemas).map((name) => name.toLowerCase());
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer']);
    expect(schemas).not.toContain('bearer');
  });
});
