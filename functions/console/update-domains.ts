import { updateDomains } from '../../shared/operations/domains/update-domains.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { accepted, redirect } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { changeOf, inputOf, listPath, recordsPath, saidOf, selectedOf } from './presentation.ts';
import { routes } from './routes.ts';

const SHORTEST_MILLISECONDS = 3000;

/** Changes the selected domains, or leads to their ownership records: a page that changes nothing has an address. */
export const handler = endpoint(
  routes.updateManyInConsole,
  () => ({ domains: domainStore(table()), directory: directoryStore(table()), clock }),
  async ({ form, remainingMilliseconds, ...request }, deps) => {
    const { list, tag, usageType } = form;
    if (form.do === 'zone' || form.do === 'csv') {
      if (!form.all && form.ids.length === 0) accepted(inputOf([]), 'form');
      return { data: '', headers: { location: recordsPath(form.do, form) } };
    }
    const { now, left } = await selectedOf(request.organization, form, deps);
    const change = changeOf(form);
    const input = accepted(inputOf(now, change), 'form');
    const hasTime = () => remainingMilliseconds() > SHORTEST_MILLISECONDS;
    return redirect(
      await updateDomains(asCaller(request), input, { ...deps, hasTime }),
      () => listPath(form),
      (results) => saidOf(results, { done: 'changed', left, kept: { list, tag, usageType, do: form.do } }),
    );
  },
  consolePages,
);
