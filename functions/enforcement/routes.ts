/** Routes of senders, simulations and enforcement. */
import * as z from 'zod/mini';
import { domainPath } from '../../shared/api/common.ts';
import { organizationSourcesQuery, reportersQuery, sendersQuery } from '../../shared/api/enforcement.ts';
import { organizationSource } from '../../shared/enforcement/organization-shapes.ts';
import { enforcement, reporter, sender, simulation } from '../../shared/enforcement/shapes.ts';
import { operation as simulateRecords } from '../../shared/operations/enforcement/simulate-records.ts';
import { operation as updateEnforcement } from '../../shared/operations/enforcement/update-enforcement.ts';
import { operation as updateSender } from '../../shared/operations/enforcement/update-sender.ts';
import { data, heavy, named, paged, performs, reads } from '../route-kinds.ts';

export const routes = named({
  listSenders: {
    ...reads('/api/v1/domains/{id}/senders', { path: domainPath, query: sendersQuery }),
    ...heavy,
    handler: 'enforcement/senders',
    summary:
      'List who sends as the domain, with your decisions, most messages first; default: last 30 days, maximum: 366 days',
    errorImpact: 'API clients cannot list the senders of their domains.',
    success: paged('A page of senders', z.array(sender)),
    uses: ['organizations:read', 'domain-data:read'],
  },
  listOrganizationSources: {
    ...reads('/api/v1/reports/dmarc/sources', { query: organizationSourcesQuery }),
    ...heavy,
    handler: 'enforcement/organization-sources',
    summary: 'List who sends as the domains of the organization, most messages first; the last 30 days',
    description:
      'Covers the 25 largest senders of each domain, and lists at most 500. As up to date as the summary of the organization.',
    errorImpact: 'API clients cannot read who sends as the domains of their organization.',
    success: paged('A page of senders', z.array(organizationSource)),
    uses: ['organizations:read', 'report-sums:write'],
  },
  updateSender: {
    ...performs('PATCH', '/api/v1/domains/{id}/senders/{senderId}', updateSender),
    ...heavy,
    handler: 'enforcement/update-sender',
    errorImpact: 'API clients cannot decide about the senders of their domains.',
    success: data('The sender', sender),
  },
  simulateRecords: {
    ...performs('POST', '/api/v1/domains/{id}/simulations', simulateRecords),
    ...heavy,
    handler: 'enforcement/simulate',
    errorImpact: 'API clients cannot simulate records.',
    success: data('What would change', simulation),
  },
  getEnforcement: {
    ...reads('/api/v1/domains/{id}/enforcement', { path: domainPath }),
    ...heavy,
    handler: 'enforcement/get',
    summary: 'Get whether the domain is ready for the next step of DMARC enforcement, and what blocks it',
    errorImpact: 'API clients cannot see whether their domains are ready for enforcement.',
    success: data('The next step', enforcement),
    uses: ['organizations:read', 'domain-data:read', 'dns'],
  },
  updateEnforcement: {
    ...performs('PATCH', '/api/v1/domains/{id}/enforcement', updateEnforcement),
    ...heavy,
    handler: 'enforcement/attest',
    errorImpact: 'API clients cannot attest what reports do not show.',
    success: data('The next step', enforcement),
  },
  listReporters: {
    ...reads('/api/v1/domains/{id}/reporters', { path: domainPath, query: reportersQuery }),
    ...heavy,
    handler: 'enforcement/reporters',
    summary:
      'List who reports about the domain, most messages first; default: last 30 days, maximum: 366 days',
    errorImpact: 'API clients cannot list the reporters of their domains.',
    success: paged('A page of reporters', z.array(reporter)),
    uses: ['organizations:read', 'domain-data:read'],
  },
});
