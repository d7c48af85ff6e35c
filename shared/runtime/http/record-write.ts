import { auditEntries } from '../../operations/audit.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Subject } from '../../operations/outcome.ts';
import type { TokenInfo } from '../../store/api-tokens.ts';
import { recordAudit } from '../../store/audit.ts';
import { config } from '../config/config.ts';
import { clock, itemStore } from '../dependencies/services.ts';
import type { EndpointEvent } from './endpoint-event.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';

/** Adds what a request changed to the audit log of the organization, under the name of its operation in v1. */
export async function recordWrite(
  route: Route,
  { token, requestContext }: EndpointEvent,
  { subjects = [] }: Reply,
): Promise<void> {
  if (token === undefined || subjects.length === 0) return;
  const name = route.access === 'session' ? (route.operation ?? route.name) : route.name;
  await recordChanges({ name }, token, subjects, clock.now(), requestContext.http.sourceIp);
}

/** Adds what an operation changed for a token to the audit log of its organization. */
export async function recordChanges(
  operation: Pick<Operation, 'name'>,
  token: TokenInfo,
  ...given: [subjects: readonly Subject[], now: Date, clientAddress: string]
): Promise<void> {
  const entries = auditEntries(operation, { token }, ...given);
  await recordAudit(itemStore(), token.organization, entries, config().RETENTION_DAYS);
}
