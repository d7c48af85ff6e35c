import { verifyDomains } from '../../shared/operations/domains/verify-domains.ts';
import { verifyDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, redirect } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { inputOf, listPath, saidOf, selectedOf } from './presentation.ts';
import { routes } from './routes.ts';

/** What a lookup can take. */
const LONGEST_LOOKUP = 12_000;

export const handler = consoleEndpoint(
  routes.verifyManyInConsole,
  () => ({ ...verifyDependencies(), directory: directoryStore(table()) }),
  async ({ form, remainingMilliseconds, ...request }, deps) => {
    const { now, left } = await selectedOf(request.organization, form, deps);
    const input = accepted(inputOf(now), 'form');
    const hasTime = () => remainingMilliseconds() > LONGEST_LOOKUP;
    return redirect(
      await verifyDomains(request.caller, input, { ...deps, hasTime }),
      () => listPath(form),
      (results) =>
        saidOf(results, {
          ...{ done: 'verified', left, kept: { list: form.list }, earlier: form.failed },
          why: ({ verified, message }) => (verified ? undefined : message),
        }),
    );
  },
);
