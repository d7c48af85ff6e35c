import { createDomainBody } from '../../shared/api/domains.ts';
import { createDomain } from '../../shared/operations/domains/create-domain.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { domainFields, problemOf, readCommonFields } from '../../shared/pages/console/form-fields.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { listDependencies, showDomains } from './rules.ts';

export const handler = endpoint(
  routes.addDomain,
  () => ({ ...listDependencies(), ...registrationDependencies() }),
  async ({ form: { formToken, ...typed }, ...request }, deps) => {
    const input = readInput(createDomainBody, { domain: typed.domain, ...readCommonFields(typed) });
    const outcome = input instanceof Refused ? input : await createDomain(asCaller(request), input, deps);
    if (!(outcome instanceof Refused)) return redirect(outcome, ({ id }) => domainPath(id));
    const shown = { ...request, formToken, query: { page: 1, sort: '-grade' as const } };
    const data = await showDomains(shown, deps, { typed, problem: problemOf(outcome, domainFields) });
    return { data, status: 400, subjects: [] };
  },
  consolePages,
);
