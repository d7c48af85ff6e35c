/**
 * What ended after the point to which a table was restored stays ended: revoked tokens, rights of people, removed domains, sessions,
 * and notifications that were sent. Safe to repeat, also while the service uses the restored table: what was created later than
 * the point is left alone.
 */
import * as deleteDomain from '../../../shared/operations/domains/delete-domain.ts';
import * as removeMember from '../../../shared/operations/people/remove-member.ts';
import * as deleteToken from '../../../shared/operations/tokens/delete-token.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { digestPlanStore } from '../../../shared/store/alerts/digest-plans.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { type PendingNotification, pendingNotificationStore } from '../../../shared/store/alerts/pending.ts';
import { isMember } from '../../../shared/store/api-tokens.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { notificationShards } from '../../../shared/store/keys.ts';
import { memberStore } from '../../../shared/store/members.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { sessionStore } from '../../../shared/store/sessions.ts';
import type { Table } from '../../../shared/store/table.ts';
import { CommandError } from '../../terminal/command-line.ts';
import type { AdminDependencies } from '../command.ts';
import { perform } from '../perform.ts';
import { type EndedRights, endRights } from './carry-rights.ts';

/** The point to which a table was restored, and the table before it. */
export interface Restored {
  readonly table: Table;
  readonly at: Date;
  /** Undefined if it is lost: then all tokens and all waiting notifications count as ended. */
  readonly old: Table | undefined;
  /** Whether domains that were removed since are to be there again. */
  readonly keepsDomains: boolean;
}

export interface CarriedOver extends EndedRights {
  readonly revokedTokens: number;
  readonly removedDomains: readonly string[];
  readonly droppedNotifications: number;
}

type Dependencies = Pick<AdminDependencies, 'audit' | 'clock'>;

/** @throws CommandError if the old table does not have the organizations of the restored one. */
export async function carryOver(restored: Restored, deps: Dependencies): Promise<CarriedOver> {
  const organizations = (await organizationStore(restored.table).list()).map(({ id }) => id);
  await requireSameService(organizations, restored);
  let revokedTokens = 0;
  const rights = { loweredRoles: 0, withdrawnInvitations: 0, endedOperators: 0 };
  const removedDomains: string[] = [];
  for (const organization of organizations) {
    revokedTokens += await revokeTokens(organization, restored, deps);
    const ended = await endRights(organization, restored, deps);
    rights.loweredRoles += ended.loweredRoles;
    rights.withdrawnInvitations += ended.withdrawnInvitations;
    rights.endedOperators += ended.endedOperators;
    await endSessions(organization, restored, deps);
    removedDomains.push(...(await removeDomains(organization, restored, deps)));
  }
  let droppedNotifications = 0;
  for (const shard of notificationShards)
    for (const kind of ['alerts', 'digest'] as const) {
      droppedNotifications += await dropPending(kind, shard, restored);
      droppedNotifications += await endDeliveries(kind, shard, restored, deps);
    }
  for (const shard of notificationShards) await advanceDigests(shard, restored);
  return { revokedTokens, ...rights, removedDomains, droppedNotifications };
}

/** With a wrong table, everything would look as if it had been removed since. */
async function requireSameService(organizations: readonly string[], { old }: Restored): Promise<void> {
  if (old === undefined) return;
  for (const id of organizations)
    if ((await organizationStore(old).get(id)) === undefined)
      throw new CommandError(
        `${old.name} does not have the organization ${id}: is it the table that was restored?`,
      );
}

async function revokeTokens(
  organization: string,
  { table, at, old }: Restored,
  deps: Dependencies,
): Promise<number> {
  const organizations = organizationStore(table);
  const known = old === undefined ? [] : await organizationStore(old).listTokens(organization);
  // A list forgets a token some time after it was revoked.
  const valid = new Set(known.filter(({ revokedAt }) => revokedAt === null).map(({ hash }) => hash));
  const revoked = (await organizations.listTokens(organization)).filter(
    ({ hash, revokedAt, createdAt }) =>
      revokedAt === null && createdAt <= at.toISOString() && !valid.has(hash),
  );
  const ending = {
    organizations,
    members: memberStore(table),
    notifications: notificationSettingsStore(table),
    clock: deps.clock,
  };
  for (const one of revoked)
    await (isMember(one)
      ? perform(removeMember.operation, organization, deps, (caller) =>
          removeMember.removeMember(caller, { id: one.id }, ending),
        )
      : perform(deleteToken.operation, organization, deps, (caller) =>
          deleteToken.deleteToken(caller, { id: one.id }, ending),
        ));
  return revoked.length;
}

