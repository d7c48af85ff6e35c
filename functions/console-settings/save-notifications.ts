import { eventNames } from '../../shared/alerts/event.ts';
import { notificationsBody } from '../../shared/api/notification-settings.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { parseAs } from '../../shared/runtime/http/middleware/parse-request.ts';
import { changeDependencies, changeSettings } from '../notifications/rules.ts';
import { confirmDependencies, confirmed } from './confirmation-rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.saveNotifications,
  () => ({ ...confirmDependencies(), rules: changeDependencies() }),
  (request, { rules, ...deps }) =>
    confirmed(routes.saveNotifications, request, deps, async () => {
      const { form } = request;
      const { address, mailThreshold, url, webhookThreshold, format } = form;
      const { digest, digestWeekday, digestHour, digestTimeZone } = form;
      const schedule = { digest, digestWeekday, digestHour: Number(digestHour), digestTimeZone };
      const events = eventNames.filter((name) => form[name] !== undefined);
      const body = {
        mail: address === '' ? null : { address, threshold: mailThreshold, ...schedule },
        webhook: url === '' ? null : { url, threshold: webhookThreshold, format, events },
      };
      const given = parseAs(notificationsBody, body, 'form');
      const { newSecret } = await changeSettings(request.organization, given, rules);
      const says =
        newSecret === null
          ? 'The notifications are saved.'
          : 'The notifications are saved. Requests to the webhook are signed with this secret.';
      return { says, secret: newSecret ?? undefined, subjects: [{ id: null }] };
    }),
  consolePages,
);
