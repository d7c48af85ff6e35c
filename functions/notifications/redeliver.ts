import { redeliver } from '../../shared/operations/notifications/redeliver.ts';
import { redeliveryDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(routes.redeliver, redeliveryDependencies, redeliver);
