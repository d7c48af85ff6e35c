import { updateSender } from '../../shared/operations/enforcement/update-sender.ts';
import { updateSenderDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.updateSender,
  updateSenderDependencies,
  updateSender,
  ({ sender }) => sender,
);
