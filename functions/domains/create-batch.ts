import * as z from 'zod/mini';
import { batchOutcome, showCreatedDomain } from '../../shared/api/domains.ts';
import { createDomains } from '../../shared/operations/domains/create-domains.ts';
import { Refused } from '../../shared/operations/outcome.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { errorResponse, refusal } from '../../shared/runtime/http/errors.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.createDomains,
  registrationDependencies,
  async (request, { naming, ...deps }) =>
    answer(await createDomains(asCaller(request), request.body, deps), (outcomes) =>
      outcomes.map((outcome): z.output<typeof batchOutcome> => {
        if (!(outcome instanceof Refused)) return { status: 201, domain: showCreatedDomain(outcome, naming) };
        const { status, body } = errorResponse(refusal(outcome), request.requestId);
        return z.parse(batchOutcome, { status, error: body.error });
      }),
    ),
);
