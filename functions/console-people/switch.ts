import { operation, switchOrganization } from '../../shared/operations/people/switch-organization.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { recordChanges } from '../../shared/runtime/http/record-write.ts';
import { answer, reply } from '../../shared/runtime/http/reply.ts';
import { CONSOLE_PATH, sessionCookie } from '../../shared/runtime/http/session-cookie.ts';
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
  async ({ caller, form, session, clientAddress }, deps) => {
    const outcome = await switchOrganization(caller, session, form, deps);
    const { text, member } = answer(outcome, undefined, 'form').data;
    // In the log of the organization that the person sees from now on.
    const subjects = [{ id: member.id, name: member.name }];
    await recordChanges(operation, member, subjects, deps.clock.now(), clientAddress);
    return reply('', { location: CONSOLE_PATH, ...sessionCookie(text) });
  },
);
