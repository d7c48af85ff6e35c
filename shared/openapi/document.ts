/** Generates the OpenAPI 3.1 document from the table of routes and their schemas. */

import * as z from 'zod/mini';
import { listMeta } from '../api/common.ts';
import { type ErrorCode, errorTable } from '../api/error-table.ts';
import { errorBody } from '../api/errors.ts';
import { webhookBody, webhookHeaders } from '../api/notifications.ts';
import { checkTitles } from '../checks/checks.ts';
import { type Format, isDescribed, type Route } from '../runtime/http/route.ts';
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
import { withoutUnions } from './unions.ts';

interface ApiInfo {
  readonly hostUrl: string;
  readonly version: string;
}

/** Groups of operations: the folders of their handlers. */
const tags: Readonly<Record<string, string>> = {
  domains: 'Registration and verification of domains, and their latest check results',
  checks: 'Check runs, previews of proposed records, the security score, and their history',
  reports: 'DMARC aggregate reports and TLS reports that the report mailbox of a domain received',
  mailboxes: 'Mailboxes of the organization, from which the service reads reports',
  enforcement:
    'Who sends as a domain, what proposed records would change, and readiness for DMARC enforcement',
  fixes: 'Recommended changes of DNS records',
  evidence: 'Signed evidence of how a domain stands, or stood, and the keys that verify it',
  alerts: 'Alerts about changes of a domain, its score, and its reports',
  attention: 'What needs a person now',
  compliance: 'How domains meet published requirements, and which of them the organization follows',
  notifications: 'Where alerts are sent, and what became of each delivery',
  tokens: 'API tokens of the organization',
  people: 'Members of the organization, their roles, and invitations',
  audit: 'What was changed through the API',
  badges: 'Public images of the grade and score of a domain',
  'domain-checker': 'Domain checker: checks and scores any domain',
  'spf-checker': 'SPF checker: expands the SPF record of any domain',
  'mail-test': 'Mail tester: analyzes a message that is sent to a one-time address',
  meta: 'Description of the API',
};

function tagText(name: string): string {
  const text = tags[name];
  if (text === undefined) throw new Error(`operations of ${name} have no description of their group`);
  return text;
}

nameSchemas();

/** Describes all routes except web pages. The document is valid according to the OpenAPI 3.1 schema. */
export function openApiDocument(routes: readonly Route[], { hostUrl, version }: ApiInfo): OpenApiDocument {
  const schemas: Schemas = {};
  const paths: Record<string, Record<string, Operation>> = {};
  const described = routes.filter(isDescribed);
  for (const route of described) {
    const method = route.method.toLowerCase();
    paths[route.path] = { ...paths[route.path], [method]: operation(route, schemas) };
    for (const format of route.success.formats ?? [])
      paths[`${route.path}${format.ending}`] = { [method]: formatOperation(route, format, schemas) };
  }
  const shownTags = new Set(described.map(tagOf));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Email domain security monitor',
      description: `Checks, scores, and monitors the email security of domains: ${Object.values(checkTitles).join(', ')}, and DANE. Receives DMARC aggregate reports and TLS reports, and raises alerts. Below \`/api\`, unknown query parameters and unknown fields of a body are errors. Lists have their rows in \`data\`. Those with totals have them in \`data.reports\` (DMARC and TLS reports, as the interface specification fixes it) or \`data.sources\`.`,
      contact: { name: 'The operator of this service', url: hostUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      version,
    },
    servers: [{ url: hostUrl }],
    tags: [...shownTags].map((name) => ({ name, description: tagText(name) })),
    paths,
    webhooks: { alerts: { post: alertsWebhook(schemas) } },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The token of an organization' },
      },
      schemas,
    },
  };
}

const tagOf = ({ handler }: Route): string => handler.split('/')[0] ?? '';

