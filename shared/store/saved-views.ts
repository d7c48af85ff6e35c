/** The lists of domains that an organization saved: a name for a filter and an order. */

import * as z from 'zod/mini';
import { unchangedSince } from './changes.ts';
import { savedViewsKey } from './keys.ts';
import type { Table } from './table.ts';

/** `query`: that of the address of the page. */
const savedView = z.object({ name: z.string(), query: z.string() });

export type SavedView = Readonly<z.infer<typeof savedView>>;

export const savedViewsItem = z.object({ revision: z.number(), views: z.array(savedView) });

/** As many as a page shows above its table. */
export const MOST_VIEWS = 30;

export type SavedViewStore = ReturnType<typeof savedViewStore>;

export function savedViewStore(table: Table) {
  return {
    /** By name, eventually consistent. */
    async list(organization: string): Promise<readonly SavedView[]> {
      const item = await table.get(savedViewsKey(organization), savedViewsItem, { isConsistent: false });
      return item?.views ?? [];
    },

    /**
     * Saves a view, or with null removes that with the name. One with the same name for another query stays as it is: `taken`.
     * @returns undefined if the views changed since they were read.
     */
    async save(
      organization: string,
      name: string,
      query: string | null,
    ): Promise<'saved' | 'taken' | 'too-many' | undefined> {
      const key = savedViewsKey(organization);
      const { revision, views } = (await table.get(key, savedViewsItem)) ?? { revision: 0, views: [] };
      if (query !== null && views.some((view) => view.name === name && view.query !== query)) return 'taken';
      const others = views.filter((view) => view.name !== name);
      const after = query === null ? others : [...others, { name, query }];
      if (after.length > MOST_VIEWS) return 'too-many';
      const sorted = after.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const item = { ...key, revision: revision + 1, views: sorted };
      return (await table.put(item, unchangedSince(revision))) ? 'saved' : undefined;
    },
  };
}
