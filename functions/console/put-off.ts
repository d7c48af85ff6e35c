import { putOff } from '../../shared/operations/attention/put-off.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { TODAY_PATH } from '../../shared/pages/console/today.ts';
import { dayInWords } from '../../shared/protocol/time.ts';
import { putOffDependencies } from '../../shared/runtime/dependencies/attention.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.putOffInConsole,
  putOffDependencies,
  async ({ caller, path, form: { until = null, note, from } }, deps) =>
    redirect(
      await putOff(caller, { ...path, until, note }, deps),
      ({ domainId }) =>
        // The overview of a domain also shows what is put off, and offers to take that back.
        from === 'today' || domainId === null ? TODAY_PATH : `${domainPath(domainId)}#attention`,
      () => ({ says: until === null ? 'It is shown again.' : `Put off until ${dayInWords(until)}.` }),
    ),
);
