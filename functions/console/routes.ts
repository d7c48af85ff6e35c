/** Routes of the console, apart from the pages about one domain. */
import * as requests from '../../shared/api/console.ts';
import { operation as markAlertsRead } from '../../shared/operations/alerts/mark-alerts-read.ts';
import { operation as putOffAttention } from '../../shared/operations/attention/put-off.ts';
import { operation as checkDomains } from '../../shared/operations/checks/check-domains.ts';
import { operation as createDomain } from '../../shared/operations/domains/create-domain.ts';
import { operation as createDomains } from '../../shared/operations/domains/create-domains.ts';
import { operation as saveView } from '../../shared/operations/domains/save-view.ts';
import { operation as updateDomains } from '../../shared/operations/domains/update-domains.ts';
import { operation as verifyDomains } from '../../shared/operations/domains/verify-domains.ts';
import { operation as decideForDomains } from '../../shared/operations/enforcement/decide-for-domains.ts';
import { operation as redeliver } from '../../shared/operations/notifications/redeliver.ts';
import { operation as endSessions } from '../../shared/operations/sessions/end-sessions.ts';
import { operation as signIn } from '../../shared/operations/sessions/sign-in.ts';
import { consoleErrors, heavy, named, page, shows, submits } from '../route-kinds.ts';

/** Before signing in, the caller is known by its address only. */
const signingIn = { access: 'public', timeoutSeconds: 10, memoryMegabytes: 512 } as const;

/** The page with the forms for many domains. */
const DOMAINS = '/console/domains';

