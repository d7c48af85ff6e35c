/** Generates the OpenAPI 3.1 document from the table of routes and their schemas. */

import * as z from 'zod/mini';
import { paginationMeta } from '../api/common.ts';
import { type ErrorCode, errorTable } from '../api/error-table.ts';
import { errorBody } from '../api/errors.ts';
import { webhookBody, webhookHeaders } from '../api/notifications.ts';
import { checkTitles } from '../checks/checks.ts';
import { CSV_ENDING, type Route } from '../runtime/http/route.ts';
import { exampleOf } from './examples.ts';
import { headerParameters, notModified, rateHeaders, successHeaders } from './headers.ts';
import { nameSchemas } from './named-schemas.ts';
import type {
  ApiResponse,
  Content,
  Media,
  OpenApiDocument,
  Operation,
  Parameter,
  Schema,
  Schemas,
} from './schema.ts';

interface ApiInfo {
  readonly hostUrl: string;
  readonly version: string;
}

/** Groups of operations: the folders of their handlers. */
const tags: Readonly<Record<string, string>> = {
  domains: 'Registration and verification of domains, and their latest check results',
  checks: 'Check runs, previews of proposed records, the security score, and their history',
  reports: 'DMARC aggregate reports and TLS reports that the report mailbox of a domain received',
  enforcement:
    'Who sends as a domain, what proposed records would change, and readiness for DMARC enforcement',
  fixes: 'Recommended changes of DNS records',
  alerts: 'Alerts about changes of a domain, its score, and its reports',
  attention: 'What needs a person now',
  notifications: 'Where alerts are sent, and what became of each delivery',
  tokens: 'API tokens of the organization',
  audit: 'What was changed through the API',
  badges: 'Public images of the grade and score of a domain',
  'spf-checker': 'SPF checker: expands the SPF record of any domain',
  'mail-test': 'Mail tester: analyzes a message that is sent to a one-time address',
  meta: 'Description of the API',
};

nameSchemas();

/** Describes all routes except web pages. The document is valid according to the OpenAPI 3.1 schema. */
export function openApiDocument(routes: readonly Route[], { hostUrl, version }: ApiInfo): OpenApiDocument {
  const schemas: Schemas = {};
  const paths: Record<string, Record<string, Operation>> = {};
  const described = routes.filter(({ success }) => success.envelope !== 'html');
  for (const route of described) {
    const method = route.method.toLowerCase();
    paths[route.path] = { ...paths[route.path], [method]: operation(route, schemas) };
    const { csv } = route.success;
    if (csv !== undefined)
      paths[`${route.path}${CSV_ENDING}`] = { [method]: csvOperation(route, csv, schemas) };
  }
  const shownTags = new Set(described.map(tagOf));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Email domain security monitor',
      description: `Checks, scores, and monitors the email security of domains: ${Object.values(checkTitles).join(', ')}, and DANE. Receives DMARC aggregate reports and TLS reports, and raises alerts.`,
      contact: { name: 'The operator of this service', url: hostUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      version,
    },
    servers: [{ url: hostUrl }],
    tags: [...shownTags].map((name) => ({ name, description: tags[name] ?? name })),
    paths,
    webhooks: { alerts: { post: alertsWebhook(schemas) } },
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of an organization' },
      },
      schemas,
    },
  };
}

const tagOf = ({ handler }: Route): string => handler.split('/')[0] ?? '';

function operation(route: Route, schemas: Schemas): Operation {
  const { success, request } = route;
  const content = {
    ...alternatives(success, schemas),
    ...(success.contentType === undefined
      ? { 'application/json': media(jsonResponse(success, schemas), schemas) }
      : { [success.contentType]: { schema: { type: 'string' }, example: success.example } }),
  };
  return {
    operationId: route.name,
    summary: route.summary,
    description: descriptionOf(route),
    ...commonParts(route, schemas),
    ...(request.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': media(
            jsonSchema(request.describedBody ?? request.body, 'input', schemas),
            schemas,
          ),
        },
      },
    }),
    responses: {
      [success.status]: { description: success.description, headers: successHeaders(route), content },
      ...notModified(route),
      ...errorResponses(route, schemas),
    },
  };
}

