import { createDomainBody } from '../../shared/api/domains.ts';
import { createDomain } from '../../shared/operations/domains/create-domain.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { readFields } from '../../shared/pages/console/form-fields.ts';
import { mailDomainIn } from '../../shared/protocol/domain-name.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.addDomain,
  registrationDependencies,
  async ({ caller, form: { formToken: _, ...typed } }, deps) => {
    const domain = mailDomainIn(typed.domain);
    const given = { domain, ...readFields(typed) };
    return redirect(
      await withInput(createDomainBody, given, (input) => createDomain(caller, input, deps)),
      ({ id }) => domainPath(id),
      (added) => ({ says: `${added.domain} is added.` }),
    );
  },
);
