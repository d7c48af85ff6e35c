import { createDomainBody } from '../../shared/api/domains.ts';
import { createDomain } from '../../shared/operations/domains/create-domain.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { readFields } from '../../shared/pages/console/form-fields.ts';
import { mailDomainIn } from '../../shared/protocol/domain-name.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.addDomain,
  registrationDependencies,
  async ({ form: { formToken: _, ...typed }, ...request }, deps) => {
    const domain = mailDomainIn(typed.domain);
    const input = readInput(createDomainBody, { domain, ...readFields(typed) });
    const outcome = input instanceof Refused ? input : await createDomain(asCaller(request), input, deps);
    return redirect(
      outcome,
      ({ id }) => domainPath(id),
      (added) => ({ says: `${added.domain} is added.` }),
    );
  },
);
