import { explain } from '../../shared/mailboxes/problem.ts';
import { testMailbox } from '../../shared/operations/mailboxes/test-mailbox.ts';
import { connectedDependencies } from '../../shared/runtime/dependencies/mailboxes.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.testMailbox,
  connectedDependencies,
  testMailbox,
  ({ messages, error, reach }) => ({ messages, error: error && explain(error), reach }),
);