/** Nobody knows which sessions were ended since, and people can sign in again. */
async function endSessions(
  organization: string,
  { table, at }: Restored,
  { clock }: Dependencies,
): Promise<void> {
  const sessions = sessionStore(table);
  for (const { id, startedAt } of await sessions.list(organization, undefined, clock.now()))
    if (startedAt <= at.toISOString()) await sessions.end(organization, id);
}

async function removeDomains(
  organization: string,
  { table, at, old, keepsDomains }: Restored,
  deps: Dependencies,
): Promise<readonly string[]> {
  if (old === undefined || keepsDomains) return [];
  const domains = domainStore(table);
  const removed: string[] = [];
  for (const { id, domain, createdAt } of await domains.all(organization)) {
    if (createdAt > at.toISOString() || (await domainStore(old).get(organization, id)) !== undefined)
      continue;
    await perform(deleteDomain.operation, organization, deps, (caller) =>
      // The schedule that resumes deletions finds it.
      deleteDomain.deleteDomain(caller, { id }, { domains, clock: deps.clock, deletions: { send } }),
    );
    removed.push(domain);
  }
  return removed;
}

const send = async (): Promise<void> => undefined;

/** More than there are, and a number that DynamoDB accepts. */
const ALL = 1_000_000_000;

/** Later than everything that waits. */
const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z');
const everything = { now: END_OF_TIME, limit: ALL };

type Kind = 'alerts' | 'digest';

async function dropPending(kind: Kind, shard: number, { table, at, old }: Restored): Promise<number> {
  const waiting = old === undefined ? [] : await pendingNotificationStore(old).due(kind, shard, everything);
  const still = new Set(waiting.map(nameOf));
  const store = pendingNotificationStore(table);
  const sent = (await store.due(kind, shard, everything)).filter(
    (one) => isBefore(one.alert, at) && !still.has(nameOf(one)),
  );
  await store.remove(sent);
  return sent.length;
}

const nameOf = ({ organization, domainId, channel, to, alert }: PendingNotification): string =>
  JSON.stringify([organization, domainId, channel, to, alert]);

async function endDeliveries(
  kind: Kind,
  shard: number,
  { table, at, old }: Restored,
  { clock }: Dependencies,
): Promise<number> {
  const waiting = old === undefined ? [] : await deliveryStore(old).due(kind, shard, everything);
  const still = new Set(waiting.map(({ id }) => id));
  const store = deliveryStore(table);
  let ended = 0;
  for (const { id, dueAt } of await store.due(kind, shard, everything)) {
    if (!isBefore(id, at) || still.has(id)) continue;
    // No lease of a worker is longer than the delivery waits.
    const now = new Date(Math.max(Date.parse(dueAt), clock.now().getTime()));
    const claimed = await store.claim(id, { now, leaseSeconds: 1, sentAt: now });
    if (claimed.status !== 'claimed') continue;
    const reason = 'it was sent before the table was restored';
    await store.finish(claimed.lease, { outcome: 'dropped', reason }, clock.now());
    ended += 1;
  }
  return ended;
}

/** A digest that was sent since is not sent again, and neither is what it was about. */
async function advanceDigests(shard: number, { table, old }: Restored): Promise<void> {
  if (old === undefined) return;
  const sent = new Map(
    (await digestPlanStore(old).due(shard, everything)).map((plan) => [plan.organization, plan]),
  );
  for (const plan of await digestPlanStore(table).due(shard, everything)) {
    const before = sent.get(plan.organization);
    if (before === undefined || before.isOpen || plan.isOpen || before.at <= plan.at) continue;
    const { lastDigestAt } = await notificationSettingsStore(old).get(plan.organization);
    await digestPlanStore(table).set(plan, new Date(before.at), lastDigestAt ?? plan.at);
  }
}

/** Whether an ID (UUIDv7, RFC 9562 section 5.7) was made until `at`. */
const isBefore = (id: string, at: Date): boolean =>
  Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) <= at.getTime();
