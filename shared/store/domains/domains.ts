/** Domains: registering, reading, changing and removing them. The conditions of the writes enforce the invariants. */

import { randomBytes } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import type { UsageType } from '../../checks/results.ts';
import type { ScoresByUsage } from '../../score/score.ts';
import { deletionKey, domainKey, domainNameKey, domainsOf, dueIndexKey, mailboxKey } from '../keys.ts';
import { foundOnPage } from '../query.ts';
import { ConditionsFailed, conditionFailed, type Table, transact } from '../table.ts';
import { badgeAdditions, badgeRemovals, newBadgeToken } from './badges.ts';
import { countDomains, REGISTERED, sameBadge, unchanged, updateOf } from './writes.ts';

export interface Domain {
  readonly id: string;
  readonly organization: string;
  readonly domain: string;
  readonly verified: boolean;
  readonly verificationToken: string;
  readonly usageType: UsageType;
  readonly testEmailLocalPart: string | null;
  /** Local part of the report mailbox. Random, so that nobody can guess where to send forged reports. */
  readonly mailbox: string;
  readonly lastCheckedAt: string | null;
  /** The scores of the latest check run; absent before the first. */
  readonly scores?: ScoresByUsage | null;
  /** The token of the public badge; absent while the badge is off. */
  readonly badgeToken?: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewDomain {
  readonly domain: string;
  readonly usageType: UsageType;
  readonly testEmailLocalPart: string | null;
}

/** What other items need to know about their domain. */
export type DomainReference = Pick<Domain, 'id' | 'organization' | 'domain'>;

export interface DomainChange extends Pick<Domain, 'usageType' | 'testEmailLocalPart'> {
  readonly hasBadge: boolean;
}

export type RegisterOutcome =
  | { readonly status: 'registered'; readonly domain: Domain }
  | { readonly status: 'exists' }
  | { readonly status: 'limit-reached' };

export type DomainStore = ReturnType<typeof domainStore>;

export function domainStore(table: Table) {
  return {
    /**
     * Registers a domain for an organization: reserves its name, creates its mailbox and counts it. `defaultLimit`
     * applies to organizations without their own limit.
     */
    async register(
      organization: string,
      given: NewDomain,
      defaultLimit: number,
      now: Date,
    ): Promise<RegisterOutcome> {
      const domain: Domain = {
        id: uuidv7(),
        organization,
        ...given,
        verified: false,
        verificationToken: randomBytes(24).toString('base64url'),
        mailbox: randomBytes(12).toString('hex'),
        lastCheckedAt: null,
        createdAt: now.toISOString(),
        updatedAt: now.toISOString(),
      };
      const absent = 'attribute_not_exists(pk)';
      const put = (Item: Record<string, unknown>) => ({
        Put: { TableName: table.name, Item, ConditionExpression: absent },
      });
      try {
        await transact(table, [
          put({ ...domainNameKey(organization, domain.domain), id: domain.id }),
          countDomains(table, organization, 1, defaultLimit),
          put({ ...domainKey(organization, domain.id), ...domain }),
          put({ ...mailboxKey(domain.mailbox), organization, id: domain.id, domain: domain.domain }),
        ]);
        return { status: 'registered', domain };
      } catch (error) {
        if (!(error instanceof ConditionsFailed)) throw error;
        if (error.failed.has(0)) return { status: 'exists' };
        if (error.failed.has(1)) return { status: 'limit-reached' };
        throw error;
      }
    },

    async get(organization: string, id: string): Promise<Domain | undefined> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: domainKey(organization, id), ConsistentRead: true }),
      );
      return Item === undefined ? undefined : decode(Item);
    },

    /** The organization's domain with this name (canonical form). */
    async named(organization: string, name: string): Promise<Domain | undefined> {
      const { Item } = await table.client.send(
        new GetCommand({
          TableName: table.name,
          Key: domainNameKey(organization, name),
          ConsistentRead: true,
        }),
      );
      return Item === undefined ? undefined : this.get(organization, String(Item.id));
    },

    /** The domain whose report mailbox has this local part (lower case). */
    async ofMailbox(localPart: string): Promise<DomainReference | undefined> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: mailboxKey(localPart), ConsistentRead: true }),
      );
      if (Item === undefined) return undefined;
      return { id: Item.id, organization: Item.organization, domain: Item.domain };
    },

    /** One page in the order of registration. Reads nothing beyond the end of the page. */
    async list(
      organization: string,
      page: number,
      limit: number,
    ): Promise<{ domains: Domain[]; hasMore: boolean }> {
      const { pk, prefix } = domainsOf(organization);
      const query = {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
        ConsistentRead: true,
      };
      const { items, hasMore } = await foundOnPage(table, query, { page, limit });
      return { domains: items.map(decode), hasMore };
    },

    /**
     * Changes the usage type, the test mailbox and whether the domain has a badge, if the domain did not change since
     * `before` was read. Turning a badge on creates a new token; turning it off removes the badge in the same write.
     * @returns the domain after the change; `undefined` if it was changed or removed meanwhile.
     */
    async change(
      before: Domain,
      { hasBadge, ...usage }: DomainChange,
      now: Date,
    ): Promise<Domain | undefined> {
      const badgeToken = hasBadge ? (before.badgeToken ?? newBadgeToken()) : undefined;
      const change = { ...usage, badgeToken, updatedAt: now.toISOString() };
      try {
        await transact(table, [
          { Update: updateOf(table, before, change, unchanged(before)) },
          ...(badgeToken === before.badgeToken
            ? []
            : [...badgeRemovals(table, before), ...badgeAdditions(table, { ...before, ...change })]),
        ]);
        return { ...before, ...change };
      } catch (error) {
        if (error instanceof ConditionsFailed) return undefined;
        throw error;
      }
    },

    /** Marks ownership as verified and schedules the first check. */
    async markVerified(domain: Domain, now: Date): Promise<Domain | undefined> {
      const at = now.toISOString();
      const set = { verified: true, updatedAt: at, ...dueIndexKey(domain.id, at) };
      try {
        const { Attributes } = await table.client.send(
          new UpdateCommand({ ...updateOf(table, domain, set, REGISTERED), ReturnValues: 'ALL_NEW' }),
        );
        return Attributes === undefined ? undefined : decode(Attributes);
      } catch (error) {
        if (conditionFailed(error)) return undefined;
        throw error;
      }
    },

    /**
     * Removes a domain, its name, its mailbox and its badge in one transaction, and records that its data still has to
     * be deleted. Returns false if there is no such domain.
     */
    async remove(domain: Domain, now: Date): Promise<boolean> {
      const { organization, id } = domain;
      const remove = (Key: Record<string, string>) => ({ Delete: { TableName: table.name, Key } });
      try {
        await transact(table, [
          {
            Delete: { TableName: table.name, Key: domainKey(organization, id), ...sameBadge(domain) },
          },
          remove({ ...domainNameKey(organization, domain.domain) }),
          remove({ ...mailboxKey(domain.mailbox) }),
          ...badgeRemovals(table, domain),
          countDomains(table, organization, -1),
          {
            Put: { TableName: table.name, Item: { ...deletionKey(id), id, requestedAt: now.toISOString() } },
          },
        ]);
        return true;
      } catch (error) {
        if (!(error instanceof ConditionsFailed)) throw error;
        // Either its badge changed since it was read, or it is gone.
        const present = await this.get(organization, id);
        return present === undefined ? false : this.remove(present, now);
      }
    },
  };
}

function decode(item: Record<string, unknown>): Domain {
  const { pk, sk, gsi1pk, gsi1sk, version, ...domain } = item;
  return domain as unknown as Domain;
}
