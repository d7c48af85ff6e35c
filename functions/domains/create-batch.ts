import { createDomains } from '../../shared/operations/domains/create-domains.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { showBatchOutcome } from '../../shared/runtime/http/batch-outcome.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.createDomains,
  registrationDependencies,
  createDomains,
  (outcomes, { naming }) => outcomes.map((outcome) => showBatchOutcome(outcome, naming)),
);