function csvOperation(route: Route, csv: NonNullable<Route['success']['csv']>, schemas: Schemas): Operation {
  return {
    operationId: csv.name,
    summary: csv.summary,
    description: `The same as \`${route.name}\`, as CSV (RFC 4180) with a header line. ${accessOf(route)}`,
    ...commonParts(route, schemas),
    responses: {
      [route.success.status]: {
        description: 'A header line and one line per row',
        headers: successHeaders(route),
        content: { 'text/csv': { schema: { type: 'string' }, example: `${csv.example}\r\n` } },
      },
      ...notModified(route),
      ...errorResponses(route, schemas),
    },
  };
}

function commonParts(route: Route, schemas: Schemas): Pick<Operation, 'tags' | 'security' | 'parameters'> {
  return {
    tags: [tagOf(route)],
    security: securityOf(route),
    parameters: [
      ...parameters(route, 'path', schemas),
      ...parameters(route, 'query', schemas),
      ...headerParameters(route),
    ],
  };
}

const securityOf = ({ access }: Route): Operation['security'] => (access === 'token' ? [{ token: [] }] : []);

function descriptionOf(route: Route): string {
  const csv = 'With `Accept: text/csv`, the response is that of the path with `.csv`.';
  const parts = [route.description, route.success.csv === undefined ? undefined : csv, accessOf(route)];
  return parts.filter((part) => part !== undefined).join(' ');
}

function accessOf({ access, tokenPath, scope, rate }: Route): string {
  const needs = access === 'token' ? `Requires a token with the scope \`${scope}\`.` : 'Requires no token.';
  const other = tokenPath === undefined ? [] : [`Send requests with a token to \`${tokenPath}\`.`];
  return [needs, ...other, rateTexts[rate]].join(' ');
}

const rateTexts: Readonly<Record<Route['rate'], string>> = {
  organization: 'The number of requests per minute is limited per organization.',
  client: 'The number of requests per minute is limited per client address.',
  queries: 'The number of requests per minute with a query is limited per client address.',
  polls: 'The number of requests per minute is limited per client address, apart from the other tools.',
  none: 'There is no rate limit.',
};

/** The request that the service sends to the webhook of an organization. */
function alertsWebhook(schemas: Schemas): Operation {
  return {
    operationId: 'alertsWebhook',
    summary:
      "Delivers alerts at or above the organization's severity threshold, and events that it switched on",
    description:
      'Sent to the webhook that `PUT /api/v1/notifications` or the operator set, unless its format is that of a chat service. A failed delivery is retried for up to 21 hours. A delivery can arrive more than once, with the same ID.',
    security: [],
    parameters: parametersOf(webhookHeaders, 'header', schemas),
    requestBody: {
      required: true,
      content: { 'application/json': media(jsonSchema(webhookBody, 'output', schemas), schemas) },
    },
    responses: {
      '2XX': { description: 'Accepted' },
      410: { description: 'Gone: the service disables the webhook' },
      default: { description: 'Not accepted: the service retries the delivery' },
    },
  };
}

function parameters({ request }: Route, where: 'path' | 'query', schemas: Schemas): Parameter[] {
  const schema = request[where];
  return schema === undefined ? [] : parametersOf(schema, where, schemas);
}

function parametersOf(schema: z.ZodMiniType, where: Parameter['in'], schemas: Schemas): Parameter[] {
  const { required = [], properties = {} } = jsonSchema(schema, 'input', schemas);
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: property,
    description,
    example: exampleOf(property, schemas),
  }));
}

/** A schema with an example, as the content of a request or a response. */
function media(schema: Schema, schemas: Schemas): Media {
  return { schema, example: exampleOf(schema, schemas) };
}

function alternatives({ alternatives = {} }: Route['success'], schemas: Schemas): Content {
  return Object.fromEntries(
    Object.entries(alternatives).map(([type, { schema }]) => [
      type,
      media(jsonSchema(schema, 'output', schemas), schemas),
    ]),
  );
}

