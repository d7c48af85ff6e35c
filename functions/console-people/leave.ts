import { leaveOrganization } from '../../shared/operations/people/leave.ts';
import { memberDependencies } from '../../shared/runtime/dependencies/people.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { signedOut, signedOutPath } from '../../shared/runtime/http/session-cookie.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(routes.leaveInConsole, memberDependencies, async ({ caller }, deps) =>
  signedOut(redirect(await leaveOrganization(caller, deps), () => signedOutPath)),
);
