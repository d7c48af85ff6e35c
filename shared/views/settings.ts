/** The settings of an organization, as one of its sessions sees them. */
import type * as z from 'zod/mini';
import type { Channel, MemberMail } from '../alerts/notification.ts';
import type { auditEntry } from '../api/audit.ts';
import { type notifications, showNotifications } from '../api/notification-settings.ts';
import type { token } from '../api/tokens.ts';
import type { Clock } from '../network/ports.ts';
import { type Role, roleOf } from '../protocol/scope.ts';
import type { LastDelivery, NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import { covers, endOf, isMember, type Member, type Scope, type TokenInfo } from '../store/api-tokens.ts';
import type { AuditStore } from '../store/audit.ts';
import type { MemberStore } from '../store/members.ts';
import type { OrganizationStore } from '../store/organizations.ts';
import type { PersonStore } from '../store/people.ts';
import type { Session, SessionStore } from '../store/sessions.ts';
import { tokensIn } from './tokens.ts';

export interface Settings {
  readonly scope: Scope;
  readonly sessions: ShownSessions;
  readonly notifications: z.output<typeof notifications>;
  readonly lastDeliveries: Readonly<Record<Channel, LastDelivery | null>>;
  /** How mail leaves the service, in a sentence. */
  readonly mailTransport: string;
  /** What only the operator of the service changes. */
  readonly limits: Limits;
  /** The reader; undefined for a token. */
  readonly person: ShownPerson | undefined;
  /** Whether people can sign in through an identity provider. */
  readonly hasPeople: boolean;
  /** Undefined if the scope of the session does not cover them. */
  readonly admin:
    | {
        readonly tokens: readonly z.output<typeof token>[];
        readonly audit: readonly z.output<typeof auditEntry>[];
        readonly page: number;
        readonly hasMore: boolean;
      }
    | undefined;
}

export interface ShownPerson {
  readonly mail: string;
  readonly role: Role;
  /** Of which the person is a member, by name. */
  readonly organizations: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: Role;
    /** Whether it is the one that the reader sees. */
    readonly isShown: boolean;
  }[];
  /** Whether a sign-in with a new browser is mailed. */
  readonly signInNotice: boolean;
  /** Which alerts of the organization are mailed to the person; null: none. */
  readonly alerts: MemberMail | null;
  /** Whether the person operates the service. */
  readonly operator: boolean;
}

interface Limits {
  readonly scoreThreshold: number;
  /** 0: data is kept forever. */
  readonly retentionDays: number;
  /** 0: no limit. */
  readonly domains: number;
}

export interface ShownSessions {
  /** Whether they are those of all tokens of the organization, or of one token only. */
  readonly isWhole: boolean;
  /** The last used first. */
  readonly sessions: readonly (Pick<Session, 'id' | 'tokenId' | 'startedAt' | 'lastUsedAt' | 'client'> & {
    readonly tokenName: string;
    /** Whether it is the session that sees the settings. */
    readonly isOwn: boolean;
  })[];
}

const AUDIT_ENTRIES = 20;

export interface SettingsDependencies {
  readonly organizations: Pick<OrganizationStore, 'get' | 'listTokens' | 'tokenUses'>;
  readonly notifications: Pick<NotificationSettingsStore, 'get' | 'lastDeliveries'>;
  readonly audit: Pick<AuditStore, 'list'>;
  readonly sessions: Pick<SessionStore, 'list'>;
  readonly members: Pick<MemberStore, 'of' | 'isOperator'>;
  readonly people: Pick<PersonStore, 'get'>;
  /** What applies to organizations for which the operator set nothing else. */
  readonly defaults: Limits;
  readonly mailTransport: string;
  /** Whether people can sign in through an identity provider. */
  readonly hasPeople: boolean;
  readonly clock: Clock;
}

/** Who sees the settings. */
export interface Viewer {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly session: Pick<Session, 'id'>;
}

