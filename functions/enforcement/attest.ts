import { updateEnforcement } from '../../shared/operations/enforcement/update-enforcement.ts';
import { assessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.updateEnforcement,
  () => ({ ...assessDependencies(), rollUps: queue('summaries') }),
  async ({ path, body, ...request }, deps) =>
    answer(await updateEnforcement(asCaller(request), { ...path, ...body }, deps)),
);
