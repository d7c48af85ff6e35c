import * as z from 'zod/mini';
import { batchOutcome, createDomainBody, showCreatedDomain } from '../../shared/api/domains.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/registration-dependencies.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { errorResponse, ServiceError } from '../../shared/runtime/http/errors.ts';
import { parseAs } from '../../shared/runtime/http/middleware/parse-request.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import { registerDomain, subjectOf } from './rules.ts';

export const handler = endpoint(
  routes.createDomains,
  registrationDependencies,
  async ({ organization, requestId, body }, deps) => {
    const registered: Domain[] = [];
    const outcomes: z.output<typeof batchOutcome>[] = [];
    // One after another: the first of two equal names wins, and all of them change the count of the organization.
    for (const given of body.domains) {
      try {
        const domain = await registerDomain(organization, parseAs(createDomainBody, given, 'body'), deps);
        registered.push(domain);
        outcomes.push({ status: 201, domain: showCreatedDomain(domain, deps.naming) });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { status, body: refusal } = errorResponse(error, requestId);
        outcomes.push(z.parse(batchOutcome, { status, error: refusal.error }));
      }
    }
    return { ...reply(outcomes), subjects: registered.map(subjectOf) };
  },
);
