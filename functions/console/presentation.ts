/** What the forms for many domains have in common: which domains they are about, and what they say. */
import type * as z from 'zod/mini';
import {
  domainListQuery,
  type Failure,
  failureText,
  type manyDomainsForm,
  type updateDomainsForm,
} from '../../shared/api/console.ts';
import { MAX_BATCH } from '../../shared/api/domains.ts';
import { MOST_IN_FORM, manyDomainsChange } from '../../shared/api/many-domains.ts';
import type { DomainOutcome } from '../../shared/operations/domains/each-domain.ts';
import { invalid, Refused, readInput } from '../../shared/operations/outcome.ts';
import { domainsPath } from '../../shared/pages/console/domain-filter.ts';
import { problemOf } from '../../shared/pages/console/form-fields.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { accepted, type Said } from '../../shared/runtime/http/reply.ts';
import type { DirectoryStore } from '../../shared/store/domains/directory.ts';
import { type DomainFilter, selectRows } from '../../shared/store/domains/select-rows.ts';

type ManyForm = Pick<z.output<typeof manyDomainsForm>, 'ids' | 'all' | 'list'>;
type UpdateForm = Pick<z.output<typeof updateDomainsForm>, 'do' | 'tag' | 'usageType'>;

/** The list that a form was on. */
export function listOf({ list }: Pick<ManyForm, 'list'>): DomainFilter & { readonly page: number } {
  const parsed = domainListQuery.safeParse(Object.fromEntries(new URLSearchParams(list)));
  return parsed.success ? parsed.data : domainListQuery.parse({});
}

/** Whether the list that a form was on is one: anybody can change a form. */
const isKnown = ({ list }: Pick<ManyForm, 'list'>): boolean =>
  domainListQuery.safeParse(Object.fromEntries(new URLSearchParams(list))).success;

/** The address of the list that a form was on. */
export function listPath(form: Pick<ManyForm, 'list'>): string {
  const { page, ...filter } = listOf(form);
  return domainsPath(filter, page);
}

/** The domains of a form: those of a step, and those that are left for the next ones. */
export async function selectedOf(
  organization: string,
  form: ManyForm,
  { directory }: { readonly directory: Pick<DirectoryStore, 'rows'> },
): Promise<{ readonly now: string[]; readonly left: readonly string[] }> {
  if (form.all && !isKnown(form))
    accepted(invalid({ path: 'list', message: 'is not known any more: load the page again' }), 'form');
  const all = form.all
    ? selectRows(await directory.rows(organization), listOf(form)).map(({ id }) => id)
    : form.ids;
  const ids = all.slice(0, MOST_IN_FORM);
  return { now: ids.slice(0, MAX_BATCH), left: ids.slice(MAX_BATCH) };
}

/**
 * What a form did. @param done Of the sentence, such as `checked`. @param why Why something that was not refused was not
 * done. @param kept The fields of the form to go on with.
 */
export function saidOf<Value>(
  results: readonly DomainOutcome<Value>[],
  {
    done,
    left,
    kept,
    earlier = [],
    why,
  }: {
    readonly done: string;
    readonly left: readonly string[];
    readonly kept: Readonly<Record<string, string>>;
    /** What was not done in earlier steps. */
    readonly earlier?: readonly Failure[];
    readonly why?: (value: Value) => string | undefined;
  },
): Said {
  const failed = results.flatMap(({ domain, outcome }) => {
    if (outcome === undefined) return [];
    const problem = outcome instanceof Refused ? problemOf(outcome, 'saveDomainSettings') : why?.(outcome);
    return problem === undefined ? [] : [{ typed: domain, problem }];
  });
  const further = [...results.flatMap(({ id, outcome }) => (outcome === undefined ? [id] : [])), ...left];
  const tried = results.length - results.filter(({ outcome }) => outcome === undefined).length;
  return {
    kind: further.length === 0 ? 'done' : 'question',
    says: `${tried - failed.length} of ${pluralize(tried, 'domain')} ${done}.${further.length === 0 ? '' : ` ${pluralize(further.length, 'domain')} left.`}`,
    added: [...earlier, ...failed],
    typed:
      further.length === 0
        ? {}
        : { ...kept, ids: further.join(), failed: failureText([...earlier, ...failed]) },
  };
}

/** What the operations get: at least one domain, and what is changed. */
export const inputOf = (ids: readonly string[], change: object = {}) =>
  ids.length === 0
    ? invalid({ path: 'ids', message: 'must have at least one domain: tick the boxes of the table' })
    : readInput(manyDomainsChange, { ids, ...change });

/** What the button of a form changes. */
export function changeOf({ do: button, tag, usageType }: UpdateForm): object {
  if (button === 'usage') return { usageType };
  return button === 'tag' ? { addTag: tag } : { removeTag: tag };
}

/** The address of the ownership records of the domains of a form. */
export function recordsPath(format: 'zone' | 'csv', { all, ids, list }: ManyForm): string {
  const query = all ? new URLSearchParams(list) : new URLSearchParams({ ids: ids.join() });
  query.delete('page');
  query.set('format', format);
  return `/console/ownership?${query}`;
}
