/** Results of the domain checker: for a minute, so that nobody can have a domain probed again and again, and shared. */

import * as z from 'zod/mini';
import { recordedLookups } from '../checks/recorded-lookups.ts';
import { recording, toJson } from '../checks/recording/recorded.ts';
import { storedResults } from '../checks/results.ts';
import { usageType } from '../checks/state.ts';
import { pack, packed } from './item-schema.ts';
import { domainCheckKey, domainCheckShareKey } from './keys.ts';
import { shareStore } from './shares.ts';
import type { Table } from './table.ts';

const result = packed(
  z.object({
    results: storedResults,
    lookups: recordedLookups,
    /** What was asked and answered, with the certificates in base64 by their hash. */
    evidence: z.exactOptional(
      z.object({ release: z.string(), recording, certificates: z.record(z.string(), z.base64()) }),
    ),
  }),
);

const checkedItem = z.pipe(
  z.object({ domain: z.string(), checkedAt: z.string(), result }),
  z.transform(({ result, ...rest }) => ({ ...rest, ...result })),
);

const sharedItem = z.pipe(
  z.object({ domain: z.string(), checkedAt: z.string(), usageType, result }),
  z.transform(({ result, ...rest }) => ({ ...rest, ...result })),
);

/** What a check run of any domain found at one time (ISO 8601, UTC), with its lookups. */
export type CheckedDomain = Readonly<z.infer<typeof checkedItem>>;

/** The same with the usage type that it was scored for. */
export type SharedCheck = Readonly<z.infer<typeof sharedItem>>;

const RECENT_MILLISECONDS = 60_000;

/** Larger results are not kept: an item holds at most 400 KB (DynamoDB's limit). */
const MAX_OCTETS = 390_000;

export type DomainCheckStore = ReturnType<typeof domainCheckStore>;

/** Recent results. Those of an owner contain the report mailbox, so they are apart from those for everybody. */
export function domainCheckStore(table: Table) {
  return {
    /** The results of the last minute, if there are any. @param owner The organization of an owner, or null. */
    async recent(domain: string, owner: string | null, now: Date): Promise<CheckedDomain | undefined> {
      const checked = await table.get(domainCheckKey(domain, owner), checkedItem);
      const age = checked === undefined ? Infinity : now.getTime() - Date.parse(checked.checkedAt);
      return age >= 0 && age < RECENT_MILLISECONDS ? checked : undefined;
    },

    async keep({ domain, checkedAt, ...rest }: CheckedDomain, owner: string | null): Promise<void> {
      const result = pack(toJson(rest));
      if (result.length > MAX_OCTETS) return;
      const expiresAt = Math.ceil((Date.parse(checkedAt) + RECENT_MILLISECONDS) / 1000) + 1;
      await table.put({ ...domainCheckKey(domain, owner), domain, checkedAt, result, expiresAt });
    },
  };
}

export type DomainCheckShareStore = ReturnType<typeof domainCheckShareStore>;

export const domainCheckShareStore = (table: Table) =>
  shareStore<SharedCheck>(table, {
    keyOf: domainCheckShareKey,
    schema: sharedItem,
    write: ({ domain, usageType, checkedAt, ...rest }) => ({
      ...{ domain, usageType, checkedAt, result: pack(toJson(rest)) },
    }),
    identity: ({ domain, usageType, checkedAt }) => ['check', domain, usageType, checkedAt],
  });