/**
 * The settings, without what the scope of the session does not cover.
 * @param page The page of the audit log.
 */
export async function settingsFor(
  { organization, token, session }: Viewer,
  page: number,
  deps: SettingsDependencies,
): Promise<Settings> {
  const { organizations, notifications, audit, sessions, defaults, mailTransport, hasPeople, clock } = deps;
  const isAdmin = covers(token.scope, 'admin');
  const range = { page, limit: AUDIT_ENTRIES };
  const now = clock.now();
  const [known, settings, lastDeliveries, signedIn, all, uses, log, person] = await Promise.all([
    organizations.get(organization),
    notifications.get(organization),
    notifications.lastDeliveries(organization),
    sessions.list(organization, isAdmin ? undefined : token.id, now),
    isAdmin ? organizations.listTokens(organization) : [token],
    isAdmin ? organizations.tokenUses(organization) : new Map<string, string>(),
    isAdmin ? audit.list(organization, {}, range, now) : { entries: [], hasMore: false },
    isMember(token) ? personFor(token, deps) : undefined,
  ]);
  const tokens = isAdmin ? tokensIn(all, uses) : [];
  // A session of a token that is no longer valid is over.
  const names = new Map(all.filter((one) => endOf(one, now) === undefined).map(({ id, name }) => [id, name]));
  const elsewhere = isMember(token) ? await ownElsewhere(token, now, deps) : [];
  return {
    ...{ scope: token.scope, lastDeliveries, mailTransport, hasPeople },
    person: person && { ...person, alerts: settings.people[token.id] ?? null },
    sessions: {
      isWhole: isAdmin,
      sessions: [
        ...signedIn.flatMap((one) => {
          const tokenName = names.get(one.tokenId);
          return tokenName === undefined ? [] : [{ ...one, tokenName, isOwn: one.id === session.id }];
        }),
        ...elsewhere,
      ].toSorted((a, b) => b.lastUsedAt.localeCompare(a.lastUsedAt)),
    },
    notifications: showNotifications(settings),
    limits: {
      scoreThreshold: known?.scoreThreshold ?? defaults.scoreThreshold,
      domains: known?.domainLimit ?? defaults.domains,
      retentionDays: defaults.retentionDays,
    },
    admin: isAdmin ? { tokens, audit: log.entries, page, hasMore: log.hasMore } : undefined,
  };
}

/** The sessions of the reader in their other organizations, which only they see. */
async function ownElsewhere(
  { organization, member }: Member,
  now: Date,
  { members, sessions, organizations }: Pick<SettingsDependencies, 'members' | 'sessions' | 'organizations'>,
) {
  const others = (await members.of(member.person)).filter((one) => one.organization !== organization);
  const found = await Promise.all(
    others.map(async ({ organization: there, id, name }) => {
      const own = await sessions.list(there, id, now);
      if (own.length === 0) return [];
      const tokenName = `${name} in ${(await organizations.get(there))?.name ?? there}`;
      return own.map((one) => ({ ...one, tokenName, isOwn: false }));
    }),
  );
  return found.flat();
}

/** What the settings say about the reader. */
async function personFor(
  { name: mail, scope, organization, member }: Member,
  { members, people, organizations }: Pick<SettingsDependencies, 'members' | 'people' | 'organizations'>,
): Promise<Omit<ShownPerson, 'alerts'>> {
  const [{ signInNotice }, memberships, operator] = await Promise.all([
    people.get(member.person),
    members.of(member.person),
    members.isOperator(member.person),
  ]);
  const all = await Promise.all(
    memberships.map(async ({ organization: id, scope: theirs }) => {
      const found = await organizations.get(id);
      return { id, name: found?.name ?? id, role: roleOf(theirs), isShown: id === organization };
    }),
  );
  const byName = all.toSorted((a, b) => a.name.localeCompare(b.name));
  return { mail, role: roleOf(scope), organizations: byName, signInNotice, operator };
}
