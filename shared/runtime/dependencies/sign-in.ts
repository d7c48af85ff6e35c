/** What signing in through the identity provider needs. */
import { createDialer } from '../../network/dialer.ts';
import { createIdentityProvider } from '../../network/identity-provider.ts';
import type { IdentityProvider } from '../../network/identity-provider-port.ts';
import { createWeb } from '../../network/web.ts';
import type { SignInPersonDependencies } from '../../operations/people/sign-in-person.ts';
import { invitationStore } from '../../store/invitations.ts';
import { memberStore } from '../../store/members.ts';
import { personStore } from '../../store/people.ts';
import { sessionStore } from '../../store/sessions.ts';
import { config } from '../config/config.ts';
import { CONSOLE_PATH } from '../http/session-cookie.ts';
import { record } from '../logging/metric.ts';
import { readAuthorities } from './check-context.ts';
import { dns } from './dns.ts';
import { mailSender } from './mail-sender.ts';
import { clock, table } from './services.ts';

/** Where the identity provider sends browsers to; registered there. */
export const RETURN_PATH = `${CONSOLE_PATH}/sign-in/return`;
export const SIGNED_OUT_PATH = `${CONSOLE_PATH}/sign-in`;

/**
 * The identity provider of the service; undefined if the operator has set none. The operator chose it, so it can be in the
 * network of the service, unlike hosts that users name.
 */
export function identityProvider(): IdentityProvider | undefined {
  const settings = config();
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, HOST_URL, DIAL_MAP } = settings;
  if (OIDC_ISSUER === '') return undefined;
  const dialer = createDialer({ dns: dns(), privateAddresses: 'allow', dialMap: DIAL_MAP });
  const web = createWeb({ dialer, extraCa: readAuthorities('EXTRA_CA_FILE', settings) });
  const returning = {
    returnUrl: `${HOST_URL}${RETURN_PATH}`,
    signedOutUrl: `${HOST_URL}${SIGNED_OUT_PATH}`,
  };
  const client = { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET };
  return createIdentityProvider({ ...client, ...returning }, web, clock);
}

export function signInPersonDependencies(): Omit<SignInPersonDependencies, 'provider'> {
  const { ALERT_SENDER, HOST_URL } = config();
  return {
    members: memberStore(table()),
    invitations: invitationStore(table()),
    people: personStore(table()),
    sessions: sessionStore(table()),
    report: ({ code, detail }, clientAddress) =>
      record('sign-in failed', { problem: code, detail, clientAddress }),
    sendMail: ALERT_SENDER === '' ? undefined : mailSender(ALERT_SENDER),
    hostUrl: HOST_URL,
    clock,
  };
}
