/** Calls a booted service, and checks every response against the OpenAPI document that the service itself serves. */

import { expect } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { pathPattern } from '../../shared/runtime/http/path-pattern.ts';
import type { BootedService } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer is held against its schema, and then read freely by tests
type Json = any;

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface ApiClient {
  call(method: string, path: string, options?: CallOptions): Promise<ApiAnswer>;
}

export interface CallOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Record<string, string>;
  /** A token other than that of the service; null sends none. */
  readonly token?: string | null;
}

export async function apiClient(service: Pick<BootedService, 'url' | 'token'>): Promise<ApiClient> {
  const document = await (await fetch(`${service.url}/api/openapi.json`)).json();
  const validators = compile(document);
  return {
    async call(method, path, { json, raw, headers = {}, token = service.token } = {}) {
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json === undefined && raw === undefined ? {} : { body: (raw ?? JSON.stringify(json)) as string }),
      });
      const text = await response.text();
      const body = text === '' ? undefined : JSON.parse(text);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      validators.expectDescribed(method, path, response.status, body);
      return { status: response.status, headers: response.headers, body };
    },
  };
}

/** What a response without content, such as a 304, is held against. */
const noContent = { 'application/json': { schema: { type: 'null' } } };

function compile(document: Json) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  // References in the document point to its own components, so each schema is compiled together with them.
  const { components } = document;
  const error = ajv.compile({ ...components.schemas.Error, components });
  const rows = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: pathPattern(path),
      byStatus: new Map<number, ValidateFunction>(
        Object.entries<Json>(operation.responses).flatMap(([status, { content = noContent }]) => {
          const schema = content['application/json']?.schema;
          return schema === undefined ? [] : [[Number(status), ajv.compile({ ...schema, components })]];
        }),
      ),
    })),
  );
  return {
    expectDescribed(method: string, path: string, status: number, body: unknown): void {
      const plainPath = path.split('?')[0] ?? '';
      const row = rows.find((it) => it.method === method && it.pattern.test(plainPath));
      const validate = row === undefined ? error : row.byStatus.get(status);
      if (validate === undefined)
        throw new Error(`${method} ${plainPath}: status ${status} is not described`);
      validate(body ?? null);
      expect(validate.errors ?? []).toEqual([]);
    },
  };
}
