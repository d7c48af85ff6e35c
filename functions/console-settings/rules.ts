/** The settings page, which every form of it shows again with what it did. */
import { showNotifications } from '../../shared/api/notification-settings.ts';
import type { Clock } from '../../shared/network/ports.ts';
import type { Subject } from '../../shared/operations/outcome.ts';
import { problemOf } from '../../shared/pages/console/form-fields.ts';
import { MAX_CONSOLE_PAGE } from '../../shared/pages/console/layout.ts';
import { type Outcome, settingsPage } from '../../shared/pages/console/settings.ts';
import { fitting } from '../../shared/pages/spf/extent.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import type { Reply } from '../../shared/runtime/http/reply.ts';
import {
  type NotificationSettingsStore,
  notificationSettingsStore,
} from '../../shared/store/alerts/notification-settings.ts';
import { covers, type TokenInfo } from '../../shared/store/api-tokens.ts';
import { type AuditStore, auditStore } from '../../shared/store/audit.ts';
import { type OrganizationStore, organizationStore } from '../../shared/store/organizations.ts';
import { type Session, type SessionStore, sessionStore } from '../../shared/store/sessions.ts';
import { tokensOf } from '../tokens/rules.ts';

const AUDIT_ENTRIES = 20;

export interface SettingsDependencies {
  readonly organizations: OrganizationStore;
  readonly notifications: NotificationSettingsStore;
  readonly audit: Pick<AuditStore, 'list'>;
  readonly sessions: Pick<SessionStore, 'list'>;
  /** What applies to organizations for which the operator set nothing else. */
  readonly defaults: {
    readonly scoreThreshold: number;
    readonly domainLimit: number;
    readonly retentionDays: number;
  };
  readonly clock: Clock;
}

export function settingsDependencies(): SettingsDependencies {
  const { SCORE_THRESHOLD, DOMAIN_LIMIT, RETENTION_DAYS } = config();
  return {
    organizations: organizationStore(table()),
    notifications: notificationSettingsStore(table()),
    audit: auditStore(table()),
    sessions: sessionStore(table()),
    defaults: {
      scoreThreshold: SCORE_THRESHOLD,
      domainLimit: DOMAIN_LIMIT,
      retentionDays: RETENTION_DAYS,
    },
    clock,
  };
}

export interface SettingsRequest {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly session: Session;
  readonly formToken: string;
}

/** The page, without what the scope of the session does not cover. */
export async function showSettings(
  { organization, token, session, formToken }: SettingsRequest,
  { organizations, notifications, audit, sessions, defaults, clock }: SettingsDependencies,
  { page = 1, outcome }: { readonly page?: number; readonly outcome?: Outcome } = {},
): Promise<string> {
  const isAdmin = covers(token.scope, 'admin');
  const range = { page, limit: AUDIT_ENTRIES };
  const now = clock.now();
  const [known, settings, lastDeliveries, signedIn, tokens, log] = await Promise.all([
    organizations.get(organization),
    notifications.get(organization),
    notifications.lastDeliveries(organization),
    sessions.list(organization, isAdmin ? undefined : token.id, now),
    isAdmin ? tokensOf(organization, { organizations }) : [],
    isAdmin ? audit.list(organization, {}, range, now) : { entries: [], hasMore: false },
  ]);
  // A session of a token that is no longer valid is over.
  const valid = isAdmin
    ? tokens.filter(({ expiresAt }) => expiresAt === null || new Date(expiresAt) > now)
    : [token];
  const names = new Map(valid.map(({ id, name }) => [id, name]));
  const view = {
    ...{ formToken, scope: token.scope, lastDeliveries, outcome },
    sessions: {
      isWhole: isAdmin,
      sessions: signedIn.flatMap((one) => {
        const tokenName = names.get(one.tokenId);
        return tokenName === undefined ? [] : [{ ...one, tokenName, isOwn: one.id === session.id }];
      }),
    },
    notifications: showNotifications(settings),
    limits: {
      scoreThreshold: known?.scoreThreshold ?? defaults.scoreThreshold,
      domains: known?.domainLimit ?? defaults.domainLimit,
      retentionDays: defaults.retentionDays,
    },
    admin: isAdmin ? { tokens, audit: log.entries, page, hasMore: log.hasMore } : undefined,
  };
  return fitting((most) => settingsPage(view, most), MAX_CONSOLE_PAGE);
}

/** What a form did: what to say about it, and what it changed, for the audit log. */
export interface Done extends Omit<Outcome, 'kind'> {
  readonly subjects: readonly Subject[];
}

/** Shows the page again after `change`, with what it did or, in a response with status 400, why it did nothing. */
export async function changed(
  request: SettingsRequest,
  deps: SettingsDependencies,
  change: () => Promise<Done>,
): Promise<Reply<string>> {
  try {
    const { subjects, ...done } = await change();
    return { data: await showSettings(request, deps, { outcome: { kind: 'done', ...done } }), subjects };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const outcome = {
      kind: 'refused',
      says: problemOf({ message: error.message, problems: error.details }, fieldNames),
    } as const;
    return { data: await showSettings(request, deps, { outcome }), status: 400, subjects: [] };
  }
}

/** What the forms call the fields of the API. */
const fieldNames: Readonly<Record<string, string>> = {
  address: 'The mail address',
  url: 'The webhook URL',
  threshold: 'The severity',
  digest: 'The digest',
  digestWeekday: 'The day of the digest',
  digestHour: 'The hour of the digest',
  digestTimeZone: 'The time zone',
  format: 'The format',
  name: 'The name',
  scope: 'The scope',
  expiresAt: 'The last day',
  networks: 'Each network',
  channel: 'The channel',
};
