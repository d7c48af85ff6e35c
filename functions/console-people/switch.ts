import { auditEntries } from '../../shared/operations/audit.ts';
import { operation, switchOrganization } from '../../shared/operations/people/switch-organization.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, itemStore, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { answer, reply } from '../../shared/runtime/http/reply.ts';
import { CONSOLE_PATH, sessionCookie } from '../../shared/runtime/http/session-cookie.ts';
import { recordAudit } from '../../shared/store/audit.ts';
import { memberStore } from '../../shared/store/members.ts';
import { personStore } from '../../shared/store/people.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.switchOrganization,
  () => ({
    members: memberStore(table()),
    people: personStore(table()),
    sessions: sessionStore(table()),
    clock,
  }),
  async ({ form, session, clientAddress, ...request }, deps) => {
    const outcome = await switchOrganization(asCaller(request), session, form, deps);
    const { text, member } = answer(outcome, undefined, 'form').data;
    // In the log of the organization that the person sees from now on.
    const subjects = [{ id: member.id, name: member.name }];
    const entries = auditEntries(operation, { token: member }, subjects, deps.clock.now(), clientAddress);
    await recordAudit(itemStore(), member.organization, entries, config().RETENTION_DAYS);
    return reply('', { location: CONSOLE_PATH, ...sessionCookie(text) });
  },
);
