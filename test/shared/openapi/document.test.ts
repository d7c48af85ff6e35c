import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routes } from '../../../functions/routes.ts';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { nameOf } from '../../../shared/openapi/schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
type Json = any;

const document: Json = openApiDocument(Object.values(routes), {
  hostUrl: 'https://monitor.example.net',
  version: '1.0.0',
});

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
    const parameters = all
      .filter(({ node }) => typeof node.in === 'string' && node.schema !== undefined)
      .map(({ node, path }) => ({ name: `${path}/${node.name}`, schema: node }));
    expect(properties.length).toBeGreaterThan(300);
    expect(parameters.length).toBeGreaterThan(30);
    const described = [...properties, ...parameters];
    expect(described.filter(({ schema }) => !isDescribed(schema)).map(({ name }) => name)).toEqual([]);
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
    const closed = all.filter(({ node }) => node.additionalProperties === false);
    expect(closed.map(({ path }) => path)).toEqual([]);
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
    const without = contents.filter(({ node }) => node.example === undefined && node.examples === undefined);
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
    const [{ properties }] = document.components.schemas.NewDomain.anyOf;
    const validate = new Ajv2020({ strict: false }).compile(properties.domain);
    expect(validate(name)).toBe(fits);
  });

  test('requires a test mailbox of domains that receive mail', () => {
    const ajv = new Ajv2020({ strict: false });
    const { NewDomain } = document.components.schemas;
    const validate = ajv.compile({ ...NewDomain, components: document.components });
    expect(validate({ domain: 'example.org' })).toBe(false);
    expect(validate({ domain: 'example.org', usageType: 'receives-only', testEmailLocalPart: null })).toBe(
      false,
    );
    expect(validate({ domain: 'example.org', testEmailLocalPart: 'postmaster' })).toBe(true);
    expect(validate({ domain: 'example.org', usageType: 'parked' })).toBe(true);
  });
});
