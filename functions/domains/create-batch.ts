import * as z from 'zod/mini';
import { batchOutcome, showCreatedDomain } from '../../shared/api/domains.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/registration-dependencies.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { errorResponse, ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { registerEach } from './registration-rules.ts';
import { routes } from './routes.ts';
import { subjectOf } from './rules.ts';

export const handler = endpoint(
  routes.createDomains,
  registrationDependencies,
  async ({ organization, requestId, body }, deps) => {
    const registered = await registerEach(organization, body.domains, deps);
    const outcomes = registered.map((outcome): z.output<typeof batchOutcome> => {
      if (!(outcome instanceof ServiceError))
        return { status: 201, domain: showCreatedDomain(outcome, deps.naming) };
      const { status, body: refusal } = errorResponse(outcome, requestId);
      return z.parse(batchOutcome, { status, error: refusal.error });
    });
    const subjects = registered.flatMap((one) => (one instanceof ServiceError ? [] : [subjectOf(one)]));
    return { ...reply(outcomes), subjects };
  },
);
