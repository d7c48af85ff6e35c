import { createDomains } from '../../shared/operations/domains/create-domains.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { showBatchOutcome } from '../../shared/runtime/http/batch-outcome.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.createDomains,
  registrationDependencies,
  async (request, { naming, ...deps }) =>
    answer(await createDomains(asCaller(request), request.body, deps), (outcomes) =>
      outcomes.map((outcome) => showBatchOutcome(outcome, naming)),
    ),
);
