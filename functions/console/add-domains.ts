import { separated } from '../../shared/api/domain-fields.ts';
import { MAX_BATCH } from '../../shared/api/domains.ts';
import { createDomains } from '../../shared/operations/domains/create-domains.ts';
import { Refused } from '../../shared/operations/outcome.ts';
import { addedDomainsPage } from '../../shared/pages/console/added-domains.ts';
import { fieldNames, problemOf, readCommonFields } from '../../shared/pages/console/form-fields.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.addDomains,
  registrationDependencies,
  async ({ form: { formToken, ...typed }, ...request }, deps) => {
    const names = separated(typed.domains, /[\n,]/);
    if (names.length === 0 || names.length > MAX_BATCH) {
      throw new ServiceError(
        'invalid_request',
        `A list has 1 to ${MAX_BATCH} domains, one per line or separated by commas. This one has ${names.length}.`,
      );
    }
    const common = readCommonFields(typed);
    const domains = names.map((domain) => ({ domain, ...common }));
    return answer(await createDomains(asCaller(request), { domains }, deps), (registered) => {
      const outcomes = registered.map((outcome, at) => ({
        typed: names[at] ?? '',
        ...(outcome instanceof Refused ? { problem: problemOf(outcome, fieldNames) } : { domain: outcome }),
      }));
      const view = { outcomes, typed, formToken };
      return addedDomainsPage(view);
    });
  },
  consolePages,
);
