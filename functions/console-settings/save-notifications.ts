import { eventNames } from '../../shared/alerts/event.ts';
import { notificationsBody } from '../../shared/api/notification-settings.ts';
import { changeNotifications } from '../../shared/operations/notifications/change-notifications.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { changeDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { changed, confirmedEndpoint } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = confirmedEndpoint(
  routes.saveNotifications,
  changeDependencies,
  async ({ caller, form }, deps) => {
    const { address, mailThreshold, url, webhookThreshold, format } = form;
    const { digest, digestWeekday, digestHour, digestTimeZone } = form;
    const schedule = { digest, digestWeekday, digestHour: Number(digestHour), digestTimeZone };
    const events = eventNames.filter((name) => form[name] !== undefined);
    const given = {
      mail: address === '' ? null : { address, threshold: mailThreshold, ...schedule },
      webhook: url === '' ? null : { url, threshold: webhookThreshold, format, events },
    };
    return changed(
      await withInput(notificationsBody, given, (input) => changeNotifications(caller, input, deps)),
      ({ newSecret }) =>
        newSecret === null
          ? { says: 'The notifications are saved.' }
          : {
              says: 'The notifications are saved. Requests to the webhook are signed with this secret.',
              secret: newSecret,
            },
    );
  },
);