export const routes = named({
  showSignIn: {
    ...signingIn,
    method: 'GET',
    path: '/console/sign-in',
    handler: 'console/sign-in-page',
    rate: 'none',
    summary: 'Show the page to sign in to the console',
    errorImpact: 'Visitors cannot open the page to sign in to the console.',
    request: { query: requests.signInQuery },
    success: { ...page, status: 200, description: 'The page' },
    errors: ['invalid_request', 'internal'],
    uses: [],
  },
  signIn: {
    ...signingIn,
    method: 'POST',
    path: '/console/sign-in',
    handler: 'console/sign-in',
    rate: 'client',
    summary: signIn.summary,
    errorImpact: 'Visitors cannot sign in to the console.',
    request: { form: requests.signInForm },
    success: {
      ...page,
      status: 303,
      description: 'Redirect to the console, or back to the page to sign in',
    },
    errors: ['invalid_request', 'payload_too_large', 'rate_limited', 'internal'],
    uses: signIn.uses,
  },
  signOut: {
    ...submits(endSessions, '/console', 'the page to sign in'),
    path: '/console/sign-out',
    handler: 'console/sign-out',
    summary: 'Sign out of the console',
    errorImpact: 'Visitors cannot sign out of the console.',
    request: { form: requests.buttonForm },
  },
  showToday: {
    ...shows('/console', { query: requests.todayQuery }),
    handler: 'console/today',
    summary: 'Show what needs a person, and how the organization is, in the console',
    errorImpact: 'Visitors cannot see in the console what needs them.',
    uses: ['organizations:read', 'directory:read', 'attention:list', 'alerts:list'],
  },
  showDomains: {
    ...shows('/console/domains', { query: requests.domainListQuery }),
    handler: 'console/domains',
    summary: 'Show the domains of the organization in the console',
    errorImpact: 'Visitors cannot see their domains in the console.',
    uses: ['organizations:read', 'directory:read', 'alerts:list'],
  },
  putOffInConsole: {
    ...submits(putOffAttention, '/console', 'the domain, or to the page with the item'),
    path: '/console/attention/{id}',
    handler: 'console/put-off',
    summary: 'Put an attention item off from the console',
    errorImpact: 'Visitors cannot put off what needs attention in the console.',
    request: { path: putOffAttention.on, form: requests.putOffForm },
  },
  saveDomains: {
    ...shows('/console/domains.csv', { query: requests.domainFileQuery }),
    handler: 'console/save-domains',
    summary: 'Save the list of domains of the console as CSV',
    errorImpact: 'Visitors cannot save the list of their domains in the console.',
    timeoutSeconds: 25,
    success: { ...page, status: 200, description: 'The domains as CSV' },
    errors: [...consoleErrors, 'payload_too_large'],
    uses: ['organizations:read', 'directory:write'],
  },
  saveOwnershipRecords: {
    ...shows('/console/ownership', { query: requests.ownershipQuery }),
    handler: 'console/ownership',
    summary: 'Save the records that prove the ownership of domains, from the console',
    errorImpact: 'Visitors cannot save the ownership records of many domains in the console.',
    timeoutSeconds: 25,
    success: {
      ...page,
      status: 200,
      description: 'The records as a zone file or CSV',
      contentType: 'text/plain; charset=utf-8',
    },
    errors: [...consoleErrors, 'payload_too_large'],
    uses: ['organizations:read', 'directory:read'],
  },
  updateManyInConsole: {
    ...submits(updateDomains, DOMAINS, 'the list, or to the ownership records'),
    path: '/console/domains/update',
    handler: 'console/update-domains',
    summary: 'Change tags or usage of many domains from the console',
    errorImpact: 'Visitors cannot change many domains at once in the console.',
    timeoutSeconds: 25,
    request: { form: requests.updateDomainsForm },
  },
  verifyManyInConsole: {
    ...submits(verifyDomains, DOMAINS, 'the list'),
    path: '/console/domains/verify',
    handler: 'console/verify-domains',
    summary: 'Verify the ownership of many domains from the console',
    errorImpact: 'Visitors cannot verify many domains at once in the console.',
    timeoutSeconds: 25,
    request: { form: requests.manyDomainsForm },
  },
  checkManyInConsole: {
    ...submits(checkDomains, DOMAINS, 'the list'),
    path: '/console/domains/check',
    handler: 'console/check-domains',
    summary: 'Run the checks of many domains from the console',
    errorImpact: 'Visitors cannot check many domains at once in the console.',
    ...{ timeoutSeconds: 28, memoryMegabytes: 1024 },
    request: { form: requests.manyDomainsForm },
  },
  saveView: {
    ...submits(saveView, DOMAINS, 'the list'),
    path: '/console/views',
    handler: 'console/save-view',
    summary: 'Save a filter of the list of domains under a name, in the console',
    errorImpact: 'Visitors cannot save filters of the list of domains in the console.',
    request: { form: requests.saveViewForm },
  },
  showAddDomains: {
    ...shows('/console/add', {}),
    scope: 'write',
    handler: 'console/show-add-domains',
    summary: 'Show the forms that register domains in the console',
    errorImpact: 'Visitors cannot open the page to register domains in the console.',
    uses: [],
  },
  addDomain: {
    ...submits(createDomain, '/console/add', 'the domain'),
    summary: 'Register a domain from the console',
    path: '/console/add',
    handler: 'console/add-domain',
    errorImpact: 'Visitors cannot register domains in the console.',
    request: { form: requests.addDomainForm },
  },
  addDomains: {
    ...submits(createDomains, '/console/add', 'the page that says what became of each domain'),
    summary: 'Register many domains from the console',
    path: '/console/add/many',
    handler: 'console/add-domains',
    errorImpact: 'Visitors cannot register many domains at once in the console.',
    timeoutSeconds: 25,
    request: { form: requests.addDomainsForm },
  },
  searchConsole: {
    ...shows('/console/search', { query: requests.searchQuery }),
    handler: 'console/search',
    summary: 'Search for domains, senders and pages in the console',
    errorImpact: 'Visitors cannot search in the console.',
    ...heavy,
    uses: ['organizations:read', 'directory:write', 'report-sums:write'],
  },
  showSenders: {
    ...shows('/console/senders', { query: requests.organizationSendersQuery }),
    handler: 'console/senders',
    summary: 'Show who sends as the domains of the organization in the console',
    errorImpact: 'Visitors cannot see the senders of all domains in the console.',
    ...heavy,
    uses: ['organizations:read', 'report-sums:write'],
  },
  showOrganizationSender: {
    ...shows('/console/senders/{senderId}', { path: requests.organizationSenderPath }),
    handler: 'console/sender',
    summary: 'Show a sender of all domains of the organization in the console',
    errorImpact: 'Visitors cannot see in the console as which domains a sender sends.',
    ...heavy,
    uses: ['organizations:read', 'report-sums:read', 'domain-data:read'],
  },
  decideForDomains: {
    ...submits(decideForDomains, '/console/senders/{senderId}', 'the page'),
    path: '/console/senders/{senderId}',
    handler: 'console/decide-for-domains',
    summary: 'Decide about a sender for all domains, from the console',
    errorImpact: 'Visitors cannot decide about a sender for all domains in the console.',
    ...{ timeoutSeconds: 28, memoryMegabytes: 1024 },
    request: { path: requests.organizationSenderPath, form: requests.decideForDomainsForm },
    uses: [...decideForDomains.uses, 'report-sums:read'],
  },
  showReport: {
    ...shows('/console/report', {}),
    handler: 'console/report',
    summary: 'Show all domains in plain words for printing, in the console',
    errorImpact: 'Visitors cannot print a report about all domains from the console.',
    uses: ['organizations:read', 'directory:read', 'attention:list'],
  },
  showChanges: {
    ...shows('/console/changes', { query: requests.changesQuery }),
    handler: 'console/changes',
    summary: 'Show what changed about the domains of the organization in the console',
    errorImpact: 'Visitors cannot see the changes of all domains in the console.',
    uses: ['organizations:read', 'changes:list', 'alerts:list'],
  },
  showAlerts: {
    ...shows('/console/alerts', { query: requests.alertListQuery }),
    handler: 'console/alerts',
    summary: 'Show alerts in the console',
    errorImpact: 'Visitors cannot see alerts and deliveries in the console.',
    errors: [...consoleErrors, 'not_found'],
    uses: ['organizations:read', 'domain-data:read', 'alerts:list'],
  },
  markAlertsRead: {
    ...submits(markAlertsRead, '/console/alerts', 'the alerts'),
    path: '/console/alerts',
    handler: 'console/mark-alerts-read',
    summary: 'Mark all alerts as read in the console',
    errorImpact: 'Visitors cannot mark alerts as read in the console.',
    timeoutSeconds: 25,
    request: { form: requests.markAlertsForm },
  },
  showDeliveries: {
    ...shows('/console/deliveries', { query: requests.deliveryListQuery }),
    handler: 'console/deliveries',
    summary: 'Show what was sent about the organization in the console',
    errorImpact: 'Visitors cannot see in the console what was sent.',
    uses: ['deliveries:read', 'delivery-lists:read'],
  },
  redeliverInConsole: {
    ...submits(redeliver, '/console/deliveries', 'the deliveries'),
    path: '/console/deliveries',
    handler: 'console/redeliver',
    summary: 'Send the content of a delivery again, from the console',
    errorImpact: 'Visitors cannot repeat deliveries in the console.',
    request: { form: requests.redeliverForm },
  },
});
