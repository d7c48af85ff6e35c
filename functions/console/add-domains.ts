import { failureText } from '../../shared/api/console.ts';
import { separated } from '../../shared/api/domain-fields.ts';
import { MAX_BATCH } from '../../shared/api/domains.ts';
import { createDomains } from '../../shared/operations/domains/create-domains.ts';
import { invalid, Refused } from '../../shared/operations/outcome.ts';
import { ADD_PATH } from '../../shared/pages/console/add-domains.ts';
import { problemOf, readFields } from '../../shared/pages/console/form-fields.ts';
import { mailDomainIn } from '../../shared/protocol/domain-name.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Adds the first domains of a list, as many as a batch holds; the page that it leads to goes on with the others. */
export const handler = consoleEndpoint(
  routes.addDomains,
  registrationDependencies,
  async ({ caller, form: { formToken: _, failed: earlier, ...typed } }, deps) => {
    const names = separated(typed.domains, /[\s,;]+/);
    if (names.length === 0)
      return redirect(invalid({ path: 'domains', message: 'must have at least one domain' }), () => ADD_PATH);
    const now = names.slice(0, MAX_BATCH);
    const common = readFields(typed);
    const domains = now.map((name) => ({ domain: mailDomainIn(name), ...common }));
    return redirect(
      await createDomains(caller, { domains }, deps),
      () => ADD_PATH,
      (registered) => {
        const added = registered.map((outcome, at) =>
          outcome instanceof Refused
            ? { typed: now[at] ?? '', problem: problemOf(outcome, 'addDomain') }
            : { typed: outcome.domain, id: outcome.id },
        );
        const refused = added.flatMap(({ typed, problem }) =>
          problem === undefined ? [] : [{ typed, problem }],
        );
        const count = registered.filter((outcome) => !(outcome instanceof Refused)).length;
        return {
          kind: 'question',
          says: `${count} of ${pluralize(added.length, 'domain')} added.`,
          added: [...earlier, ...added],
          // What is left, and below it what was refused, also in the steps before.
          typed: {
            ...typed,
            domains: names.slice(MAX_BATCH).join('\n'),
            failed: failureText([...earlier, ...refused]),
          },
        };
      },
    );
  },
);
