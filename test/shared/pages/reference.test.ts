import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { referencePage } from '../../../shared/pages/reference/page.ts';
import { outlineOfPage } from '../../kit/outline.ts';

const document = openApiDocument(Object.values(routes), {
  hostUrl: 'https://monitor.example.net',
  version: '1.0.0',
});
const page = referencePage(document);
const all = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, found = '']) => found);

describe('the API reference', () => {
  test('has a section for every operation and every schema, each once', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const sections = all(/<section class="operation" id="([^"]+)">/g);
    const names = operations.map(({ operationId }) => operationId);
    const expected = [...names, 'alertsWebhook', ...Object.keys(document.components.schemas)];
    expect(sections.toSorted()).toEqual(expected.toSorted());
  });

  test('links only to sections that it has', () => {
    const ids = new Set(all(/ id="([^"]+)"/g));
    const links = all(/ href="#([^"]+)"/g);
    expect(links.length).toBeGreaterThan(200);
    expect(links.filter((link) => !ids.has(link))).toEqual([]);
  });

  test('shows names, types, limits and descriptions, of each kind that a schema can have', () => {
    const text = { type: 'string', description: 'A `text` of code.' };
    const limited = {
      ...{ type: 'integer', default: 20, minimum: 1, maximum: 100 },
      ...{ minLength: 2, maxLength: 9, maxItems: 5, pattern: '^a$' },
    };
    const properties = {
      ...{ text, limited, anything: {}, list: { type: 'array', items: text }, lists: { type: 'array' } },
      ...{ fixed: { const: 'x' }, either: { type: ['string', 'null'], format: 'date' } },
      ...{ one: { oneOf: [text, { $ref: '#/components/schemas/Empty' }] }, values: { enum: ['a', 1] } },
      any: {
        anyOf: [
          { type: 'object', properties: { a: text } },
          { type: 'object', properties: { b: text } },
          { type: 'null' },
        ],
      },
      objects: { type: 'array', items: { type: 'object', properties: { a: text } } },
    };
    const operation = {
      ...{
        ...({ operationId: 'one', summary: 'One `thing`', description: 'Does it.' } as const),
        tags: ['spf-checker'],
        parameters: [],
      },
      responses: {
        200: { description: 'Done', content: { 'application/json': { schema: text } } },
        204: { description: 'Nothing' },
      },
    };
    const error = { description: 'Wrong', content: { 'application/json': { schema: text } } };
    const other = {
      ...{ ...operation, operationId: 'two', tags: ['some-things'] },
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'The ID' },
        { name: 'q', in: 'query', schema: limited },
      ],
      requestBody: {
        content: {
          'application/json': {
            schema: { type: 'object', properties, required: ['text'] },
            example: { a: 1 },
          },
          'text/csv': { schema: { type: 'string' }, example: 'a,b' },
        },
      },
      responses: { 200: { description: 'Done' }, 399: error, 400: error },
    };
    const small = {
      ...{ info: { description: 'An API.', version: '1' }, servers: [{ url: 'https://m.example' }] },
      tags: [
        { name: 'spf-checker', description: 'Of SPF' },
        { name: 'some-things', description: 'Of things' },
        { name: 'spfx', description: 'Of none' },
      ],
      paths: { '/a/{id}': { get: operation, put: other } },
      webhooks: { alerts: { post: { ...operation, tags: undefined } } },
      components: {
        schemas: {
          Zed: { ...text, description: 'Last' },
          Empty: { properties: {} },
          Kind: { enum: ['a'], ...limited },
          List: { type: 'array', items: text },
        },
      },
    };
    const shown = referencePage(small as never);
    expect(outlineOfPage(shown)).toMatchSnapshot();
    expect(shown).toContain('<meta property="og:url" content="https://m.example/docs">');
    expect(shown).not.toContain('noindex');
    expect(referencePage({ ...small, servers: [] } as never)).toContain('Base URL: <code></code>');
  });

  test('escapes what the document contains', () => {
    const hostile = { ...document, info: { ...document.info, description: '<script>alert(1)</script>' } };
    expect(referencePage(hostile)).not.toContain('<script>alert(1)');
  });
});