function operation(route: Route, schemas: Schemas): Operation {
  const { success, request } = route;
  const { formats = [] } = success;
  const content =
    success.contentType === undefined
      ? {
          'application/json': media(envelope(success, schemas), schemas),
          ...Object.assign({}, ...formats.map((format) => contentOf(format, schemas))),
        }
      : { [success.contentType]: success.example === undefined ? binary : textMedia(success.example) };
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

function formatOperation(route: Route, format: Format, schemas: Schemas): Operation {
  const parts = commonParts(route, schemas);
  return {
    operationId: format.name,
    summary: format.summary,
    description: `The same as \`${route.name}\` in another format. ${accessOf(route)}`,
    ...parts,
    parameters: parts.parameters.filter(({ name }) => !format.without?.includes(name)),
    responses: {
      [route.success.status]: {
        description: format.description,
        headers: successHeaders(route),
        content: contentOf(format, schemas),
      },
      ...notModified(route),
      ...errorResponses(route, schemas),
    },
  };
}

const contentOf = ({ mediaType, example = '', schema }: Format, schemas: Schemas): Content => ({
  [mediaType]:
    schema === undefined ? textMedia(example) : media(jsonSchema(schema, 'output', schemas), schemas),
});

const textMedia = (example: string): Media => ({ schema: { type: 'string' }, example });

/** Bytes have no example: a document is text. */
const binary: Media = { schema: { type: 'string', format: 'binary' } };

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

const securityOf = ({ access }: Route): Operation['security'] => (access === 'token' ? [{ bearer: [] }] : []);

function descriptionOf(route: Route): string {
  const formats = (route.success.formats ?? []).map(
    ({ mediaType, ending }) =>
      `With \`Accept: ${mediaType}\`, the response is that of the path with \`${ending}\`.`,
  );
  const parts = [route.description, ...formats, accessOf(route)];
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
      'Sent to the webhook that `PUT /api/v1/notifications` or the operator set, unless its format is that of a chat service or a pager. A failed delivery is retried for up to 21 hours. A delivery can arrive more than once, with the same ID.',
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
  return Object.entries(properties).map(([name, property]) => {
    const { description, examples: _, ...schema } = property;
    const isRequired = required.includes(name);
    const example = exampleOf(property, schemas);
    return { name, in: where, ...(isRequired && { required: true }), schema, description, example };
  });
}

/** A schema with an example, as the content of a request or a response. */
function media(schema: Schema, schemas: Schemas): Media {
  return { schema, example: exampleOf(schema, schemas) };
}

function envelope({ envelope: kind, schema }: Route['success'], schemas: Schemas): Schema {
  const data = jsonSchema(schema, 'output', schemas);
  if (kind === 'bare') return data;
  return kind === 'page'
    ? {
        ...{ type: 'object', required: ['data', 'meta'] },
        properties: { data, meta: jsonSchema(listMeta, 'output', schemas) },
      }
    : { type: 'object', required: ['data'], properties: { data } };
}

/** The errors of a route, and those that all requests to it can have. */
const errorsOf = ({ errors, path, reserved }: Route): Iterable<ErrorCode> =>
  new Set<ErrorCode>([
    // A query parameter that is not known.
    ...(path.startsWith('/api/') ? (['invalid_request'] as const) : []),
    ...errors,
    ...(reserved === undefined ? [] : (['method_not_allowed'] as const)),
  ]);

function errorResponses(route: Route, schemas: Schemas): Record<string, ApiResponse> {
  const { rate } = route;
  const schema = jsonSchema(errorBody, 'output', schemas);
  const byStatus = Map.groupBy(errorsOf(route), (code) => errorTable[code].status);
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
  // What both requests and responses have, is as in responses.
  for (const [name, { id: _id, ...definition }] of Object.entries<Schema & { readonly id?: string }>($defs))
    if (io === 'output' || schemas[name] === undefined) schemas[name] = withoutUnions(definition, $defs);
  return withoutUnions(properties.schema, $defs);
}

/** What is of interest only in the code is left out; the same applies to patterns that a format says in one word. */
const withoutInternals =
  (io: 'input' | 'output'): NonNullable<z.core.ToJSONSchemaParams['override']> =>
  ({ zodSchema, jsonSchema: printed }) => {
    // Of what is transformed, zod prints no examples, because they could be examples of the result. Here, they fit both.
    const { examples } = z.globalRegistry.get(zodSchema) ?? {};
    if (Array.isArray(examples) && printed.$ref === undefined) printed.examples = examples;
    delete printed.readOnly;
    const { def } = zodSchema._zod;
    if ('discriminator' in def) printed.discriminator = { propertyName: def.discriminator };
    // Generators make types of constants, and few of them of one that is no text.
    if (typeof printed.const === 'boolean') delete printed.const;
    if (typeof printed.const === 'number') {
      Object.assign(printed, { type: 'integer', minimum: printed.const, maximum: printed.const });
      delete printed.const;
    }
    if (printed.format !== undefined) delete printed.pattern;
    if (printed.maximum === Number.MAX_SAFE_INTEGER) delete printed.maximum;
    if (printed.minimum === Number.MIN_SAFE_INTEGER) delete printed.minimum;
    if (io === 'input') {
      // Requests with other fields are rejected.
      if (printed.properties !== undefined) printed.additionalProperties ??= false;
      return;
    }
    delete printed.default;
    // A later release can add fields, which must not break clients.
    if (printed.additionalProperties === false) delete printed.additionalProperties;
  };
