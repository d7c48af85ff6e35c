/** Generates the OpenAPI 3.1 document from the table of routes and their schemas. */

import * as z from 'zod/mini';
import { alert, dnsChange, newReport, reportFailure, scoreChange, scoreThreshold } from '../alerts/alert.ts';
import { describedFinding } from '../protocol/findings/finding.ts';
import { expandedTerm, resolvedRecord } from '../protocol/spf/expansion.ts';
import { errorTable } from '../runtime/http/errors.ts';
import type { Route } from '../runtime/http/route.ts';
import { auditEntry } from './audit.ts';
import { score, shownResults } from './checks.ts';
import { paginationMeta } from './common.ts';
import { domainWithChecks, listedDomain, reporting } from './domains.ts';
import { completedTest, pendingTest } from './inbound-tester.ts';
import { webhookBody, webhookHeaders } from './notifications.ts';
import { headerParameters, notModified, rateHeaders, successHeaders } from './openapi-headers.ts';
import { reportMail } from './report-mails.ts';
import { dmarcReports, dmarcSummary, tlsReports } from './reports.ts';
import { spfCheckResult } from './spf-checker.ts';
import { createdToken, token } from './tokens.ts';

type Json = Readonly<Record<string, unknown>>;

/** The shared schemas of the document, by name. */
type Schemas = Record<string, Json>;

export interface ApiInfo {
  readonly hostUrl: string;
  readonly version: string;
}

const { mx, spf, dkim, dmarc, mtaSts, tlsRpt, bimi, dnssec } = shownResults.shape;

/** Schemas that the document defines once, by name; generated clients use the names for their types. */
const named: Readonly<Record<string, z.ZodMiniType>> = {
  Alert: alert,
  ScoreChangeAlert: scoreChange,
  ScoreThresholdAlert: scoreThreshold,
  DnsChangeAlert: dnsChange,
  NewReportAlert: newReport,
  ReportFailureAlert: reportFailure,
  AuditEntry: auditEntry,
  BimiResult: bimi,
  CheckResults: shownResults,
  CompletedTest: completedTest,
  CreatedToken: createdToken,
  DkimResult: dkim.def.innerType.def.element,
  DmarcReport: dmarcReports.shape.reports.def.element,
  DmarcResult: dmarc,
  DmarcSummary: dmarcSummary,
  DnssecResult: dnssec,
  Domain: listedDomain,
  DomainWithChecks: domainWithChecks,
  Finding: describedFinding,
  MtaStsResult: mtaSts,
  MxResult: mx,
  Pagination: paginationMeta,
  PendingTest: pendingTest,
  ReportMail: reportMail,
  Reporting: reporting,
  Score: score,
  SpfCheckResult: spfCheckResult,
  SpfRecord: resolvedRecord,
  SpfResult: spf,
  SpfTerm: expandedTerm,
  TlsReport: tlsReports.shape.reports.def.element,
  TlsRptResult: tlsRpt,
  Token: token,
};
for (const [id, schema] of Object.entries(named)) {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
}

/** Describes all routes except web pages. The document is valid according to the OpenAPI 3.1 schema. */
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
      description:
        'Checks, scores, and monitors the email security of domains: MX, SPF, DKIM, DMARC, MTA-STS, TLS-RPT, BIMI, DNSSEC, and DANE. Receives DMARC aggregate reports and TLS reports, and raises alerts.',
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
    parameters: [
      ...parameters(route, 'path', schemas),
      ...parameters(route, 'query', schemas),
      ...headerParameters(route),
    ],
    ...(route.request.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(route.request.body, 'input', schemas) } },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: successHeaders(route),
        content: {
          [success.contentType ?? 'application/json']: {
            schema: success.contentType === undefined ? envelope(success, schemas) : { type: 'string' },
          },
          ...Object.fromEntries(
            (success.alternatives ?? []).map((type) => [type, { schema: { type: 'string' } }]),
          ),
        },
      },
      ...notModified(route),
      ...errorResponses(route),
    },
  };
}

/** The request that the service sends to the webhook of an organization. */
function alertsWebhook(schemas: Schemas): Json {
  return {
    operationId: 'alertsWebhook',
    summary: "Delivers alerts at or above the organization's severity threshold",
    description:
      'Sent to the HTTPS URL that the operator configured for the organization. A failed delivery is retried for up to 21 hours. A delivery can arrive more than once, with the same ID.',
    security: [],
    parameters: parametersOf(webhookHeaders, 'header', schemas),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchema(webhookBody, 'output', schemas) } },
    },
    responses: {
      '2XX': { description: 'Accepted' },
      410: { description: 'Gone: the service disables the webhook' },
      default: { description: 'Not accepted: the service retries the delivery' },
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

function errorResponses({ errors, rate }: Pick<Route, 'errors' | 'rate'>): Json {
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
            },
          },
        }),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. Named schemas are added to `schemas` and referenced. */
function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output', schemas: Schemas): Json {
  // Wrapped in an object, so that the name of the schema itself is respected too.
  const printed = JSON.stringify(
    z.toJSONSchema(z.object({ schema }), { io, unrepresentable: 'any', override: withoutInternals(io) }),
  );
  const { properties, $defs = {} } = JSON.parse(printed.replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, { id: _id, ...definition }] of Object.entries<Json>($defs)) schemas[name] = definition;
  return properties.schema;
}

/** Readonly types and the defaults of results are of interest only in the code. */
const withoutInternals =
  (io: 'input' | 'output') =>
  ({ jsonSchema: printed }: { jsonSchema: { readOnly?: boolean; default?: unknown } }): void => {
    delete printed.readOnly;
    if (io === 'output') delete printed.default;
  };
