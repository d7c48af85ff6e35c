/** How an operation of each kind is described, and how schemas are written for generators of clients. */
import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { exampleOf } from '../../../shared/openapi/examples.ts';
import type { Schema } from '../../../shared/openapi/schema.ts';
import { shareParts } from '../../../shared/openapi/share-parts.ts';
import { withoutUnions } from '../../../shared/openapi/unions.ts';
import { described } from '../../../shared/protocol/schema.ts';
import type { Route } from '../../../shared/runtime/http/route.ts';
import { differences, flat, listed } from '../../kit/recorded-lines.ts';

const number = described(z.int().check(z.minimum(1), z.maximum(9)), 'A number', 5);
const thing = z.object({
  id: described(z.string(), 'Its ID', 'a1'),
  kind: described(z.union([z.literal('a'), z.literal('b')]), 'Its kind'),
  version: described(z.literal(1), 'Always 1'),
  isOpen: described(z.literal(true), 'Always true'),
  when: described(z.nullable(z.iso.datetime()), 'Its time'),
  note: described(z.optional(z.string()), 'A note', 'x'.repeat(250)),
  all: described(z.array(z.int()), 'Numbers'),
});

const route = (name: string, given: object) =>
  ({
    ...{ name, method: 'GET', handler: 'checks/a', access: 'token', scope: 'read', rate: 'organization' },
    ...{
      summary: `Does ${name}`,
      errorImpact: '',
      timeoutSeconds: 1,
      memoryMegabytes: 128,
      uses: [],
      errors: [],
    },
    ...{ path: `/api/v1/${name}`, request: {} },
    success: { status: 200, description: 'Done', envelope: 'data', schema: thing },
    ...given,
  }) as unknown as Route;
const success = (given: object) => ({
  success: { ...{ status: 200, description: 'Done', envelope: 'bare', schema: z.object({}) }, ...given },
});

const routes = [
  route('get', {
    request: { path: z.object({ id: number }), query: z.object({ page: z.optional(number) }) },
  }),
  route('list', {
    request: { query: z.object({ limit: z._default(number, 3), since: z.optional(number) }) },
    ...success({
      envelope: 'page',
      schema: z.array(z.object({ n: number })),
      formats: [
        {
          ...{
            name: 'listCsv',
            ending: '.csv',
            mediaType: 'text/csv',
            description: 'CSV',
            summary: 'As CSV',
          },
          example: 'a,b',
          without: ['since'],
        },
        {
          ...{
            name: 'listZone',
            ending: '.zone',
            mediaType: 'text/x-zone',
            description: 'Z',
            summary: 'As Z',
          },
          schema: z.object({ n: number }),
        },
      ],
    }),
    errors: ['rate_limited', 'not_found', 'domain_exists', 'idempotency_key_reused'],
  }),
  route('create', {
    ...{ method: 'POST', scope: 'write', description: 'Makes one.', reserved: { all: ['GET'] } },
    ...{
      request: { body: z.object({ n: number, text: z.optional(z.string()) }) },
      errors: ['invalid_request'],
    },
    ...success({ status: 201, createsAt: '/api/v1/things/{id}' }),
  }),
  route('change', {
    method: 'PATCH',
    hasVersions: true,
    errors: ['precondition_failed'],
    request: { body: z.object({}), describedBody: z.object({ n: number }) },
  }),
  route('image', {
    path: '/image.svg',
    access: 'public',
    rate: 'none',
    tokenPath: '/api/v1/get',
    ...success({ contentType: 'image/svg+xml', freshSeconds: 60 }),
  }),
  route('text', {
    path: '/text',
    access: 'public',
    rate: 'polls',
    ...success({ contentType: 'text/plain', example: 'a b' }),
  }),
  route('tool', {
    access: 'public',
    rate: 'client',
    ...success({ isConfidential: true }),
    errors: ['rate_limited'],
  }),
  route('page', { access: 'session', ...success({ envelope: 'html' }) }),
];
const document = openApiDocument(routes, { hostUrl: 'https://monitor.acme.org', version: '7' });

