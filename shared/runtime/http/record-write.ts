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
  const at = clock.now().toISOString();
  const entries = subjects.map(({ id, name: subjectName = null }) => ({
    ...{ at, action: operationOf(route), token: token.id, subject: id, name: subjectName },
  }));
  await recordAudit(itemStore(), token.organization, entries, config().RETENTION_DAYS);
}

const operationOf = (route: Route): string =>
  route.access === 'session' ? (route.operation ?? route.name) : route.name;

function idIn(path: unknown): string | null {
  const { id } = (path ?? {}) as { readonly id?: string };
  return id ?? null;
}
