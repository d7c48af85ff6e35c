/** Routes of the pages about one domain in the console. */
import { domainPath } from '../../shared/api/common.ts';
import { buttonForm } from '../../shared/api/console.ts';
import {
  askAboutDomainQuery,
  domainSettingsForm,
  domainViewPath,
  domainViewQuery,
  previewQuery,
  senderForm,
  senderViewQuery,
  standingQuery,
} from '../../shared/api/console-domain.ts';
import { senderPath } from '../../shared/api/enforcement.ts';
import { operation as previewChecks } from '../../shared/operations/checks/preview-checks.ts';
import { operation as runChecks } from '../../shared/operations/checks/run-checks.ts';
import { operation as deleteDomain } from '../../shared/operations/domains/delete-domain.ts';
import { operation as updateDomain } from '../../shared/operations/domains/update-domain.ts';
import { operation as verifyDomain } from '../../shared/operations/domains/verify-domain.ts';
import { operation as updateSenders } from '../../shared/operations/enforcement/update-senders.ts';
import { operation as getEvidence } from '../../shared/operations/evidence/get-evidence.ts';
import { consoleErrors, heavy, named, page, shows, submits } from '../route-kinds.ts';

export const routes = named({
  showDomainOverview: {
    ...shows('/console/domains/{id}', { path: domainPath, query: standingQuery }),
    handler: 'console-domain/overview',
    summary: 'Show the checks of a domain in the console, those of a time, or its evidence as a file',
    errorImpact: 'Visitors cannot see the checks of a domain in the console.',
    uses: [...getEvidence.uses, 'dns'],
  },
  showDomainView: {
    ...shows('/console/domains/{id}/{view}', { path: domainViewPath, query: domainViewQuery }),
    ...heavy,
    handler: 'console-domain/view',
    summary:
      'Show the reports, the subdomains, the enforcement, the compliance or the history of a domain in the console',
    errorImpact: 'Visitors cannot see reports, enforcement and history of a domain in the console.',
    uses: ['organizations:read', 'domain-data:write', 'dns'],
  },
  showSender: {
    ...shows('/console/domains/{id}/senders/{senderId}', { path: senderPath, query: senderViewQuery }),
    ...heavy,
    handler: 'console-domain/sender',
    summary: 'Show a sender of a domain in the console',
    errorImpact: 'Visitors cannot see what is known about a sender in the console.',
    uses: ['organizations:read', 'domain-data:write', 'dns'],
  },
  getFirstSteps: {
    ...shows('/console/domains/{id}/steps', { path: domainPath }),
    handler: 'console-domain/steps',
    summary: 'Tell the page of a domain in the console which of its first steps DNS shows',
    errorImpact: 'The first steps in the console are not ticked until the page is loaded again.',
    success: {
      ...page,
      status: 200,
      description: 'A digit per step',
      contentType: 'text/plain; charset=utf-8',
    },
    uses: ['organizations:read', 'dns'],
  },
  decideOnSender: {
    ...submits(updateSenders, '/console/domains/{id}/dmarc', 'the page'),
    ...heavy,
    path: '/console/domains/{id}/dmarc',
    handler: 'console-domain/decide-on-sender',
    summary: 'Approve senders, or mark them, in the console',
    errorImpact: 'Visitors cannot decide about senders in the console.',
    request: { path: domainPath, form: senderForm },
  },
  checkDomainNow: {
    ...submits(runChecks, '/console/domains/{id}', 'the domain'),
    summary: 'Run all checks of a domain from the console',
    ...heavy,
    path: '/console/domains/{id}/checks',
    handler: 'console-domain/check',
    errorImpact: 'Visitors cannot check domains in the console.',
    request: { path: domainPath, form: buttonForm },
  },
  verifyInConsole: {
    ...submits(verifyDomain, '/console/domains/{id}', 'the domain'),
    summary: 'Verify domain ownership from the console',
    path: '/console/domains/{id}/verify',
    handler: 'console-domain/verify',
    errorImpact: 'Visitors cannot verify domains in the console.',
    timeoutSeconds: 25,
    request: { path: domainPath, form: buttonForm },
  },
  showDomainSettings: {
    ...shows('/console/domains/{id}/settings', { path: domainPath }),
    handler: 'console-domain/settings',
    summary: 'Show the settings of a domain in the console',
    errorImpact: 'Visitors cannot see or change the settings of a domain in the console.',
    uses: ['organizations:read'],
  },
  saveDomainSettings: {
    ...submits(updateDomain, '/console/domains/{id}/settings', 'the page'),
    summary: 'Change the settings of a domain from the console',
    path: '/console/domains/{id}/settings',
    handler: 'console-domain/save-settings',
    errorImpact: 'Visitors cannot change the settings of a domain in the console.',
    request: { path: domainPath, form: domainSettingsForm },
  },
  askAboutDomain: {
    ...shows('/console/domains/{id}/ask', { path: domainPath, query: askAboutDomainQuery }),
    scope: 'write',
    handler: 'console-domain/ask',
    summary: 'Ask before something about a domain that cannot be undone',
    errorImpact: 'Visitors cannot delete domains or turn off badges in the console.',
    uses: ['organizations:read'],
  },
  deleteDomainInConsole: {
    ...submits(deleteDomain, '/console/domains/{id}/settings', 'the domains'),
    summary: 'Delete a domain from the console',
    path: '/console/domains/{id}/delete',
    handler: 'console-domain/delete',
    errorImpact: 'Visitors cannot delete domains in the console.',
    request: { path: domainPath, form: buttonForm },
  },
  previewFix: {
    // It changes nothing: its page can be loaded again.
    ...shows('/console/domains/{id}/preview', { path: domainPath, query: previewQuery }),
    ...heavy,
    scope: previewChecks.scope,
    handler: 'console-domain/preview',
    summary: 'Show what a recommended change of a domain would do, in the console',
    errorImpact: 'Visitors cannot preview recommended changes in the console.',
    errors: [...consoleErrors, ...previewChecks.refusals],
    uses: previewChecks.uses,
  },
});