test('operations say of each what differs from the one before', () => {
  const operations = Object.entries(document.paths).map(([path, one]) => [`path: ${path}`, ...flat(one)]);
  // The description of a limit is always the same.
  const lines = differences(
    operations.map((lines) => lines.map((line) => line.replace(/^(?:get|post|patch)\./, ''))),
  ).filter(
    (line) =>
      !/^without|RateLimit(?:-Policy)?\.(?:description|schema|example)|examples\.\w+\.value\.(?:error|requestId)/.test(
        line,
      ),
  );
  expect(listed(lines.map((line) => line.replace(/x{9,}/, '...')))).toMatchSnapshot();
  expect([document.openapi, document.info.version, document.servers, document.tags]).toMatchSnapshot();
});

test('what several operations have is defined once', () => {
  const { paths, components } = shareParts(document);
  const references = flat(paths).filter(
    (line) => line.includes('$ref: "#/components/') && !line.includes('/schemas/'),
  );
  const { schemas: _, securitySchemes: _others, ...shared } = components;
  const names = Object.entries(shared).map(
    ([kind, parts]) => `${kind}: ${Object.keys(parts as object).join(', ')}`,
  );
  expect(listed([...names, ...references.filter((line) => !line.includes('RateLimit'))])).toMatchSnapshot();
  const long = flat(paths).filter((line) => line.includes('x'.repeat(250)));
  expect(long.map((line) => line.split(':')[0])).toMatchSnapshot();
});

const definitions: Record<string, Schema> = {
  A: {
    type: 'object',
    properties: { kind: { const: 'a' }, n: { type: 'integer', examples: [1] } },
    required: ['kind', 'n'],
  },
  B: { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
} as never;
const [a, b] = [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }];
const object = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
});
const schemas: readonly object[] = [
  ...[
    { type: 'string' },
    { type: 'boolean' },
    { type: 'string', format: 'uuid' },
    { type: 'string', format: 'date' },
  ],
  ...[
    { type: 'string', enum: ['x', 'y'] },
    { const: 'c' },
    { type: 'string', default: 'd' },
    { type: 'array' },
  ],
  ...[{ type: 'integer', minimum: 4, maximum: 4 }, { type: 'integer', minimum: 4, maximum: 5 }, a],
  ...[
    { type: 'array', items: a },
    object({ one: { type: 'array', items: b }, two: { type: 'array', items: b } }, ['one', 'two']),
  ],
  ...[
    { type: ['boolean', 'null'] },
    { type: 'boolean', examples: [true] },
    { type: 'boolean', examples: [false] },
  ],
  ...[{ anyOf: [{ type: 'string', description: 'A text' }, { type: 'null' }] }],
  ...[{ description: 'Mine', anyOf: [{ type: 'string', description: 'A text' }, { type: 'null' }] }],
  ...[
    { anyOf: [{ const: 'a' }, { const: 'b' }] },
    { anyOf: [{ type: 'string', format: 'date' }, { type: 'string' }] },
  ],
  ...[
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    { oneOf: [a, b], discriminator: { propertyName: 'kind' } },
  ],
  ...[{ oneOf: [a, b], discriminator: { propertyName: 'n' } }, { oneOf: [{ type: 'integer' }] }, {}],
  {
    anyOf: [
      object({ a: { type: 'string', examples: ['e'] }, c: { type: 'string' } }, ['a', 'c']),
      object({ a: { type: 'string' }, b: {} }, ['a', 'b']),
    ],
  },
  { anyOf: [object({ a: { type: 'string' } }, ['a']), object({ a: { type: 'integer' } }, ['a'])] },
  {
    type: 'object',
    additionalProperties: { anyOf: [{ const: 1 }, { const: 2 }] },
    items: { anyOf: [{ const: 1 }] },
  },
];

test('schemas have examples, and no unions that generators cannot express', () => {
  const lines = schemas.map((schema) => {
    let united: string;
    try {
      united = JSON.stringify(withoutUnions(schema as Schema, definitions));
    } catch (error) {
      united = (error as Error).message;
    }
    return [
      JSON.stringify(schema),
      `  example ${JSON.stringify(exampleOf(schema as Schema, definitions))}`,
      `  ${united}`,
    ].join('\n');
  });
  expect(listed(lines)).toMatchSnapshot();
});
