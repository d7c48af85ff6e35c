/** Calls a booted service, and checks every response against the OpenAPI document that the service itself serves. */

import { expect } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
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

const JSON_TYPE = 'application/json';

export async function apiClient(service: Pick<BootedService, 'url' | 'token'>): Promise<ApiClient> {
  const document = await (await fetch(`${service.url}/api/openapi.json`)).json();
  const validators = validatorsFor(document);
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
      const type = response.headers.get('content-type')?.split(';')[0] ?? JSON_TYPE;
      const body = text === '' ? undefined : type === JSON_TYPE ? JSON.parse(text) : text;
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      validators.expectDescribed(method, path, { status: response.status, type, body });
      return { status: response.status, headers: response.headers, body };
    },
  };
}

/** Rejects properties that the document does not describe; for clients, responses can have more. */
function withoutMore(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutMore);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) => [key, withoutMore(part)] as const);
  const isObject = schema.type === 'object' && schema.properties !== undefined;
  return { ...Object.fromEntries(parts), ...(isObject && { additionalProperties: false }) };
}

/** Compiles the schema of a response when the first such response arrives: a test gets few of all of them. */
function validatorsFor(document: Json) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(withoutMore(document), 'document');
  const rows = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).map(([method, { responses }]) => {
      /** The response, and where it is in the document. */
      const responseOf = (status: number): { response: Json; at: readonly string[] } => {
        const name = responses[status]?.$ref?.split('/').at(-1);
        return name === undefined
          ? { response: responses[status], at: ['paths', path, method, 'responses', `${status}`] }
          : { response: document.components.responses[name], at: ['components', 'responses', name] };
      };
      return {
        method: method.toUpperCase(),
        pattern: pathPattern(path),
        hasNoContent(status: number): boolean {
          const { response } = responseOf(status);
          return response !== undefined && response.content === undefined;
        },
        schemaOf(status: number, type: string): string | undefined {
          const { response, at } = responseOf(status);
          return response?.content?.[type]?.schema && pointer(...at, 'content', type, 'schema');
        },
      };
    }),
  );
  return {
    expectDescribed(
      method: string,
      path: string,
      { status, type, body }: { readonly status: number; readonly type: string; readonly body: unknown },
    ): void {
      const plainPath = path.split('?')[0] ?? '';
      const row = rows.find((it) => it.method === method && it.pattern.test(plainPath));
      if (row?.hasNoContent(status)) {
        // Such as a 304.
        expect(body ?? null).toBeNull();
        return;
      }
      const schema =
        row === undefined ? pointer('components', 'schemas', 'Error') : row.schemaOf(status, type);
      const validate = schema && ajv.getSchema(schema);
      if (!validate)
        throw new Error(`${method} ${plainPath}: status ${status} with ${type} is not described`);
      validate(body);
      expect(validate.errors ?? []).toEqual([]);
    },
  };
}

/** Refers to a part of the document (RFC 6901, section 6). */
const pointer = (...names: readonly string[]): string =>
  `document#/${names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
