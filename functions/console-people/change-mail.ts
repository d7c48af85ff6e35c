import { separated } from '../../shared/api/domain-fields.ts';
import { withInput } from '../../shared/operations/outcome.ts';
import { changeMemberMail, operation } from '../../shared/operations/people/change-member-mail.ts';
import { memberMailDependencies } from '../../shared/runtime/dependencies/people.ts';
import { changed, confirmedEndpoint } from '../console-settings/presentation.ts';
import { routes } from './routes.ts';

export const handler = confirmedEndpoint(
  routes.changeMemberMail,
  memberMailDependencies,
  async ({ caller, form: { address, threshold, tags } }, deps) => {
    const mail = address === '' ? null : { address, threshold, tags: separated(tags, ',') };
    return changed(
      await withInput(operation.input, { mail }, (input) => changeMemberMail(caller, input, deps)),
      (own) => ({
        says: own === null ? 'No alerts are mailed to you.' : `Alerts are mailed to ${own.address}.`,
      }),
    );
  },
);
