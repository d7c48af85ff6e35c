import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { putOff, putOffDependencies, subjectOf } from '../attention/rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.putOffInConsole,
  putOffDependencies,
  async ({ organization, path, form }, deps) => {
    const { until = null, note } = form;
    const item = await putOff(organization, path.id, { until, note }, deps);
    // The overview of a domain also shows what is put off, and offers to take that back.
    const location = item.domainId === null ? '/console' : `${domainPath(item.domainId)}#attention`;
    return { ...reply('', { location }), subjects: [subjectOf(path.id, item)] };
  },
  consolePages,
);
