/** Routes of check results, scores, and their history. */
import { checkRun, score } from '../../shared/api/checks.ts';
import { domainPath, paginationQuery } from '../../shared/api/common.ts';
import { atQuery } from '../../shared/api/evidence.ts';
import { preview } from '../../shared/api/fixes.ts';
import { operation as previewChecks } from '../../shared/operations/checks/preview-checks.ts';
import { operation as runChecks } from '../../shared/operations/checks/run-checks.ts';
import { list } from '../../shared/protocol/schema.ts';
import { checksEntry, scoreEntry } from '../../shared/store/check-runs/history.ts';
import { data, heavy, named, paged, performs, reads } from '../route-kinds.ts';

export const routes = named({
  runChecks: {
    ...performs('POST', '/api/v1/domains/{id}/checks', runChecks),
    handler: 'checks/run',
    errorImpact: 'API clients cannot run checks on request.',
    ...heavy,
    success: data('The results', checkRun),
  },
  previewChecks: {
    ...performs('POST', '/api/v1/domains/{id}/checks/preview', previewChecks),
    handler: 'checks/preview',
    errorImpact: 'API clients cannot preview changes of DNS records.',
    ...heavy,
    success: data('The results with the change', preview),
  },
  getScore: {
    ...reads('/api/v1/domains/{id}/score', { path: domainPath, query: atQuery }),
    handler: 'checks/score',
    summary: 'Get the security score of the latest check results, or of those at a time',
    description:
      'Before the first check run, `score` and `grade` are `null`, and `message` says how to get a score.',
    errorImpact: 'API clients cannot read scores.',
    success: data('The score', score),
    uses: ['organizations:read', 'domain-data:read'],
  },
  getScoreHistory: {
    ...reads('/api/v1/domains/{id}/score/history', { path: domainPath, query: paginationQuery }),
    handler: 'checks/score-history',
    summary: 'List score changes, newest first',
    errorImpact: 'API clients cannot read the score history.',
    success: paged('A page of score changes', list(scoreEntry)),
    uses: ['organizations:read', 'domain-data:read'],
  },
  getChecksHistory: {
    ...reads('/api/v1/domains/{id}/checks/history', { path: domainPath, query: paginationQuery }),
    handler: 'checks/history',
    summary: 'List changes of check results, newest first',
    description: 'Includes changes that lasted for only one check run.',
    errorImpact: 'API clients cannot read the check history.',
    success: paged('A page of changes', list(checksEntry)),
    uses: ['organizations:read', 'domain-data:read'],
  },
});
