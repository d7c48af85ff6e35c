import { updateEnforcement } from '../../shared/operations/enforcement/update-enforcement.ts';
import { assessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.updateEnforcement,
  () => ({ ...assessDependencies(), rollUps: queue('summaries') }),
  updateEnforcement,
);
