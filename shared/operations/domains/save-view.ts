import * as z from 'zod/mini';
import { oneLine } from '../../protocol/one-line.ts';
import { untilUncontended } from '../../store/contention.ts';
import { MOST_VIEWS, type SavedViewStore } from '../../store/saved-views.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid } from '../outcome.ts';

export const operation = {
  name: 'saveView',
  summary: 'Save a filter of the list of domains under a name for the organization, or remove it',
  scope: 'write',
  input: z.object({
    name: oneLine(60),
    /** That of the page with the list; null removes the view. */
    query: z.nullable(z.string().check(z.maxLength(2000, 'is too long'))),
  }),
  refusals: ['invalid_request'],
  uses: ['organizations:write'],
} as const satisfies Operation;

export async function saveView(
  { organization }: CallerOf<typeof operation>,
  { name, query }: InputOf<typeof operation>,
  { views }: { readonly views: Pick<SavedViewStore, 'save'> },
): Promise<OutcomeOf<typeof operation, undefined>> {
  const outcome = await untilUncontended(() => views.save(organization, name, query));
  if (outcome === 'taken')
    return invalid({
      path: 'name',
      message: 'is that of another view: choose another name, or remove that view first',
    });
  if (outcome === 'too-many')
    return invalid({
      path: 'name',
      message: `is one too many: an organization has at most ${MOST_VIEWS} views`,
    });
  return { value: undefined, subjects: [{ id: null, name }] };
}
