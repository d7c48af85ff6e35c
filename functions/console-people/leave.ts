import { leaveOrganization } from '../../shared/operations/people/leave.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { endedCookie, signedOutPath } from '../../shared/runtime/http/session-cookie.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(routes.leaveInConsole, memberDependencies, async (request, deps) => {
  const left = redirect(await leaveOrganization(asCaller(request), deps), () => signedOutPath);
  return { ...left, headers: { ...left.headers, ...endedCookie } };
});
