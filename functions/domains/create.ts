import { showCreatedDomain } from '../../shared/api/domains.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { registerDomain, registrationDependencies } from './register.ts';
import { routes } from './routes.ts';
import { subjectOf } from './rules.ts';

export const handler = endpoint(
  routes.createDomain,
  registrationDependencies,
  async ({ organization, body }, deps) => {
    const domain = await registerDomain(organization, body, deps);
    return { ...reply(showCreatedDomain(domain, deps.naming)), subjects: [subjectOf(domain)] };
  },
);
