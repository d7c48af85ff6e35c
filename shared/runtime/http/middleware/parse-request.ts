import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import type { ErrorDetail } from '../../../api/error-table.ts';
import { unknownFields } from '../../../api/unknown-fields.ts';
import { problemsOf } from '../../../operations/outcome.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { invalidRequest, placedIn, ServiceError } from '../errors.ts';
import type { Route } from '../route.ts';

/** Parses path, query, and body or form with the schemas of the route, and reports all problems at once. */
export function parseRequest({
  request,
  method,
  path: template,
  reserved = {},
  success: { formats = [] },
}: Pick<Route, 'request' | 'method' | 'path' | 'reserved' | 'success'>): MiddlewareObj<EndpointEvent> {
  // What a caller wrote must not find what all objects have.
  const others = new Map(Object.entries(reserved));
  // Links to pages get parameters that only their senders know.
  const isApi = template.startsWith('/api/');
  return {
    before: ({ event }) => {
      const details: ErrorDetail[] = [];
      const parse = (schema: z.ZodMiniType | undefined, value: unknown, where: string) => {
        if (schema === undefined) return undefined;
        if (isApi) details.push(...unknownFields(schema, value).map(placedIn(where)));
        const parsed = schema.safeParse(value);
        if (parsed.success) return parsed.data;
        details.push(...problemsOf(parsed.error).map(placedIn(where)));
        return undefined;
      };
      const allowed = others.get(event.rawPath.split('/').at(-1) ?? '');
      if (allowed !== undefined)
        throw new ServiceError('method_not_allowed', undefined, { headers: { allow: allowed.join(', ') } });
      const path = request.path?.safeParse(event.pathParameters ?? {});
      // A malformed id is treated like an unknown one; the schema's message is that of the missing resource.
      if (path?.success === false) throw new ServiceError('not_found', path.error.issues[0]?.message);
      const fields = readFields(event.rawQueryString, 'query', details);
      const { without = [] } = formats.find(({ ending }) => event.rawPath.endsWith(ending)) ?? {};
      for (const name of without.filter((one) => one in fields))
        details.push({ path: `query.${name}`, message: 'is not known for this format' });
      const query = parse(request.query ?? (isApi ? nothing : undefined), fields, 'query');
      const ofBody = request.body ?? (isApi && method !== 'GET' && event.body ? nothing : undefined);
      const body = parse(ofBody, ofBody && readJsonBody(event), 'body');
      if (request.form !== undefined) event.typed = readForm(event, details);
      const form = parse(request.form, event.typed, 'form');
      const [first, ...further] = details;
      if (first !== undefined) throw invalidRequest(first, ...further);
      event.parsed = { path: path?.data, query, body, form };
    },
  };
}

/** The query, or the body, of a route that has none. */
const nothing = z.object({}, 'must be a JSON object');

/** Parses the raw query, because the gateway joins repeated parameters with commas. */
function readFields(raw: string, where: string, details: ErrorDetail[]): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(raw)) {
    if (name in fields) details.push({ path: `${where}.${name}`, message: 'must not be repeated' });
    fields[name] = value;
  }
  return fields;
}

/** The fields of a form. @throws ServiceError for another type of content. */
export function readForm(event: APIGatewayProxyEventV2, details: ErrorDetail[]): Record<string, string> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(event.headers['content-type'] ?? '')) {
    throw invalidRequest({
      path: 'headers.content-type',
      message: 'must be application/x-www-form-urlencoded',
    });
  }
  return readFields(readText(event), 'form', details);
}

function readJsonBody(event: APIGatewayProxyEventV2): unknown {
  if (event.body === undefined || event.body === '') {
    throw invalidRequest({ path: 'body', message: 'must not be empty; a JSON body is required' });
  }
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(event.headers['content-type'] ?? '')) {
    throw invalidRequest({ path: 'headers.content-type', message: 'must be application/json' });
  }
  try {
    return JSON.parse(readText(event));
  } catch (error) {
    throw invalidRequest({ path: 'body', message: `is not valid JSON: ${(error as SyntaxError).message}` });
  }
}

/** The gateway encodes bodies of types that it does not treat as text, including forms, in base64. */
function readText({ body = '', isBase64Encoded }: APIGatewayProxyEventV2): string {
  return isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
}
