import { roleOf } from '../../../protocol/scope.ts';
import { dayAt } from '../../../protocol/time.ts';
import {
  covers,
  isAdmitted,
  isMember,
  recordTokenUse,
  type Scope,
  type TokenInfo,
} from '../../../store/api-tokens.ts';
import { clock, itemStore } from '../../dependencies/services.ts';
import type { EndpointEvent } from '../endpoint-event.ts';
import { ServiceError } from '../errors.ts';

/**
 * Admits a request with this valid token, and sets its organization.
 * @throws ServiceError `forbidden` if the token cannot be used from the client's address or lacks the scope.
 */
export async function admit(event: EndpointEvent, token: TokenInfo, scope: Scope): Promise<void> {
  event.organization = token.organization;
  event.token = token;
  if (!isAdmitted(event.requestContext.http.sourceIp, token)) {
    throw new ServiceError('forbidden', 'The API token cannot be used from this client address.');
  }
  if (!covers(token.scope, scope)) {
    throw new ServiceError(
      'forbidden',
      isMember(token)
        ? `This needs the role ${roleOf(scope)}; yours is ${roleOf(token.scope)}.`
        : `This request needs an API token with the scope ${scope}; this one has ${token.scope}.`,
    );
  }
  await rememberUse(token, dayAt(clock.now()));
}

/** The day on which this process last recorded the use of each token, so that it writes once a day. */
const recorded = new Map<string, string>();

/** Above this number of tokens, the process starts again to record them. */
const MAX_RECORDED = 10_000;

async function rememberUse(token: TokenInfo, day: string): Promise<void> {
  if (recorded.get(token.id) === day) return;
  await recordTokenUse(itemStore(), token, day);
  if (recorded.size >= MAX_RECORDED) recorded.clear();
  recorded.set(token.id, day);
}
