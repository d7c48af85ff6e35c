import { updateSender } from '../../shared/operations/enforcement/update-sender.ts';
import { updateSenderDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.updateSender,
  updateSenderDependencies,
  async ({ path, body, ...request }, deps) =>
    answer(await updateSender(asCaller(request), { ...path, ...body }, deps), ({ sender }) => sender),
);
