import { updateDomains } from '../../shared/operations/domains/update-domains.ts';
import { formatNumber, pluralize } from '../../shared/protocol/quantity.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, type Reply, redirect } from '../../shared/runtime/http/reply.ts';
import { type DirectoryStore, directoryStore } from '../../shared/store/domains/directory.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changeOf, inputOf, listPath, recordsPath, saidOf, selectedOf } from './presentation.ts';
import { routes } from './routes.ts';

const SHORTEST_MILLISECONDS = 3000;

/** The domains, and how many of them have another usage, which the form would replace. */
async function replacedUsages(
  organization: string,
  ids: readonly string[],
  usageType: string,
  { directory }: { readonly directory: Pick<DirectoryStore, 'rows'> },
) {
  const wanted = new Set(ids);
  const rows = (await directory.rows(organization)).filter(({ id }) => wanted.has(id));
  return { ids, others: rows.filter((row) => row.usageType !== usageType).length };
}

/** The question before the usage of domains is replaced, which their earlier ones could not be told from. */
function asked(
  { ids, others }: Awaited<ReturnType<typeof replacedUsages>>,
  { list, usageType }: { readonly list: string; readonly usageType: string },
): Reply<string> {
  const says = `Set the usage of ${pluralize(ids.length, 'domain')}? ${others === 0 ? 'None has' : `${formatNumber(others)} ${others === 1 ? 'has' : 'have'}`} another usage now, which is replaced. To leave them as they are, do nothing.`;
  const typed = { list, usageType, do: 'usage', sure: 'on', ids: ids.join() };
  return { data: '', headers: { location: listPath({ list }) }, flash: { kind: 'question', says, typed } };
}

/** Changes the selected domains, or leads to their ownership records: a page that changes nothing has an address. */
export const handler = consoleEndpoint(
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
    if (form.do === 'usage' && !form.sure)
      return asked(await replacedUsages(request.organization, [...now, ...left], usageType, deps), form);
    const hasTime = () => remainingMilliseconds() > SHORTEST_MILLISECONDS;
    return redirect(
      await updateDomains(request.caller, input, { ...deps, hasTime }),
      () => listPath(form),
      (results) =>
        saidOf(results, {
          done: 'changed',
          left,
          kept: { list, tag, usageType, do: form.do, ...(form.sure && { sure: 'on' }) },
          earlier: form.failed,
        }),
    );
  },
);
