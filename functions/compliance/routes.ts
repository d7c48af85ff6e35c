/** Routes of compliance profiles. */
import { domainPath } from '../../shared/api/common.ts';
import {
  compliance,
  complianceQuery,
  complianceSettings,
  organizationCompliance,
  organizationComplianceQuery,
} from '../../shared/api/compliance.ts';
import { operation as changeCompliance } from '../../shared/operations/compliance/change-compliance.ts';
import { csv } from '../../shared/runtime/http/route.ts';
import { data, heavy, named, paged, performs, reads } from '../route-kinds.ts';

export const routes = named({
  getCompliance: {
    ...reads('/api/v1/domains/{id}/compliance', { path: domainPath, query: complianceQuery }),
    handler: 'compliance/get',
    summary: 'Get which requirements of a compliance profile a domain fulfills',
    description:
      'Evaluated from the results of the latest check run. A requirement that no check can decide is `not-testable`, and never fulfilled.',
    errorImpact: 'API clients cannot read whether a domain fulfills a compliance profile.',
    success: {
      ...data('The requirements with their statuses', compliance),
      formats: [
        csv({
          name: 'getComplianceCsv',
          summary: 'Get which requirements of a compliance profile a domain fulfills as CSV',
          example: 'domain,checkedAt,profile,version,requirement,section',
        }),
      ],
    },
    uses: ['organizations:read', 'domain-data:read'],
  },
  listCompliance: {
    ...reads('/api/v1/compliance', { query: organizationComplianceQuery }),
    ...heavy,
    handler: 'compliance/list',
    summary: 'List domains with their status for a compliance profile',
    description:
      'Counts and the filter `status` use what the latest check run of each domain stored; the domains of the page are evaluated now.',
    errorImpact: 'API clients cannot read which domains fulfill a compliance profile.',
    success: {
      ...paged('A page of domains, and how many domains have each status', organizationCompliance),
      formats: [
        csv({
          name: 'listComplianceCsv',
          summary: 'List domains with their status for a compliance profile as CSV, a page at a time',
          example: 'domain,domainId,profile,checkedAt,status',
        }),
      ],
    },
    uses: ['organizations:read', 'directory:read', 'domain-data:read'],
  },
  getComplianceSettings: {
    ...reads('/api/v1/compliance/settings', {}),
    handler: 'compliance/get-settings',
    summary: 'Get the compliance profiles, which of them the organization follows, and its own ones',
    errorImpact: 'API clients cannot read which compliance profiles there are.',
    success: data('The settings', complianceSettings),
    uses: ['organizations:read'],
  },
  changeCompliance: {
    ...performs('PUT', '/api/v1/compliance/settings', changeCompliance),
    handler: 'compliance/change-settings',
    errorImpact: 'API clients cannot choose which compliance profiles to follow.',
    success: data('The settings', complianceSettings),
  },
});
