import { redeliver } from '../../shared/operations/notifications/redeliver.ts';
import { redeliveryDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.redeliver, redeliveryDependencies, async (request, deps) =>
  answer(await redeliver(asCaller(request), request.path, deps)),
);
