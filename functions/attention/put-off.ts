import { showAttention } from '../../shared/api/attention.ts';
import { putOff } from '../../shared/operations/attention/put-off.ts';
import { putOffDependencies } from '../../shared/runtime/dependencies/attention.ts';
import { naming } from '../../shared/runtime/dependencies/services.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.putOffAttention,
  () => ({ ...putOffDependencies(), naming: naming() }),
  putOff,
  (item, { naming, clock }) => showAttention(item, naming.hostUrl, clock.now()),
);
