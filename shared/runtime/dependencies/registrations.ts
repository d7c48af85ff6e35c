/** What asks registries about domains: one list of servers and one memory of answers in this process. */
import { createRegistrations, type Registrations } from '../../monitoring/registrations.ts';
import type { RegistrationDependencies } from '../../monitoring/watch-registration.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { attentionChanges } from '../../store/attention-changes.ts';
import { registrationStore } from '../../store/check-runs/registrations.ts';
import type { Table } from '../../store/table.ts';
import { config } from '../config/config.ts';
import { checkContext } from './check-context.ts';

let made: Registrations | undefined;

export function registrationDependencies(table: Table): RegistrationDependencies {
  const { RDAP_BOOTSTRAP } = config();
  if (RDAP_BOOTSTRAP !== 'off') made ??= createRegistrations(checkContext().network.web, RDAP_BOOTSTRAP);
  return {
    registrations: made,
    stored: registrationStore(table),
    attention: attentionChanges(table, notificationSettingsStore(table)),
  };
}
