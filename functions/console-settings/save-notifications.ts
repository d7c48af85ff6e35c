import { eventNames } from '../../shared/alerts/event.ts';
import { notificationsBody } from '../../shared/api/notification-settings.ts';
import { changeNotifications } from '../../shared/operations/notifications/change-notifications.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { changeDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changed, confirmed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.saveNotifications,
  () => ({ ...confirmDependencies(), changing: changeDependencies() }),
  (request, { changing, ...deps }) =>
    confirmed(routes.saveNotifications, request, deps, async () => {
      const { form } = request;
      const { address, mailThreshold, url, webhookThreshold, format } = form;
      const { digest, digestWeekday, digestHour, digestTimeZone } = form;
      const schedule = { digest, digestWeekday, digestHour: Number(digestHour), digestTimeZone };
      const events = eventNames.filter((name) => form[name] !== undefined);
      const input = readInput(notificationsBody, {
        mail: address === '' ? null : { address, threshold: mailThreshold, ...schedule },
        webhook: url === '' ? null : { url, threshold: webhookThreshold, format, events },
      });
      const outcome =
        input instanceof Refused ? input : await changeNotifications(asCaller(request), input, changing);
      return changed(outcome, ({ newSecret }) =>
        newSecret === null
          ? { says: 'The notifications are saved.' }
          : {
              says: 'The notifications are saved. Requests to the webhook are signed with this secret.',
              secret: newSecret,
            },
      );
    }),
);
