/** What an owner decides about the senders of a domain, and what the owner attests for enforcement. */
import * as z from 'zod/mini';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { orNull } from '../item-schema.ts';
import { attestationsKey, senderDecisionKey, senderDecisionsOf } from '../keys.ts';
import { startingWith } from '../query.ts';
import type { Table } from '../table.ts';

export const senderStatuses = ['approved', 'forwarder', 'unauthorized'] as const;

const decisionItem = z.object({
  senderId: z.string(),
  status: z.nullable(z.enum(senderStatuses)),
  note: z.nullable(z.string()),
  /** The MAIL FROM domains with which an approved provider had been seen; only their mail and aligned mail is approved. */
  envelopeDomains: z.array(z.string()),
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

export type DecisionStore = ReturnType<typeof decisionStore>;

export function decisionStore(table: Table) {
  return {
    /** All decisions of a domain. */
    async list(domainId: string): Promise<SenderDecisions> {
      const items = await table.query(startingWith(senderDecisionsOf(domainId)), decisionItem);
      return new Map(items.map((item) => [item.senderId, item]));
    },

    /** Returns false if the domain is gone. */
    async decide(domain: DomainReference, decision: SenderDecision): Promise<boolean> {
      const Item = { ...senderDecisionKey(domain.id, decision.senderId), ...decision };
      return (await table.tryTransact([isRegistered(domain), { Put: { Item } }])).size === 0;
    },

    async attestations(domainId: string): Promise<Attestations> {
      return (await table.get(attestationsKey(domainId), attestationsItem)) ?? nothingAttested;
    },

    /** Changes the attestations that `changes` names. Returns false if the domain is gone. */
    async attest(domain: DomainReference, changes: Partial<Attestations>): Promise<boolean> {
      const names = Object.keys(changes);
      const update = {
        Key: attestationsKey(domain.id),
        UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(changes).map(([name, value]) => [`:${name}`, value]),
        ),
      };
      return (await table.tryTransact([isRegistered(domain), { Update: update }])).size === 0;
    },
  };
}
