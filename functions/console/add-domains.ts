import { MAX_BATCH } from '../../shared/api/domains.ts';
import { addedDomainsPage } from '../../shared/pages/console/added-domains.ts';
import { consolePages, MAX_CONSOLE_PAGE } from '../../shared/pages/console/layout.ts';
import { fitting } from '../../shared/pages/spf/extent.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/registration-dependencies.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { registerEach } from '../domains/registration-rules.ts';
import { subjectOf } from '../domains/rules.ts';
import { problemOf, separated } from './form-rules.ts';
import { domainFields, readCommonFields } from './new-domain-rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.addDomains,
  registrationDependencies,
  async ({ organization, form: { formToken, ...typed } }, deps) => {
    const names = separated(typed.domains, /[\n,]/);
    if (names.length === 0 || names.length > MAX_BATCH) {
      throw new ServiceError(
        'invalid_request',
        `A list has 1 to ${MAX_BATCH} domains, one per line or separated by commas. This one has ${names.length}.`,
      );
    }
    const common = readCommonFields(typed);
    const given = names.map((domain) => ({ domain, ...common }));
    const registered = await registerEach(organization, given, deps);
    const outcomes = registered.map((outcome, at) => ({
      typed: names[at] ?? '',
      ...(outcome instanceof ServiceError
        ? { problem: problemOf(outcome, domainFields) }
        : { domain: outcome }),
    }));
    const view = { outcomes, typed, formToken };
    const subjects = registered.flatMap((one) => (one instanceof ServiceError ? [] : [subjectOf(one)]));
    return { ...reply(fitting((most) => addedDomainsPage(view, most), MAX_CONSOLE_PAGE)), subjects };
  },
  consolePages,
);
