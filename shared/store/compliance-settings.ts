/** Which compliance profiles an organization follows, and those that it brought. One item, which each check run reads. */

import * as z from 'zod/mini';
import { storedOwnProfiles } from '../compliance/own-profile.ts';
import { unchangedSince } from './changes.ts';
import { pack, packed } from './item-schema.ts';
import { complianceSettingsKey } from './keys.ts';
import type { Table } from './table.ts';

export const complianceSettingsItem = z.object({
  /** How often they were changed. */
  revision: z.number(),
  /** IDs of profiles, also of those that only another release has. */
  follows: z.array(z.string()),
  own: packed(storedOwnProfiles),
});

export type ComplianceSettings = Readonly<z.infer<typeof complianceSettingsItem>>;

/** By default, an organization follows no profile: nobody gets attention items unasked. */
export const noComplianceSettings: ComplianceSettings = { revision: 0, follows: [], own: [] };

export type ComplianceSettingsStore = ReturnType<typeof complianceSettingsStore>;

export function complianceSettingsStore(table: Table) {
  const read = async (organization: string, isConsistent: boolean): Promise<ComplianceSettings> =>
    (await table.get(complianceSettingsKey(organization), complianceSettingsItem, { isConsistent })) ??
    noComplianceSettings;
  return {
    get: (organization: string) => read(organization, true),

    /** The same, possibly as they were a moment ago, which costs half. */
    getSoon: (organization: string) => read(organization, false),

    /** Whether they were stored: not if they changed since they were read. */
    async save(
      organization: string,
      { follows, own }: Pick<ComplianceSettings, 'follows' | 'own'>,
      { revision }: Pick<ComplianceSettings, 'revision'>,
    ): Promise<boolean> {
      const key = complianceSettingsKey(organization);
      const item = { ...key, revision: revision + 1, follows, own: pack(own) };
      return table.put(item, unchangedSince(revision));
    },
  };
}
