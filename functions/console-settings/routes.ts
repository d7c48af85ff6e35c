/** Routes of the settings page of the console. */
import {
  createTokenForm,
  endSessionsForm,
  notificationsForm,
  revokeTokenForm,
  settingsQuery,
  testForm,
} from '../../shared/api/console-settings.ts';
import { operation as changeNotifications } from '../../shared/operations/notifications/change-notifications.ts';
import { operation as testNotifications } from '../../shared/operations/notifications/test-notifications.ts';
import { operation as endSessions } from '../../shared/operations/sessions/end-sessions.ts';
import { operation as createToken } from '../../shared/operations/tokens/create-token.ts';
import { operation as deleteToken } from '../../shared/operations/tokens/delete-token.ts';
import { consoleErrors, consolePage, named, page, submits } from '../route-kinds.ts';

/** What the page reads, beside the organization. */
const shown = ['token-uses:read', 'audit:read', 'sessions:read'] as const;
/** The same for a form that can ask for a proof, which can be a one-time link. */
const shownAfterProof = ['token-uses:read', 'audit:read', 'sessions:write'] as const;

export const routes = named({
  showSettings: {
    ...consolePage,
    scope: 'read',
    method: 'GET',
    path: '/console/settings',
    handler: 'console-settings/show',
    summary: 'Show the settings of the organization in the console',
    errorImpact: 'Visitors cannot see settings in the console.',
    request: { query: settingsQuery },
    success: { ...page, status: 200, description: 'The page' },
    errors: consoleErrors,
    uses: ['organizations:read', ...shown],
  },
  saveNotifications: {
    ...submits(changeNotifications),
    path: '/console/settings/notifications',
    handler: 'console-settings/save-notifications',
    summary: 'Set where alerts are sent, in the console',
    errorImpact: 'Visitors cannot change notification settings in the console.',
    request: { form: notificationsForm },
    success: {
      ...page,
      status: 200,
      description: 'The page, with the secret of a new webhook',
      isConfidential: true,
    },
    uses: [...changeNotifications.uses, ...shownAfterProof],
  },
  sendTestNotification: {
    ...submits(testNotifications),
    path: '/console/settings/test',
    handler: 'console-settings/send-test',
    summary: 'Send a test notification from the console',
    errorImpact: 'Visitors cannot test notifications in the console.',
    request: { form: testForm },
    success: { ...page, status: 200, description: 'The page' },
    uses: [...testNotifications.uses, ...shown],
  },
  createTokenInConsole: {
    ...submits(createToken),
    path: '/console/settings/tokens',
    handler: 'console-settings/create-token',
    summary: 'Create an API token in the console',
    errorImpact: 'Visitors cannot create tokens in the console.',
    request: { form: createTokenForm },
    success: { ...page, status: 200, description: 'The page, with the new token', isConfidential: true },
    uses: [...createToken.uses, ...shownAfterProof],
  },
  revokeTokenInConsole: {
    ...submits(deleteToken),
    path: '/console/settings/tokens/revoke',
    handler: 'console-settings/revoke-token',
    summary: 'Revoke an API token in the console',
    errorImpact: 'Visitors cannot revoke tokens in the console.',
    request: { form: revokeTokenForm },
    success: { ...page, status: 200, description: 'The page' },
    uses: [...deleteToken.uses, 'audit:read', 'sessions:write'],
  },
  endSessions: {
    ...submits(endSessions),
    name: endSessions.name,
    path: '/console/settings/sessions',
    handler: 'console-settings/end-sessions',
    summary: endSessions.summary,
    errorImpact: 'Visitors cannot end sessions of the console.',
    timeoutSeconds: 25,
    request: { form: endSessionsForm },
    success: { ...page, status: 303, description: 'Redirect to the settings, or to the page to sign in' },
  },
});
