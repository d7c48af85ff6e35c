import { showCreatedDomain } from '../../shared/api/domains.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/registration-dependencies.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { registerDomain, subjectOf } from './rules.ts';

export const handler = endpoint(
  routes.createDomain,
  registrationDependencies,
  async ({ organization, body }, deps) => {
    const domain = await registerDomain(organization, body, deps);
    return { ...reply(showCreatedDomain(domain, deps.naming)), subjects: [subjectOf(domain)] };
  },
);
