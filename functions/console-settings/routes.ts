/** Routes of the settings page of the console. */
import {
  askQuery,
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
import { confirms, consoleErrors, named, page, shows, submits } from '../route-kinds.ts';

export const routes = named({
  showSettings: {
    ...shows('/console/settings', { query: settingsQuery }),
    handler: 'console-settings/show',
    summary: 'Show the settings of the organization in the console',
    errorImpact: 'Visitors cannot see settings in the console.',
    // Once, it has the secret that a form made.
    success: { ...page, status: 200, description: 'The page', isConfidential: true },
    uses: ['organizations:read', 'token-uses:read', 'audit:read', 'sessions:read', 'people:read'],
  },
  confirmInConsole: {
    ...shows('/console/confirm', {}),
    scope: 'write',
    handler: 'console-settings/confirm',
    summary: 'Ask the person of a session for a proof before a form is performed',
    errorImpact: 'Visitors who signed in a while ago cannot manage tokens and notifications in the console.',
    uses: [],
  },
  askInSettings: {
    ...shows('/console/settings/ask', { query: askQuery }),
    handler: 'console-settings/ask',
    summary: 'Ask before something in the settings that cannot be undone',
    errorImpact: 'Visitors cannot revoke tokens or sign out everywhere in the console.',
    errors: [...consoleErrors, 'not_found'],
    uses: ['organizations:read', 'token-uses:read'],
  },
  saveNotifications: {
    ...confirms(changeNotifications, '/console/settings', 'the settings'),
    path: '/console/settings/notifications',
    handler: 'console-settings/save-notifications',
    summary: 'Set where alerts are sent, in the console',
    errorImpact: 'Visitors cannot change notification settings in the console.',
    request: { form: notificationsForm },
  },
  sendTestNotification: {
    ...submits(testNotifications, '/console/settings', 'the settings'),
    path: '/console/settings/test',
    handler: 'console-settings/send-test',
    summary: 'Send a test notification from the console',
    errorImpact: 'Visitors cannot test notifications in the console.',
    request: { form: testForm },
  },
  createTokenInConsole: {
    ...confirms(createToken, '/console/settings', 'the settings'),
    path: '/console/settings/tokens',
    handler: 'console-settings/create-token',
    summary: 'Create an API token in the console',
    errorImpact: 'Visitors cannot create tokens in the console.',
    request: { form: createTokenForm },
  },
  revokeTokenInConsole: {
    ...confirms(deleteToken, '/console/settings', 'the settings'),
    path: '/console/settings/tokens/revoke',
    handler: 'console-settings/revoke-token',
    summary: 'Revoke an API token in the console',
    errorImpact: 'Visitors cannot revoke tokens in the console.',
    request: { form: revokeTokenForm },
  },
  endSessions: {
    ...submits(endSessions, '/console/settings', 'the settings, or to the page to sign in'),
    path: '/console/settings/sessions',
    handler: 'console-settings/end-sessions',
    summary: endSessions.summary,
    errorImpact: 'Visitors cannot end sessions of the console.',
    timeoutSeconds: 25,
    request: { form: endSessionsForm },
  },
});
