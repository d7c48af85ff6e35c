/** Domains: registering, reading, changing and removing them. The conditions of the writes enforce the invariants. */

import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import type { UsageType } from '../../checks/state.ts';
import { ABSENT, ConditionsFailed, PRESENT } from '../items.ts';
import {
  deletionKey,
  domainKey,
  domainNameKey,
  domainSumsKey,
  domainsOf,
  dueIndexKey,
  mailboxKey,
  organizationSumsKey,
} from '../keys.ts';
import { startingWith } from '../query.ts';
import type { Table, Write } from '../table.ts';
import { newId } from '../time-ids.ts';
import { badgeAdditions, badgeRemovals, newBadgeToken } from './badges.ts';
import { compactDirectory, directoryWrite } from './directory-writes.ts';
import {
  type Domain,
  type DomainReference,
  domainItem,
  domainReference,
  type OwnerChange,
  patchOf,
  provenAt,
} from './domain.ts';
import { countDomains, unchanged, updateOf } from './writes.ts';

export type { Domain, DomainReference } from './domain.ts';

export interface NewDomain {
  readonly domain: string;
  readonly usageType: UsageType;
  readonly testEmailLocalPart: string | null;
  readonly tags?: readonly string[];
}

interface DomainChange extends OwnerChange {
  readonly hasBadge: boolean;
}

type RegisterOutcome =
  | { readonly status: 'registered'; readonly domain: Domain }
  | { readonly status: 'exists' }
  | { readonly status: 'limit-reached' };

/** The item that reserves a domain name in an organization. */
const nameItem = z.object({ id: z.string() });

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
        id: newId(now),
        organization,
        ...given,
        dkimSelectors: [],
        tags: [...(given.tags ?? [])],
        verified: false,
        verificationToken: randomBytes(24).toString('base64url'),
        mailbox: randomBytes(12).toString('hex'),
        lastCheckedAt: null,
        createdAt: now.toISOString(),
        updatedAt: now.toISOString(),
      };
      const put = (Item: Record<string, unknown>) => ({ Put: { Item, ...ABSENT } });
      const failed = await table.tryTransact([
        put({ ...domainNameKey(organization, domain.domain), id: domain.id }),
        countDomains(organization, 1, defaultLimit),
        put({ ...domainKey(organization, domain.id), ...domain }),
        put({ ...mailboxKey(domain.mailbox), organization, id: domain.id, domain: domain.domain }),
        directoryWrite(domain, nameAndFilters(domain)),
      ]);
      if (failed.size === 0) {
        await compactDirectory(table, domain);
        return { status: 'registered', domain };
      }
      if (failed.has(0)) return { status: 'exists' };
      if (failed.has(1)) return { status: 'limit-reached' };
      throw new ConditionsFailed(failed);
    },

    async get(organization: string, id: string): Promise<Domain | undefined> {
      return table.get(domainKey(organization, id), domainItem);
    },

    /** The organization's domain with this name (canonical form). */
    async named(organization: string, name: string): Promise<Domain | undefined> {
      const item = await table.get(domainNameKey(organization, name), nameItem);
      return item && this.get(organization, item.id);
    },

    /** The domain whose report mailbox has this local part (lower case). */
    async ofMailbox(localPart: string): Promise<DomainReference | undefined> {
      return table.get(mailboxKey(localPart), domainReference);
    },

    /** One page in the order of registration. Reads nothing beyond the end of the page. */
    async list(
      organization: string,
      page: number,
      limit: number,
    ): Promise<{ domains: readonly Domain[]; hasMore: boolean }> {
      const query = { ...startingWith(domainsOf(organization)), ConsistentRead: true };
      const { items, hasMore } = await table.page(query, domainItem, { page, limit });
      return { domains: items, hasMore };
    },

    /** All domains of an organization in the order of registration, for its operator. */
    async all(organization: string): Promise<readonly Domain[]> {
      return table.query({ ...startingWith(domainsOf(organization)), ConsistentRead: true }, domainItem);
    },

    /**
     * Changes what its owner sets and whether the domain has a badge, if the domain did not change since `before` was read. Turning a badge on creates a new token; turning it off removes the badge in the
     * same write.
     * @returns the domain after the change; `undefined` if it was changed or removed meanwhile.
     */
    async change(
      before: Domain,
      { hasBadge, ...given }: DomainChange,
      now: Date,
    ): Promise<Domain | undefined> {
      const badgeToken = hasBadge ? (before.badgeToken ?? newBadgeToken()) : undefined;
      const change = { ...patchOf(given), badgeToken, updatedAt: laterThan(before, now) };
      const after = { ...before, ...change };
      const failed = await table.tryTransact([
        { Update: updateOf(before, change, unchanged(before)) },
        directoryWrite(before, { usageType: after.usageType, tags: after.tags }),
        ...(badgeToken === before.badgeToken ? [] : [...badgeRemovals(before), ...badgeAdditions(after)]),
      ]);
      if (failed.size > 0) return undefined;
      await compactDirectory(table, before);
      return after;
    },

    /** Marks ownership as verified and schedules the first check, together with other writes. */
    async markVerified(
      domain: Domain,
      now: Date,
      others: readonly Write[] = [],
    ): Promise<Domain | undefined> {
      const dueAt = now.toISOString();
      const verification = { verified: true, updatedAt: laterThan(domain, now), ownership: provenAt(now) };
      const failed = await table.tryTransact([
        { Update: updateOf(domain, { ...verification, ...dueIndexKey(domain.id, dueAt) }, PRESENT) },
        directoryWrite(domain, { verified: true }),
        ...others,
      ]);
      if (failed.size > 0) return undefined;
      await compactDirectory(table, domain);
      return { ...domain, ...verification };
    },

    /**
     * Removes a domain, its name, its mailbox and its badge in one transaction, and records that its data still has to
     * be deleted. Returns undefined if it changed since it was read, or is gone.
     */
    async remove(domain: Domain, now: Date): Promise<true | undefined> {
      const { organization, id } = domain;
      const failed = await table.tryTransact([
        { Delete: { Key: domainKey(organization, id), ...unchanged(domain) } },
        { Delete: { Key: domainNameKey(organization, domain.domain) } },
        { Delete: { Key: mailboxKey(domain.mailbox) } },
        ...badgeRemovals(domain),
        countDomains(organization, -1),
        { Put: { Item: { ...deletionKey(id), id, requestedAt: now.toISOString() } } },
        directoryWrite(domain, { removed: true }),
        { Delete: { Key: domainSumsKey(organization, id) } },
        { Delete: { Key: organizationSumsKey(organization) } },
      ]);
      if (failed.size === 0) {
        await compactDirectory(table, domain);
        return true;
      }
      return undefined;
    },
  };
}

const nameAndFilters = ({ domain, usageType, verified, tags }: Domain) => ({
  ...{ domain, usageType, verified, tags },
});

/** The time of a change, later than the one before: it identifies the version of a domain. */
function laterThan({ updatedAt }: Domain, now: Date): string {
  return new Date(Math.max(now.getTime(), Date.parse(updatedAt) + 1)).toISOString();
}
