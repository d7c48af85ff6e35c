import { todayPage } from '../../shared/pages/console/today.ts';
import { todayDependencies } from '../../shared/runtime/dependencies/today.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { todayOf } from '../../shared/views/today.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showToday,
  todayDependencies,
  async ({ organization, canWrite, formToken, flash, query }, deps) => {
    const view = await todayOf(organization, query, deps);
    return reply(todayPage({ ...view, canWrite, formToken, flash }));
  },
);
