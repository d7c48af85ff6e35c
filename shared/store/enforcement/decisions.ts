/** What an owner decides about the senders of a domain, and what the owner attests for enforcement. */

import * as z from 'zod/mini';
import { allOf, having, updateAt } from '../changes.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { orNull } from '../item-schema.ts';
import { attestationsKey, senderDecisionKey, senderDecisionsOf } from '../keys.ts';
import { startingWith } from '../query.ts';
import type { Table, Write } from '../table.ts';

export const senderStatuses = ['approved', 'forwarder', 'unauthorized'] as const;

const decisionItem = z.object({
  senderId: z.string(),
  status: z.nullable(z.enum(senderStatuses)),
  note: z.nullable(z.string()),
  /** ISO 8601. */
  changedAt: z.string(),
  /** The id of the token; null for the operator. */
  changedBy: z.nullable(z.string()),
});

/** What an owner decided about a sender. */
export type SenderDecision = Readonly<z.infer<typeof decisionItem>>;

/** By the id of the sender. */
export type SenderDecisions = ReadonlyMap<string, SenderDecision>;

const attestation = z.object({
  /** ISO 8601. */
  at: z.string(),
  /** The id of the token; null for the operator. */
  by: z.nullable(z.string()),
});

export type Attestation = Readonly<z.infer<typeof attestation>>;

const attestationsItem = z.object({
  volume: orNull(attestation),
  seasonalSenders: orNull(attestation),
  forwardingLoss: orNull(attestation),
});

/** Null: not attested. */
export type Attestations = Readonly<z.infer<typeof attestationsItem>>;

const nothingAttested: Attestations = { volume: null, seasonalSenders: null, forwardingLoss: null };

/** `outdated`: somebody else made a change first. `domain-gone`: the domain was removed. */
export type Changed = 'changed' | 'outdated' | 'domain-gone';

export type DecisionStore = ReturnType<typeof decisionStore>;

export function decisionStore(table: Table) {
  return {
    /** All decisions of a domain. */
    async list(domainId: string): Promise<SenderDecisions> {
      const items = await table.query(startingWith(senderDecisionsOf(domainId)), decisionItem);
      return new Map(items.map((item) => [item.senderId, item]));
    },

    /** Stores a decision, if the one about the same sender is still `before`. */
    async decide(
      domain: DomainReference,
      decision: SenderDecision,
      before: SenderDecision | undefined,
    ): Promise<Changed> {
      const Item = { ...senderDecisionKey(domain.id, decision.senderId), ...decision };
      return changedBy([
        isRegistered(domain),
        { Put: { Item, ...having({ changedAt: before?.changedAt }) } },
      ]);
    },

    async attestations(domainId: string): Promise<Attestations> {
      return (await table.get(attestationsKey(domainId), attestationsItem)) ?? nothingAttested;
    },

    /** Changes the attestations that `changes` names, if all of them are still as in `before`. */
    async attest(
      domain: DomainReference,
      changes: Partial<Attestations>,
      before: Attestations,
    ): Promise<Changed> {
      const isSame = Object.entries(before).map(([name, value]) => {
        const { ConditionExpression = '', ...same } = having({ [name]: value });
        const isAbsent = value === null ? `attribute_not_exists(#${name}) OR ` : '';
        return { ...same, ConditionExpression: isAbsent + ConditionExpression };
      });
      const Update = updateAt(attestationsKey(domain.id), changes, allOf(...isSame));
      return changedBy([isRegistered(domain), { Update }]);
    },
  };

  async function changedBy(writes: readonly [Write, Write]): Promise<Changed> {
    const failed = await table.tryTransact(writes);
    if (failed.size === 0) return 'changed';
    return failed.has(0) ? 'domain-gone' : 'outdated';
  }
}
