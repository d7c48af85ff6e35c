/** Routes of domains and their verification. */
import * as z from 'zod/mini';
import { domainPath } from '../../shared/api/common.ts';
import {
  batchOutcome,
  createdDomain,
  deleted,
  domainsQuery,
  domainWithChecks,
  listedDomain,
  newDomains,
  updatedDomain,
  verificationAttempt,
  verificationStatus,
} from '../../shared/api/domains.ts';
import { atQuery } from '../../shared/api/evidence.ts';
import { summary } from '../../shared/api/summary.ts';
import { operation as createDomain } from '../../shared/operations/domains/create-domain.ts';
import { operation as createDomains } from '../../shared/operations/domains/create-domains.ts';
import { operation as deleteDomain } from '../../shared/operations/domains/delete-domain.ts';
import { operation as updateDomain } from '../../shared/operations/domains/update-domain.ts';
import { operation as verifyDomain } from '../../shared/operations/domains/verify-domain.ts';
import { created, data, heavy, named, paged, performs, reads } from '../route-kinds.ts';

/** Paths below that of the list that are not those of a domain. */
const reserved = { batch: ['POST'] };

export const routes = named({
  listDomains: {
    ...reads('/api/v1/domains', { query: domainsQuery }),
    handler: 'domains/list',
    summary: 'List domains; all, or those that match a filter',
    errorImpact: 'API clients cannot list their domains.',
    success: paged('A page of domains', z.array(listedDomain)),
    uses: ['organizations:read', 'directory:write'],
  },
  getSummary: {
    ...reads('/api/v1/summary', {}),
    handler: 'domains/summary',
    summary:
      'Count domains by grade, domains that are due, unread alerts, attention items, and messages of the last 30 days',
    errorImpact: 'API clients cannot read the summary of their organization.',
    ...heavy,
    success: data('The summary of the organization', summary),
    uses: [
      'organizations:read',
      'directory:write',
      'domain-data:read',
      'alerts:list',
      'attention:list',
      'due-domains:list',
      'report-sums:write',
    ],
  },
  createDomain: {
    ...performs('POST', '/api/v1/domains', createDomain),
    handler: 'domains/create',
    errorImpact: 'API clients cannot register domains.',
    success: created('The registered domain', createdDomain, '/api/v1/domains/{id}'),
  },
  createDomains: {
    ...performs('POST', '/api/v1/domains/batch', createDomains),
    handler: 'domains/create-batch',
    errorImpact: 'API clients cannot register many domains at once.',
    timeoutSeconds: 25,
    request: { body: createDomains.input, describedBody: newDomains },
    success: data('What became of each domain, in the order of the request', z.array(batchOutcome)),
  },
  getDomain: {
    ...reads('/api/v1/domains/{id}', { path: domainPath, query: atQuery }),
    reserved,
    handler: 'domains/get',
    summary: 'Get a domain with its latest check results, or with those at a time',
    errorImpact: 'API clients cannot read a domain and its results.',
    success: data('The domain', domainWithChecks),
    uses: ['organizations:read', 'domain-data:read'],
  },
  updateDomain: {
    ...performs('PATCH', '/api/v1/domains/{id}', updateDomain),
    reserved,
    handler: 'domains/update',
    errorImpact: 'API clients cannot change usage types, test mailboxes, DKIM selectors, tags, and badges.',
    success: data('The updated domain', updatedDomain),
  },
  deleteDomain: {
    ...performs('DELETE', '/api/v1/domains/{id}', deleteDomain),
    reserved,
    handler: 'domains/delete',
    errorImpact: 'API clients cannot delete domains.',
    success: data('The domain was deleted', deleted),
  },
  getVerification: {
    ...reads('/api/v1/domains/{id}/verify', { path: domainPath }),
    handler: 'domains/verification-status',
    summary: 'Get the verification status of a domain, and its verification record',
    errorImpact: 'API clients cannot see which verification record to publish.',
    success: data('Verification status', verificationStatus),
    uses: ['organizations:read'],
  },
  verifyDomain: {
    ...performs('POST', '/api/v1/domains/{id}/verify', verifyDomain),
    handler: 'domains/verify',
    errorImpact: 'API clients cannot verify domains, so new domains are not monitored.',
    success: data('Whether verification succeeded; if not, also the expected record', verificationAttempt),
  },
});
