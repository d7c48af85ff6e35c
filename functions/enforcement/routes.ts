/** Routes of senders, simulations and enforcement. */
import * as z from 'zod/mini';
import { domainPath } from '../../shared/api/common.ts';
import { organizationSourcesQuery, reportersQuery, sendersQuery } from '../../shared/api/enforcement.ts';
import { organizationSource } from '../../shared/enforcement/organization-shapes.ts';
import { enforcement, reporter, sender, simulation } from '../../shared/enforcement/shapes.ts';
import { operation as simulateRecords } from '../../shared/operations/enforcement/simulate-records.ts';
import { operation as updateEnforcement } from '../../shared/operations/enforcement/update-enforcement.ts';
import { operation as updateSender } from '../../shared/operations/enforcement/update-sender.ts';
import { named, performs, v1Errors, v1Read } from '../route-kinds.ts';

/** A year of reports is calculated in memory. */
const calculation = { timeoutSeconds: 25, memoryMegabytes: 1024 } as const;

export const routes = named({
  listSenders: {
    ...v1Read,
    ...calculation,
    path: '/api/v1/domains/{id}/senders',
    handler: 'enforcement/senders',
    summary:
      'List who sends as the domain, with your decisions, most messages first; default: last 30 days, maximum: 366 days',
    errorImpact: 'API clients cannot list the senders of their domains.',
    request: { path: domainPath, query: sendersQuery },
    success: { status: 200, description: 'A page of senders', envelope: 'page', schema: z.array(sender) },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  listOrganizationSources: {
    ...v1Read,
    ...calculation,
    path: '/api/v1/reports/dmarc/sources',
    handler: 'enforcement/organization-sources',
    summary: 'List who sends as the domains of the organization, most messages first; the last 30 days',
    description:
      'Covers the 25 largest senders of each domain, and lists at most 500. As up to date as the summary of the organization.',
    errorImpact: 'API clients cannot read who sends as the domains of their organization.',
    request: { query: organizationSourcesQuery },
    success: {
      status: 200,
      description: 'A page of senders',
      envelope: 'page',
      schema: z.array(organizationSource),
    },
    errors: ['invalid_request', ...v1Errors],
    uses: ['organizations:read', 'report-sums:write'],
  },
  updateSender: {
    ...performs('PATCH', updateSender),
    ...calculation,
    path: '/api/v1/domains/{id}/senders/{senderId}',
    handler: 'enforcement/update-sender',
    errorImpact: 'API clients cannot decide about the senders of their domains.',
    request: { path: updateSender.on, body: updateSender.input },
    success: { status: 200, description: 'The sender', envelope: 'data', schema: sender },
  },
  simulateRecords: {
    ...performs('POST', simulateRecords),
    ...calculation,
    path: '/api/v1/domains/{id}/simulations',
    handler: 'enforcement/simulate',
    errorImpact: 'API clients cannot simulate records.',
    request: { path: domainPath, body: simulateRecords.input },
    success: { status: 200, description: 'What would change', envelope: 'data', schema: simulation },
  },
  getEnforcement: {
    ...v1Read,
    ...calculation,
    path: '/api/v1/domains/{id}/enforcement',
    handler: 'enforcement/get',
    summary: 'Get whether the domain is ready for the next step of DMARC enforcement, and what blocks it',
    errorImpact: 'API clients cannot see whether their domains are ready for enforcement.',
    request: { path: domainPath },
    success: { status: 200, description: 'The next step', envelope: 'data', schema: enforcement },
    errors: ['not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read', 'dns'],
  },
  updateEnforcement: {
    ...performs('PATCH', updateEnforcement),
    ...calculation,
    path: '/api/v1/domains/{id}/enforcement',
    handler: 'enforcement/attest',
    errorImpact: 'API clients cannot attest what reports do not show.',
    request: { path: domainPath, body: updateEnforcement.input },
    success: { status: 200, description: 'The next step', envelope: 'data', schema: enforcement },
  },
  listReporters: {
    ...v1Read,
    ...calculation,
    path: '/api/v1/domains/{id}/reporters',
    handler: 'enforcement/reporters',
    summary:
      'List who reports about the domain, most messages first; default: last 30 days, maximum: 366 days',
    errorImpact: 'API clients cannot list the reporters of their domains.',
    request: { path: domainPath, query: reportersQuery },
    success: { status: 200, description: 'A page of reporters', envelope: 'page', schema: z.array(reporter) },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
});
