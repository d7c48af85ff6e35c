import { createDomainBody } from '../../shared/api/domains.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/registration-dependencies.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { parseAs } from '../../shared/runtime/http/middleware/parse-request.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { registerDomain, subjectOf } from '../domains/rules.ts';
import { problemOf } from './form-rules.ts';
import { domainFields, readCommonFields } from './new-domain-rules.ts';
import { routes } from './routes.ts';
import { listDependencies, showDomains } from './rules.ts';

export const handler = endpoint(
  routes.addDomain,
  () => ({ ...listDependencies(), ...registrationDependencies() }),
  async ({ form: { formToken, ...typed }, ...request }, deps) => {
    try {
      const given = { domain: typed.domain, ...readCommonFields(typed) };
      const domain = await registerDomain(
        request.organization,
        parseAs(createDomainBody, given, 'form'),
        deps,
      );
      return { ...reply('', { location: domainPath(domain.id) }), subjects: [subjectOf(domain)] };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const shown = { ...request, formToken, query: { page: 1, sort: '-grade' as const } };
      const data = await showDomains(shown, deps, { typed, problem: problemOf(error, domainFields) });
      return { data, status: 400 as const, subjects: [] };
    }
  },
  consolePages,
);
