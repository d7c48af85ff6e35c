/** The OpenAPI 3.1 document, printed from the table of routes and the schemas in it. */
import * as z from 'zod/mini';
import { type ErrorCode, errorTable } from '../runtime/errors.ts';
import type { Route } from '../runtime/route.ts';
import { alert, dnsChange, newReport, reportFailure, scoreChange, scoreThreshold } from './alerts.ts';
import { checkResults, score } from './checks.ts';
import { paginationMeta } from './common.ts';
import { domainWithChecks, listedDomain, reporting } from './domains.ts';
import { finding } from './findings.ts';
import { completedTest, pendingTest } from './inbound-tester.ts';
import { webhookBody, webhookHeaders } from './notifications.ts';
import { dmarcReports, dmarcSummary, tlsReports } from './reports.ts';
import { spfRecord, spfTerm } from './spf.ts';
import { spfCheckResult } from './spf-checker.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the document keeps once, by name. */
type Schemas = Record<string, Json>;

export interface ApiInfo {
  readonly hostUrl: string;
  readonly version: string;
}

const { mx, spf, dkim, dmarc, mtaSts, tlsRpt, bimi, dnssec } = checkResults.shape;

/** What the document describes once, by the names that generated clients give their types. */
const named: Readonly<Record<string, z.ZodMiniType>> = {
  Alert: alert,
  ScoreChangeAlert: scoreChange,
  ScoreThresholdAlert: scoreThreshold,
  DnsChangeAlert: dnsChange,
  NewReportAlert: newReport,
  ReportFailureAlert: reportFailure,
  BimiResult: bimi,
  CheckResults: checkResults,
  CompletedTest: completedTest,
  DkimResult: dkim.def.element,
  DmarcReport: dmarcReports.shape.reports.def.element,
  DmarcResult: dmarc,
  DmarcSummary: dmarcSummary,
  DnssecResult: dnssec,
  Domain: listedDomain,
  DomainWithChecks: domainWithChecks,
  Finding: finding,
  MtaStsResult: mtaSts,
  MxResult: mx,
  Pagination: paginationMeta,
  PendingTest: pendingTest,
  Reporting: reporting,
  Score: score,
  SpfCheckResult: spfCheckResult,
  SpfRecord: spfRecord,
  SpfResult: spf,
  SpfTerm: spfTerm,
  TlsReport: tlsReports.shape.reports.def.element,
  TlsRptResult: tlsRpt,
};
for (const [id, schema] of Object.entries(named)) {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
}

/** Describes every route of the table but pages for people; validates against the OpenAPI 3.1 schema. */
export function openApiDocument(routes: readonly Route[], { hostUrl, version }: ApiInfo): Json {
  const schemas: Schemas = { Error: errorSchema };
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes.filter(({ success }) => success.envelope !== 'html')) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operation(route, schemas);
    paths[route.path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Email domain security monitor',
      description: 'Checks, scores and monitors the email security of domains.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      version,
    },
    servers: [{ url: hostUrl }],
    paths,
    webhooks: { alerts: { post: alertsWebhook(schemas) } },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas,
    },
  };
}

const errorSchema: Json = {
  type: 'object',
  required: ['error', 'message', 'requestId'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(errorTable) },
        message: { type: 'string' },
        details: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: { path: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
    message: { type: 'string' },
    requestId: { type: 'string' },
  },
};

function operation(route: Route, schemas: Schemas): Json {
  const { success } = route;
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [route.handler.split('/')[0]],
    security: route.access === 'token' ? [{ token: [] }] : [],
    parameters: [...parameters(route, 'path', schemas), ...parameters(route, 'query', schemas)],
    ...(route.request.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(route.request.body, 'input', schemas) } },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        content: {
          [success.contentType ?? 'application/json']: {
            schema: success.contentType === undefined ? envelope(success, schemas) : { type: 'string' },
          },
          ...Object.fromEntries(
            (success.alternatives ?? []).map((type) => [type, { schema: { type: 'string' } }]),
          ),
        },
      },
      ...(success.freshSeconds !== undefined && {
        304: { description: 'Nothing changed since the answer whose entity tag If-None-Match holds' },
      }),
      ...errorResponses(route.errors),
    },
  };
}

/** What the service asks of others: of the webhook that an organization has set up. */
function alertsWebhook(schemas: Schemas): Json {
  return {
    operationId: 'alertsWebhook',
    summary: 'Tells alerts of at least the severity that the organization chose',
    description:
      'Sent to the https URL that an operator set up, and tried again for most of a day until it is answered with success. A delivery may come twice; its id is the same then.',
    security: [],
    parameters: parametersOf(webhookHeaders, 'header', schemas),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchema(webhookBody, 'output', schemas) } },
    },
    responses: {
      '2XX': { description: 'It was taken' },
      410: { description: 'Nobody wants to be told here any more: the webhook is switched off' },
      default: { description: 'It was not taken, and is tried again' },
    },
  };
}

function parameters({ request }: Route, where: 'path' | 'query', schemas: Schemas): Json[] {
  const schema = request[where];
  return schema === undefined ? [] : parametersOf(schema, where, schemas);
}

function parametersOf(schema: z.ZodMiniType, where: 'path' | 'query' | 'header', schemas: Schemas): Json[] {
  const { required = [], properties = {} } = jsonSchema(schema, 'input', schemas) as {
    required?: string[];
    properties?: Record<string, Json>;
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: property,
    ...(description !== undefined && { description }),
  }));
}

function envelope({ envelope: kind, schema }: Route['success'], schemas: Schemas): Json {
  const data = jsonSchema(schema, 'output', schemas);
  if (kind === 'bare') return data;
  const meta = {
    type: 'object',
    required: ['pagination'],
    properties: { pagination: jsonSchema(paginationMeta, 'output', schemas) },
  };
  return kind === 'page'
    ? { type: 'object', required: ['data', 'meta'], properties: { data, meta } }
    : { type: 'object', required: ['data'], properties: { data } };
}

function errorResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codesOfStatus]) => [
      status,
      {
        description: codesOfStatus.map((code) => `\`${code}\`: ${errorTable[code].message}`).join(' '),
        ...(status === 429 && {
          headers: {
            'Retry-After': {
              description: 'Whole seconds until a request passes again',
              schema: { type: 'integer', minimum: 1 },
            },
          },
        }),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. What has a name goes into `schemas`, and is referred to. */
function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output', schemas: Schemas): Json {
  // Inside another one, so that a name of its own is heeded too.
  const printed = JSON.stringify(z.toJSONSchema(z.object({ schema }), { io, unrepresentable: 'any' }));
  const { properties, $defs = {} } = JSON.parse(printed.replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, { id: _id, ...definition }] of Object.entries<Json>($defs)) schemas[name] = definition;
  return properties.schema;
}
