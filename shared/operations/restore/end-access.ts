/** Tokens, members and sessions that ended after the point to which a table was restored end again. */
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { isMember } from '../../store/api-tokens.ts';
import { memberStore } from '../../store/members.ts';
import { organizationStore } from '../../store/organizations.ts';
import { sessionStore } from '../../store/sessions.ts';
import type { AuditDependencies } from '../audit.ts';
import * as removeMember from '../people/remove-member.ts';
import * as endSessions from '../sessions/end-sessions.ts';
import * as deleteToken from '../tokens/delete-token.ts';
import { endAgain, type Restored, wasThere } from './restored.ts';

/** Returns how many tokens were revoked and members removed. */
export async function revokeTokens(
  organization: string,
  restored: Restored,
  deps: AuditDependencies,
): Promise<number> {
  const { table, old } = restored;
  const organizations = organizationStore(table);
  const known = old === undefined ? [] : await organizationStore(old).listTokens(organization);
  // A list forgets a token some time after it was revoked.
  const valid = new Set(known.filter(({ revokedAt }) => revokedAt === null).map(({ hash }) => hash));
  const ending = {
    organizations,
    members: memberStore(table),
    notifications: notificationSettingsStore(table),
    clock: deps.clock,
  };
  let revoked = 0;
  for (const one of await organizations.listTokens(organization)) {
    if (one.revokedAt !== null || !wasThere(one, restored) || valid.has(one.hash)) continue;
    const { id } = one;
    revoked += await (isMember(one)
      ? endAgain(removeMember.operation, organization, deps, (caller) =>
          removeMember.removeMember(caller, { id }, ending),
        )
      : endAgain(deleteToken.operation, organization, deps, (caller) =>
          deleteToken.deleteToken(caller, { id }, ending),
        ));
  }
  return revoked;
}

/** Nobody knows which sessions were ended since, and people can sign in again. */
export async function endOldSessions(
  organization: string,
  { table, at }: Restored,
  deps: AuditDependencies,
): Promise<void> {
  const ending = { sessions: sessionStore(table), members: memberStore(table) };
  for (const { id, startedAt } of await ending.sessions.list(organization, undefined, deps.clock.now()))
    if (startedAt <= at.toISOString())
      await endAgain(endSessions.operation, organization, deps, (caller) =>
        endSessions.endSessions(caller, { id }, ending),
      );
}
