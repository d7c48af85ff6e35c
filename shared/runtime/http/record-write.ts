import { recordAudit } from '../../store/audit.ts';
import { config } from '../config/config.ts';
import { clock, itemStore } from '../dependencies/services.ts';
import type { EndpointEvent } from './endpoint-event.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';

/** Adds a successful write of v1 to the audit log of the organization. */
export async function recordWrite(
  { name }: Route,
  { token, parsed }: EndpointEvent,
  { subjects = [{ id: idIn(parsed?.path) }] }: Reply,
): Promise<void> {
  if (token === undefined) return;
  const at = clock.now().toISOString();
  const entries = subjects.map(({ id, name: subjectName = null }) => ({
    ...{ at, action: name, token: token.id, subject: id, name: subjectName },
  }));
  await recordAudit(itemStore(), token.organization, entries, config().RETENTION_DAYS);
}

function idIn(path: unknown): string | null {
  const { id } = (path ?? {}) as { readonly id?: string };
  return id ?? null;
}
