/** The route of recommended changes. */
import { fixes, fixesQuery, route53ChangeBatch } from '../../shared/api/fixes.ts';
import type { FixFormat } from '../../shared/fixes/formats.ts';
import { operation as getFixes } from '../../shared/operations/fixes/plan-fixes.ts';
import type { Format } from '../../shared/runtime/http/route.ts';
import { data, named, performs, v1Errors } from '../route-kinds.ts';

/** The safe changes as files for DNS tools. */
export const fixFormats = {
  zone: {
    ending: '.zone',
    without: ['format'],
    mediaType: 'text/dns',
    name: 'getFixesAsZone',
    summary: 'Get the safe changes as a fragment of a zone file',
    description: 'A fragment of a zone file (RFC 1035 section 5)',
    example: '_smtp._tls.example.com. 3600 IN TXT "v=TLSRPTv1; rua=mailto:reports@example.com"\n',
  },
  route53: {
    ending: '/route53',
    without: ['format'],
    mediaType: 'application/vnd.route53.change-batch+json',
    name: 'getFixesForRoute53',
    summary: 'Get the safe changes as a change batch for Route 53',
    description: 'The change batch of `ChangeResourceRecordSets`',
    schema: route53ChangeBatch,
  },
  terraform: {
    ending: '.tf',
    without: ['format'],
    mediaType: 'text/x-terraform',
    name: 'getFixesAsTerraform',
    summary: 'Get the safe changes for Terraform',
    description: 'Resources of the type `aws_route53_record`',
    example: 'variable "zone_id" {\n  type = string\n}\n',
  },
} as const satisfies Record<FixFormat, Format>;

export const routes = named({
  getFixes: {
    ...performs('GET', '/api/v1/domains/{id}/fixes', getFixes),
    handler: 'fixes/get',
    errorImpact: 'API clients cannot read recommended changes.',
    request: { path: getFixes.on, query: fixesQuery },
    success: {
      ...data('The recommended changes; empty before the first check run', fixes),
      formats: Object.values(fixFormats),
    },
    errors: ['invalid_request', 'not_found', ...v1Errors],
  },
});
