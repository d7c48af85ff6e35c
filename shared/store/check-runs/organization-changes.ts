/**
 * The changes of all domains of an organization, newest first. An entry of the history of a domain is also in the list of
 * its organization, with what the list shows besides, so that a page costs only the entries up to its end.
 */
import * as z from 'zod/mini';
import { shownChange } from '../../alerts/shown-change.ts';
import { checkNames } from '../../checks/state.ts';
import { listOfKnown } from '../item-schema.ts';
import { changesIndexKey } from '../keys.ts';
import { justBefore, ofIndex } from '../query.ts';
import type { Table } from '../table.ts';

/** What an entry needs to be in the list. The first check run of a domain is no change, and not in it. */
export interface ListedIn {
  readonly organization: string;
  readonly id: string;
  readonly domain: string;
  /** The score before and after, for the usage type at that time; null if it was not known. */
  readonly scoreBefore: number | null;
  readonly scoreAfter: number | null;
}

/** The attributes of an entry that is in the list. */
export const listedAttributes = ({ organization, id, at, ...shown }: ListedIn & { readonly at: string }) => ({
  ...changesIndexKey(organization, at, id),
  ...{ ...shown, domainId: id },
});

const item = z.object({
  at: z.string(),
  domainId: z.string(),
  domain: z.string(),
  scoreBefore: z.nullable(z.number()),
  scoreAfter: z.nullable(z.number()),
  /** Another release can know other checks, whose changes are left out. */
  changes: listOfKnown({ check: checkNames }, shownChange),
});

export type OrganizationChange = Readonly<z.infer<typeof item>>;

export type OrganizationChangesStore = ReturnType<typeof organizationChangesStore>;

export function organizationChangesStore(table: Table) {
  return {
    /**
     * The newest entries since a time, at most `most`: with `before`, those before that position, which `positionOf` names.
     * Each costs about half a read unit.
     */
    async list(
      organization: string,
      { since, before }: { readonly since: string; readonly before?: string | undefined },
      most: number,
      now: Date,
    ): Promise<{ readonly entries: readonly OrganizationChange[]; readonly hasMore: boolean }> {
      const times = { low: since, high: before === undefined ? '~' : justBefore(before) };
      const query = { ...ofIndex(changesIndexKey(organization, '', ''), times), ScanIndexForward: false };
      const { items, hasMore } = await table.page(query, item, { page: 1, limit: most, aliveAt: now });
      return { entries: items, hasMore };
    },
  };
}

/** Where a list can be continued after an entry. */
export const positionOf = ({ at, domainId }: Pick<OrganizationChange, 'at' | 'domainId'>): string =>
  changesIndexKey('', at, domainId).gsi1sk;
