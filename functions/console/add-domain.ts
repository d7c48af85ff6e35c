import { createDomainBody } from '../../shared/api/domains.ts';
import { createDomain } from '../../shared/operations/domains/create-domain.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { domainsPage } from '../../shared/pages/console/domains.ts';
import { fieldNames, problemOf, readCommonFields } from '../../shared/pages/console/form-fields.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { listDependencies } from '../../shared/runtime/dependencies/domain-list.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { domainList } from '../../shared/views/domain-list.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.addDomain,
  () => ({ ...listDependencies(), ...registrationDependencies() }),
  async ({ form: { formToken, ...typed }, ...request }, deps) => {
    const input = readInput(createDomainBody, { domain: typed.domain, ...readCommonFields(typed) });
    const outcome = input instanceof Refused ? input : await createDomain(asCaller(request), input, deps);
    if (!(outcome instanceof Refused)) return redirect(outcome, ({ id }) => domainPath(id));
    const refused = { typed, problem: problemOf(outcome, fieldNames) };
    const list = await domainList(request.organization, { page: 1, sort: '-grade' }, deps);
    const data = domainsPage({ ...list, canWrite: true, formToken, refused });
    return { data, status: 400, subjects: [] };
  },
  consolePages,
);
