import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { routes } from '../../functions/routes.ts';
import { isDescribed, type Route } from '../../shared/runtime/http/route.ts';
import { useService } from '../kit/use-service.ts';

const service = await useService();
// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
const document: any = await (await fetch(`${service.url}/api/openapi.json`)).json();

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect([valid, validator.version]).toEqual([true, '3.1']);
  });

  test('describes every route except pages, with its success status and security', () => {
    const described = Object.values<Route>(routes).filter(isDescribed);
    for (const route of described) {
      const operation = document.paths[route.path][route.method.toLowerCase()];
      expect(operation.operationId).toBe(route.name);
      expect(Object.keys(operation.responses)).toContain(String(route.success.status));
      expect(operation.security).toEqual(route.access === 'token' ? [{ bearer: [] }] : []);
    }
  });

  test('describes the accepted query values, not the parsed ones', () => {
    const { parameters } = document.paths['/api/v1/domains/{id}/reports/dmarc'].get;
    const resolved = parameters.map((one: { $ref?: string }) =>
      one.$ref === undefined ? one : document.components.parameters[one.$ref.split('/').at(-1) ?? ''],
    );
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
    const schemaOf = (wanted: string) => resolved.find(({ name }: any) => name === wanted).schema;
    expect(schemaOf('limit')).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
    expect(schemaOf('includeRecords')).toEqual({ type: 'boolean', default: false });
    for (const name of ['startDate', 'endDate']) {
      const { type, pattern } = schemaOf(name);
      expect(type).toBe('string');
      for (const [text, fits] of [
        ['2026-01-31', true],
        ['2026-01-31T12:00:00Z', true],
        ['2026-01-31T12:00:00.5+02:00', true],
        ['1969-12-31', false],
        ['2026-01-31 12:00', false],
      ] as const)
        expect([text, new RegExp(pattern, 'u').test(text)]).toEqual([text, fits]);
    }
  });

  test('names each schema that clients generate a type from, and describes it once', () => {
    const answerOf = (path: string) =>
      document.paths[path].get.responses[200].content['application/json'].schema.properties.data;
    expect(answerOf('/api/v1/domains/{id}').$ref).toBe('#/components/schemas/DomainWithChecks');
    expect(answerOf('/api/v1/alerts').items).toEqual({ $ref: '#/components/schemas/Alert' });
    const names = Object.keys(document.components.schemas);
    const referred = JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    expect(new Set(Array.from(referred, ([, name]) => name))).toEqual(new Set(names));
  });

  test('contains the URL that it is served from', () => {
    expect(document.servers).toEqual([{ url: service.url }]);
  });
});
