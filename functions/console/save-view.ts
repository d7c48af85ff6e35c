import { operation, saveView } from '../../shared/operations/domains/save-view.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { domainsPath, domainsQuery } from '../../shared/pages/console/domain-filter.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { savedViewStore } from '../../shared/store/saved-views.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { listOf } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.saveView,
  () => ({ views: savedViewStore(table()) }),
  async ({ caller, form: { name, query, do: button } }, deps) => {
    const { page: _page, ...filter } = listOf({ list: query });
    const isRemoved = button === 'remove';
    const given = { name, query: isRemoved ? null : String(domainsQuery(filter)) };
    return redirect(
      await withInput(operation.input, given, (input) => saveView(caller, input, deps)),
      () => domainsPath(filter),
      () => ({ says: isRemoved ? `The view ${name} is removed.` : `The view ${name} is saved.` }),
    );
  },
);
