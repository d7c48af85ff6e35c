/** The latest check results of each domain. */

import * as z from 'zod/mini';
import { publishedKeys } from '../../checks/dkim/history.ts';
import { type RecordedLookups, recordedLookups } from '../../checks/recorded-lookups.ts';
import { storedResults } from '../../checks/results.ts';
import { byCheck, checkNames, usageTypes } from '../../checks/state.ts';
import { standings } from '../../compliance/lapses.ts';
import { servedHosts } from '../../protocol/served-chain.ts';
import type { ScoresByUsage } from '../../score/score.ts';
import { having } from '../changes.ts';
import { compactDirectory, directoryWrite } from '../domains/directory-writes.ts';
import type { Domain } from '../domains/domain.ts';
import { type Listed, nothingListed, scoresBefore, withScore } from '../domains/listed.ts';
import { updateOf } from '../domains/writes.ts';
import { pack, packed } from '../item-schema.ts';
import { type Condition, PRESENT } from '../items.ts';
import { checksKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';
import { evidenceReference } from './evidence.ts';

const unknownSince = byCheck(z.string());

export type UnknownSince = Readonly<z.infer<typeof unknownSince>>;

const checksItem = z.object({
  checkedAt: z.string(),
  results: packed(storedResults),
  /** The score at that time, for the usage type at that time. */
  score: z.optional(z.nullable(z.number())),
  /** Since when check runs have had no result of a check (ISO 8601), although a last known one may stand in. */
  unknownSince: z.optional(unknownSince),
  /** What the MX hosts served in the check runs until then. */
  chains: z.optional(packed(servedHosts)),
  /** The DKIM keys that these check runs saw. */
  keys: z.optional(packed(publishedKeys)),
  /** How the requirements of followed compliance profiles stand; absent if the organization follows none. */
  standings: z.optional(packed(standings)),
  /** The evidence of the latest results that differed from those before. */
  evidence: z.optional(evidenceReference),
});

/** The item with the lookups of the check run. */
const checksWithLookupsItem = z.extend(checksItem, { lookups: packed(recordedLookups) });

type ChecksWithLookups = Readonly<z.infer<typeof checksWithLookupsItem>>;

export type StoredChecks = Readonly<z.infer<typeof checksItem>>;

/**
 * Check results with their scores. Scores and states are copied to the domain item, so that lists do not read all results.
 */
interface ScoredChecks extends StoredChecks {
  readonly scores?: ScoresByUsage;
  readonly lookups?: RecordedLookups;
  readonly listed?: Listed;
}

export type CheckStore = ReturnType<typeof checkStore>;

export function checkStore(table: Table) {
  return {
    async latest(domainId: string): Promise<StoredChecks | undefined> {
      return table.get(checksKey(domainId), checksItem);
    },

    /** The latest results of domains by ID, possibly as they were a moment ago. */
    async latestOfMany(domainIds: readonly string[]): Promise<ReadonlyMap<string, StoredChecks>> {
      const reads = domainIds.map((id) => ({ id, key: checksKey(id), schema: checksItem }));
      const found = await table.getMany(reads, { isConsistent: false });
      return new Map(
        reads.flatMap((one) => {
          const item = found.of(one);
          return item === undefined ? [] : [[one.id, item] as const];
        }),
      );
    },

    async latestWithLookups(domainId: string): Promise<ChecksWithLookups | undefined> {
      return table.get(checksKey(domainId), checksWithLookupsItem);
    },

    /**
     * Stores `checks` as the latest results of `domain`, unless the domain is gone or later results are stored. With
     * `replacing`, stores them only if the latest results are the given ones, together with the writes derived from
     * those.
     */
    async keep(
      domain: Domain,
      { scores, lookups, listed = nothingListed, ...checks }: ScoredChecks,
      replacing?: { readonly of: StoredChecks | undefined; readonly writes: readonly Write[] },
    ): Promise<boolean> {
      const { checkedAt, results, score, chains, keys } = checks;
      const [before, after] = [scoresOf(domain.scores), scoresOf(scores)];
      const scoreChanges = withScore(
        domain.scoreChanges ?? [],
        replacing?.of?.score,
        score ?? null,
        checkedAt,
      );
      const isRelisted =
        before.join() !== after.join() ||
        listed.policy !== domain.listed?.policy ||
        listed.compliance !== domain.listed?.compliance ||
        scoreChanges.at(-1)?.at !== domain.scoreChanges?.at(-1)?.at;
      const failed = await table.tryTransact([
        {
          Update: updateOf(
            domain,
            {
              ...{ lastCheckedAt: checkedAt, scores: scores ?? null, scoreChanges, listed },
              states: Object.fromEntries(checkNames.map((name) => [name, results[name].state])),
            },
            PRESENT,
          ),
        },
        {
          Put: {
            Item: {
              ...checksKey(domain.id),
              ...checks,
              results: pack(results),
              chains: chains?.length ? pack(chains) : undefined,
              keys: keys?.length ? pack(keys) : undefined,
              standings: checks.standings && pack(checks.standings),
              lookups: lookups && pack(lookups),
            },
            ...(replacing === undefined
              ? notOlder(checkedAt)
              : having({ checkedAt: replacing.of?.checkedAt })),
          },
        },
        ...(isRelisted
          ? [
              directoryWrite(domain, {
                ...{ scores: after, policy: listed.policy },
                week: scoresBefore(scoreChanges, checkedAt),
                ...(listed.compliance !== undefined && { compliance: listed.compliance }),
              }),
            ]
          : []),
        ...(replacing?.writes ?? []),
      ]);
      if (failed.size === 0 && isRelisted) await compactDirectory(table, domain);
      return failed.size === 0;
    },
  };
}

/** The scores of a domain, in the order of `usageTypes`. */
const scoresOf = (scores: Domain['scores']): (number | null)[] =>
  usageTypes.map((usage) => scores?.[usage] ?? null);

const notOlder = (checkedAt: string): Condition => ({
  ConditionExpression: 'attribute_not_exists(pk) OR checkedAt <= :at',
  ExpressionAttributeValues: { ':at': checkedAt },
});