function jsonResponse(success: Route['success'], schemas: Schemas): Schema {
  const inEnvelope = envelope(success, schemas);
  const bare = success.alternatives?.['application/json'];
  return bare === undefined
    ? inEnvelope
    : { anyOf: [inEnvelope, jsonSchema(bare.schema, 'output', schemas)] };
}

function envelope({ envelope: kind, schema }: Route['success'], schemas: Schemas): Schema {
  const payload = jsonSchema(schema, 'output', schemas);
  if (kind === 'bare') return payload;
  const data = { description: 'The payload', ...payload };
  const meta = {
    type: 'object',
    description: 'About the payload',
    required: ['pagination'],
    properties: {
      pagination: {
        ...jsonSchema(paginationMeta, 'output', schemas),
        description: 'The position of this page in the list',
      },
    },
  };
  return kind === 'page'
    ? { type: 'object', required: ['data', 'meta'], properties: { data, meta } }
    : { type: 'object', required: ['data'], properties: { data } };
}

type Limited = Pick<Route, 'errors' | 'rate'>;

function errorResponses({ errors, rate }: Limited, schemas: Schemas): Record<string, ApiResponse> {
  const schema = jsonSchema(errorBody, 'output', schemas);
  const byStatus = Map.groupBy(errors, (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codesOfStatus]) => [
      status,
      {
        description: codesOfStatus.map((code) => `\`${code}\`: ${errorTable[code].message}`).join(' '),
        ...(status === 429 && {
          headers: {
            ...rateHeaders({ rate }),
            'Retry-After': {
              description: 'Number of seconds until the next request is allowed',
              schema: { type: 'integer', minimum: 1 },
              example: 30,
            },
          },
        }),
        content: { 'application/json': { schema, examples: errorExamples(codesOfStatus) } },
      },
    ]),
  );
}

function errorExamples(codes: readonly ErrorCode[]): NonNullable<Media['examples']> {
  return Object.fromEntries(
    codes.map((code) => {
      const { message } = errorTable[code];
      const requestId = 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef';
      return [code, { value: { error: { code, message }, message, requestId } }];
    }),
  );
}

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. Named schemas are added to `schemas` and referenced. */
function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output', schemas: Schemas): Schema {
  // Wrapped in an object, so that the name of the schema itself is respected too.
  const printed = JSON.stringify(
    z.toJSONSchema(z.object({ schema }), { io, unrepresentable: 'any', override: withoutInternals(io) }),
  );
  const { properties, $defs = {} } = JSON.parse(printed.replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, { id: _id, ...definition }] of Object.entries<Schema & { readonly id?: string }>($defs))
    schemas[name] = definition;
  return properties.schema;
}

/** What is of interest only in the code is left out; the same applies to patterns that a format says in one word. */
const withoutInternals =
  (io: 'input' | 'output') =>
  ({ zodSchema, jsonSchema: printed }: { zodSchema: z.core.$ZodType; jsonSchema: Printed }): void => {
    // Of what is transformed, zod prints no examples, because they could be examples of the result. Here, they fit both.
    const { examples } = z.globalRegistry.get(zodSchema) ?? {};
    if (Array.isArray(examples) && printed.$ref === undefined) printed.examples = examples;
    delete printed.readOnly;
    if (printed.format !== undefined) delete printed.pattern;
    if (printed.maximum === Number.MAX_SAFE_INTEGER) delete printed.maximum;
    if (printed.minimum === Number.MIN_SAFE_INTEGER) delete printed.minimum;
    if (io === 'input') return;
    delete printed.default;
    // A later release can add fields, which must not break clients.
    if (printed.additionalProperties === false) delete printed.additionalProperties;
  };

interface Printed {
  $ref?: string;
  examples?: readonly unknown[];
  readOnly?: boolean;
  default?: unknown;
  format?: string;
  pattern?: string;
  maximum?: number;
  minimum?: number;
  additionalProperties?: unknown;
}
