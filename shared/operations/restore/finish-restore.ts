import * as z from 'zod/mini';
import { timestamp } from '../../protocol/schema.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { organizationStore } from '../../store/organizations.ts';
import type { Table } from '../../store/table.ts';
import { audited } from '../audit.ts';
import * as deleteDomain from '../domains/delete-domain.ts';
import type { InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { endOldSessions, revokeTokens } from './end-access.ts';
import { endNotifications } from './end-notifications.ts';
import { endOperators, lowerRoles, withdrawInvitations } from './end-rights.ts';
import { type ReadAgain, type ReadAgainDependencies, readMailsAgain } from './read-mails-again.ts';
import { endAgain, type Restored, wasThere } from './restored.ts';

export const operation = {
  name: 'finishRestore',
  summary: 'Make a restored table fit for use',
  description:
    'What ended after the point stays ended, and report mails that arrived since are read. Safe to repeat, also while the service uses the restored table: what was created after the point is left alone.',
  scope: 'operator',
  input: z.object({
    /** The point to which the table was restored. */
    at: timestamp,
    /** Mails that arrived since are read; by default, those of the hour before the point, too: they may have waited to be read. */
    since: z.optional(timestamp),
    /** Whether domains that were removed since are to be there again. */
    keepDomains: z.optional(z.boolean()),
  }),
  refusals: ['invalid_request', 'not_found'],
  uses: [],
} as const satisfies Operation;

const EARLIER_MILLISECONDS = 3_600_000;

/** What ended again. */
export interface EndedAgain {
  /** Tokens, and members. */
  revokedTokens: number;
  loweredRoles: number;
  withdrawnInvitations: number;
  endedOperators: number;
  readonly removedDomains: string[];
  droppedNotifications: number;
}

export interface Finished {
  readonly ended: Readonly<EndedAgain>;
  /** From when on mails were looked for. */
  readonly since: Date;
  readonly mails: ReadAgain;
}

export interface FinishDependencies extends ReadAgainDependencies {
  readonly table: Table;
  /** The table before it; undefined if it is lost: then all tokens and all waiting notifications count as ended. */
  readonly old: Table | undefined;
}

/** The audit log of each organization has what ended again, and that its data were restored. */
export async function finishRestore(
  input: InputOf<typeof operation>,
  deps: FinishDependencies,
): Promise<OutcomeOf<typeof operation, Finished>> {
  const at = new Date(input.at);
  const restored = { table: deps.table, old: deps.old, at };
  const organizations = (await organizationStore(deps.table).list()).map(({ id }) => id);
  const other = await otherService(organizations, restored);
  if (other !== undefined) return other;
  const ended: EndedAgain = {
    ...{ revokedTokens: 0, loweredRoles: 0, withdrawnInvitations: 0, endedOperators: 0 },
    ...{ removedDomains: [], droppedNotifications: 0 },
  };
  for (const organization of organizations) {
    ended.revokedTokens += await revokeTokens(organization, restored, deps);
    ended.loweredRoles += await lowerRoles(organization, restored, deps);
    ended.withdrawnInvitations += await withdrawInvitations(organization, restored, deps);
    ended.endedOperators += await endOperators(organization, restored, deps);
    await endOldSessions(organization, restored, deps);
    if (!input.keepDomains) ended.removedDomains.push(...(await removeDomains(organization, restored, deps)));
  }
  ended.droppedNotifications = await endNotifications(restored, deps);
  const since = input.since === undefined ? at.getTime() - EARLIER_MILLISECONDS : Date.parse(input.since);
  const mails = await readMailsAgain({ ...restored, at: new Date(since) }, deps);
  for (const id of organizations)
    await audited(operation, id, deps, { value: null, subjects: [{ id, name: at.toISOString() }] });
  return { value: { ended, since: new Date(since), mails } };
}

/** With a wrong table, everything would look as if it had been removed since. */
async function otherService(
  organizations: readonly string[],
  { old }: Restored,
): Promise<Refused<'not_found'> | undefined> {
  if (old === undefined) return undefined;
  for (const id of organizations)
    if ((await organizationStore(old).get(id)) === undefined)
      return new Refused(
        'not_found',
        `${old.name} does not have the organization ${id}: is it the table that was restored?`,
      );
  return undefined;
}

/** Returns their names. */
async function removeDomains(
  organization: string,
  restored: Restored,
  deps: FinishDependencies,
): Promise<readonly string[]> {
  const { table, old } = restored;
  if (old === undefined) return [];
  const domains = domainStore(table);
  // The schedule that resumes deletions finds it.
  const deleting = { domains, clock: deps.clock, deletions: { send: async () => undefined } };
  const removed: string[] = [];
  for (const one of await domains.all(organization)) {
    if (!wasThere(one, restored) || (await domainStore(old).get(organization, one.id)) !== undefined)
      continue;
    const ended = await endAgain(deleteDomain.operation, organization, deps, (caller) =>
      deleteDomain.deleteDomain(caller, { id: one.id }, deleting),
    );
    if (ended > 0) removed.push(one.domain);
  }
  return removed;
}
