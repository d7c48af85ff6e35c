import { separated } from '../../shared/api/domain-fields.ts';
import { Refused, readInput } from '../../shared/operations/outcome.ts';
import { changeMemberMail, operation } from '../../shared/operations/people/change-member-mail.ts';
import { memberMailDependencies } from '../../shared/runtime/dependencies/people.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changed, confirmed } from '../console-settings/presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.changeMemberMail,
  () => ({ ...confirmDependencies(), changing: memberMailDependencies() }),
  (request, { changing, ...deps }) =>
    confirmed(routes.changeMemberMail, request, deps, async () => {
      const { address, threshold, tags } = request.form;
      const mail = address === '' ? null : { address, threshold, tags: separated(tags, ',') };
      const input = readInput(operation.input, { mail });
      const outcome =
        input instanceof Refused ? input : await changeMemberMail(asCaller(request), input, changing);
      return changed(outcome, (own) => ({
        says: own === null ? 'No alerts are mailed to you.' : `Alerts are mailed to ${own.address}.`,
      }));
    }),
);
