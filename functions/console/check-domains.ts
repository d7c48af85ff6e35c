import { checkDomains } from '../../shared/operations/checks/check-domains.ts';
import { runDependencies } from '../../shared/runtime/dependencies/checks.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, redirect } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { inputOf, listPath, saidOf, selectedOf } from './presentation.ts';
import { routes } from './routes.ts';

/** What a check run can take: none begins in the last milliseconds of an invocation. */
const LONGEST_RUN = 17_000;

export const handler = consoleEndpoint(
  routes.checkManyInConsole,
  () => ({ ...runDependencies(), directory: directoryStore(table()) }),
  async ({ form, remainingMilliseconds, ...request }, deps) => {
    const { now, left } = await selectedOf(request.organization, form, deps);
    const input = accepted(inputOf(now), 'form');
    const hasTime = () => remainingMilliseconds() > LONGEST_RUN;
    return redirect(
      await checkDomains(request.caller, input, { ...deps, hasTime }),
      () => listPath(form),
      (results) =>
        saidOf(results, { done: 'checked', left, kept: { list: form.list }, earlier: form.failed }),
    );
  },
);
