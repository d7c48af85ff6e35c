import { markAlertRead } from '../../shared/operations/alerts/mark-alert-read.ts';
import { markReadDependencies } from '../../shared/runtime/dependencies/alerts.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.markAlertRead,
  markReadDependencies,
  async ({ path, body, ...request }, deps) =>
    answer(await markAlertRead(asCaller(request), { ...path, ...body }, deps)),
);
