import { showAttention } from '../../shared/api/attention.ts';
import { putOff } from '../../shared/operations/attention/put-off.ts';
import { putOffDependencies } from '../../shared/runtime/dependencies/attention.ts';
import { naming } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.putOffAttention,
  () => ({ ...putOffDependencies(), naming: naming() }),
  async ({ path, body, ...request }, { naming, ...deps }) =>
    answer(await putOff(asCaller(request), { ...path, ...body }, deps), (item) =>
      showAttention(item, naming.hostUrl, deps.clock.now()),
    ),
);
