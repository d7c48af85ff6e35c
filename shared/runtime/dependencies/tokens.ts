/** What operations on tokens need. */
import type { CreateTokenDependencies } from '../../operations/tokens/create-token.ts';
import type { DeleteTokenDependencies } from '../../operations/tokens/delete-token.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { memberStore } from '../../store/members.ts';
import { organizationStore } from '../../store/organizations.ts';
import { config } from '../config/config.ts';
import { clock, table } from './services.ts';

export const createTokenDependencies = (): CreateTokenDependencies => ({
  organizations: organizationStore(table()),
  notifications: notificationSettingsStore(table()),
  label: config().SERVICE_LABEL,
  clock,
});

export const deleteTokenDependencies = (): DeleteTokenDependencies => ({
  organizations: organizationStore(table()),
  members: memberStore(table()),
  notifications: notificationSettingsStore(table()),
  clock,
});
