import { auditEntries } from '../../operations/audit.ts';
import { recordAudit } from '../../store/audit.ts';
import { config } from '../config/config.ts';
import { clock, itemStore } from '../dependencies/services.ts';
import type { EndpointEvent } from './endpoint-event.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';

/** Adds a successful write to the audit log of the organization, under the name of its operation in v1. */
export async function recordWrite(
  route: Route,
  { token, parsed }: EndpointEvent,
  { subjects = [{ id: idIn(parsed?.path) }] }: Reply,
): Promise<void> {
  if (token === undefined) return;
  const name = route.access === 'session' ? (route.operation ?? route.name) : route.name;
  const entries = auditEntries({ name }, { token }, subjects, clock.now());
  await recordAudit(itemStore(), token.organization, entries, config().RETENTION_DAYS);
}

function idIn(path: unknown): string | null {
  const { id } = (path ?? {}) as { readonly id?: string };
  return id ?? null;
}
