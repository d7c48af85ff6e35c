/** Routes of the SPF checker: API and pages. */
import { saveSpfForm, spfCheckQuery } from '../../shared/api/spf-check-requests.ts';
import { spfCheckResult, spfSharePath } from '../../shared/api/spf-checker.ts';
import { operation as checkSpf } from '../../shared/operations/spf-checker/check-spf.ts';
import { EXPANSION_SECONDS, named, offers, page, publicTool } from '../route-kinds.ts';

export const routes = named({
  checkSpf: {
    ...offers(checkSpf),
    path: '/api/spf-checker',
    handler: 'spf-checker/check',
    errorImpact: 'API clients cannot check or save SPF records.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { body: checkSpf.input },
    success: { status: 200, description: 'The expanded record', envelope: 'bare', schema: spfCheckResult },
  },
  showSpfChecker: {
    ...publicTool,
    method: 'GET',
    path: '/spf',
    handler: 'spf-checker/page',
    rate: 'queries',
    summary: 'Show the page of the SPF checker',
    errorImpact: 'Visitors cannot check SPF records.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { query: spfCheckQuery },
    success: { ...page, status: 200, description: 'The form, or the result of an SPF check' },
    errors: ['invalid_request', 'forbidden', 'rate_limited', 'internal'],
    uses: ['dns'],
  },
  saveSpfCheck: {
    ...offers(checkSpf),
    path: '/s/spf',
    handler: 'spf-checker/save',
    summary: 'Check and save an SPF record from the page',
    errorImpact: 'Visitors cannot save SPF results on the page.',
    timeoutSeconds: EXPANSION_SECONDS,
    request: { form: saveSpfForm },
    success: { ...page, status: 303, description: 'Redirect to the saved result' },
  },
  getSpfShare: {
    method: 'GET',
    path: '/s/spf/{shareId}',
    handler: 'spf-checker/share-page',
    access: 'public',
    // The page costs one read and rarely a write, less than a rate limit would, and many people in one office can open the same link.
    rate: 'none',
    summary: 'Show a saved SPF result',
    errorImpact: 'Visitors cannot open saved SPF results.',
    timeoutSeconds: 10,
    memoryMegabytes: 512,
    request: { path: spfSharePath },
    success: { ...page, status: 200, description: 'The saved result' },
    errors: ['not_found', 'internal'],
    // Opening it prolongs its life.
    uses: ['spf-shares:renew'],
  },
});
