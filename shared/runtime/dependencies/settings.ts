import { describeMailTransport } from '../../notify/mail-transport.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { auditStore } from '../../store/audit.ts';
import { memberStore } from '../../store/members.ts';
import { organizationStore } from '../../store/organizations.ts';
import { personStore } from '../../store/people.ts';
import { sessionStore } from '../../store/sessions.ts';
import type { SettingsDependencies } from '../../views/settings.ts';
import { config } from '../config/config.ts';
import type { ProofDependencies } from '../http/proof.ts';
import { clock, itemStore, table } from './services.ts';

/** What showing the settings of an organization needs. */
export function settingsDependencies(): SettingsDependencies {
  const { SCORE_THRESHOLD, DOMAIN_LIMIT, RETENTION_DAYS, OIDC_ISSUER, ...mail } = config();
  return {
    organizations: organizationStore(table()),
    notifications: notificationSettingsStore(table()),
    audit: auditStore(table()),
    sessions: sessionStore(table()),
    members: memberStore(table()),
    people: personStore(table()),
    hasPeople: OIDC_ISSUER !== '',
    defaults: { scoreThreshold: SCORE_THRESHOLD, domains: DOMAIN_LIMIT, retentionDays: RETENTION_DAYS },
    mailTransport: describeMailTransport(mail),
    clock,
  };
}

/** What forms need that ask for a proof first. */
export const confirmDependencies = (): ProofDependencies => ({
  sessions: sessionStore(table()),
  tokens: itemStore(),
  clock,
});
