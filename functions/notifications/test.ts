import { testNotifications } from '../../shared/operations/notifications/test-notifications.ts';
import { testDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(routes.testNotifications, testDependencies, testNotifications);
