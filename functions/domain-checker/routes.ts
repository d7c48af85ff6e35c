/** Routes of the domain checker: API and pages. */
import * as z from 'zod/mini';
import { domainCheckForm } from '../../shared/api/domain-check-requests.ts';
import { domainCheckResult, domainCheckSharePath, shareQuery } from '../../shared/api/domain-checker.ts';
import { operation as checkAnyDomain } from '../../shared/operations/domain-checker/check-any-domain.ts';
import { named, offers, page, performs, publicTool, v1PostErrors } from '../route-kinds.ts';

const checked = {
  status: 200,
  description: 'The results, the score and the recommended changes',
  schema: domainCheckResult,
} as const;

/** What reads a saved result. It runs no checks, and many people in one office can open the same link. */
const share = {
  method: 'GET',
  access: 'public',
  rate: 'none',
  timeoutSeconds: 10,
  memoryMegabytes: 1024,
  request: { path: domainCheckSharePath },
  errors: ['not_found', 'internal'],
  uses: ['domain-checks:read'],
} as const;

export const routes = named({
  checkAnyDomain: {
    ...offers(checkAnyDomain),
    path: '/api/domain-checker',
    tokenPath: '/api/v1/domain-checker',
    handler: 'domain-checker/check',
    errorImpact: 'API clients without a token cannot check domains.',
    timeoutSeconds: 25,
    request: { body: checkAnyDomain.input },
    success: { ...checked, envelope: 'bare' },
  },
  checkAnyDomainWithToken: {
    ...performs('POST', '/api/v1/domain-checker', checkAnyDomain),
    handler: 'domain-checker/check-with-token',
    summary: 'Run all checks of any domain, and show the report mailbox to the owner of a verified domain',
    description:
      'The same as `POST /api/domain-checker`. If the organization registered the domain and verified it, results and recommended changes contain its report mailbox, but a saved result never does.',
    errorImpact: 'API clients cannot check domains that are not registered.',
    timeoutSeconds: 25,
    memoryMegabytes: publicTool.memoryMegabytes,
    success: { ...checked, envelope: 'data' },
    errors: ['payload_too_large', ...v1PostErrors],
    uses: ['organizations:read', 'domain-data:read', ...checkAnyDomain.uses],
  },
  showDomainCheck: {
    ...publicTool,
    method: 'GET',
    path: '/check',
    handler: 'domain-checker/page',
    summary: 'Run all checks of any domain, and show them on a page',
    errorImpact: 'Visitors cannot check domains.',
    timeoutSeconds: 25,
    request: { query: domainCheckForm },
    success: { ...page, status: 200, description: 'The results' },
    errors: ['invalid_request', 'forbidden', 'not_found', 'rate_limited', 'internal'],
    uses: checkAnyDomain.uses,
  },
  saveDomainCheck: {
    ...offers(checkAnyDomain),
    path: '/s/check',
    handler: 'domain-checker/save',
    summary: 'Save the check of a domain from the page',
    errorImpact: 'Visitors cannot save the checks of domains on the page.',
    timeoutSeconds: 25,
    request: { form: domainCheckForm },
    success: { ...page, status: 303, description: 'Redirect to the saved result' },
  },
  getDomainCheckShare: {
    ...share,
    // To sign evidence costs more than to show a page.
    rate: 'polls',
    errors: ['rate_limited', ...share.errors],
    path: '/s/check/{shareId}',
    handler: 'domain-checker/share-page',
    // Opening it prolongs its life.
    uses: ['domain-checks:renew', 'signing-keys:write', 'evidence:sign'],
    request: { path: domainCheckSharePath, query: shareQuery },
    summary: 'Show the saved check of a domain, or its evidence as a file',
    errorImpact: 'Visitors cannot open saved checks of domains.',
    success: { ...page, status: 200, description: 'The saved result' },
  },
  getDomainCheckCard: {
    ...share,
    path: '/s/check/{shareId}/card.png',
    handler: 'domain-checker/card',
    summary: 'Get the image for link previews of a saved check: the domain, its grade and its score',
    errorImpact: 'Link previews of saved checks have no image.',
    success: {
      status: 200,
      description: 'The image',
      envelope: 'bare',
      schema: z.string(),
      contentType: 'image/png',
      freshSeconds: 300,
    },
  },
});
