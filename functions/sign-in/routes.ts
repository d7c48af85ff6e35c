/** Routes of signing in through the identity provider. */
import { invitationQuery, providerSignInQuery } from '../../shared/api/console.ts';
import { operation as signInPerson } from '../../shared/operations/people/sign-in-person.ts';
import { named, page } from '../route-kinds.ts';

/** The caller is known by its address only. None is a tool: each does a little. The provider has 15 seconds for three answers. */
const signingIn = {
  access: 'public',
  method: 'GET',
  rate: 'polls',
  timeoutSeconds: 20,
  memoryMegabytes: 512,
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'internal'],
} as const;

export const routes = named({
  showInvitation: {
    ...signingIn,
    path: '/console/invitation',
    handler: 'sign-in/invitation',
    summary: 'Show an invitation to an organization, and how to accept it',
    errorImpact: 'Invited people cannot open the link of their invitation.',
    request: { query: invitationQuery },
    success: { ...page, status: 200, description: 'The page' },
    uses: ['invitations:read', 'organizations:read'],
  },
  startProviderSignIn: {
    ...signingIn,
    path: '/console/sign-in/provider',
    handler: 'sign-in/start',
    summary: 'Lead to the identity provider, to sign in there',
    errorImpact: 'People cannot sign in through the identity provider.',
    request: { query: providerSignInQuery },
    success: { ...page, status: 200, description: 'Redirect to the identity provider' },
    uses: ['identity-provider', 'dns'],
  },
  finishProviderSignIn: {
    ...signingIn,
    path: '/console/sign-in/return',
    handler: 'sign-in/finish',
    summary: signInPerson.summary,
    errorImpact: 'People cannot sign in through the identity provider.',
    request: {},
    success: { ...page, status: 200, description: 'A page that leads to the console' },
    uses: [...signInPerson.uses, 'audit:write'],
  },
  leaveProvider: {
    ...signingIn,
    path: '/console/sign-in/provider-sign-out',
    handler: 'sign-in/leave',
    summary: 'Lead to the page of the identity provider that signs out there',
    errorImpact: 'People cannot sign out of the identity provider from here.',
    request: {},
    success: { ...page, status: 200, description: 'Redirect to the identity provider' },
    uses: ['identity-provider', 'dns'],
  },
});
