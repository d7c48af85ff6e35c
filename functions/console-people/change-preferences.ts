import { changePreferences } from '../../shared/operations/people/change-preferences.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { personStore } from '../../shared/store/people.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changed, confirmed } from '../console-settings/presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.changePreferences,
  () => ({ ...confirmDependencies(), people: personStore(table()) }),
  async (request, { people, ...deps }) => {
    const signInNotice = request.form.signInNotice !== undefined;
    const change = async () =>
      changed(await changePreferences(request.caller, { signInNotice }, { people }), () => ({
        says: signInNotice
          ? 'Sign-ins with a new browser are mailed to you.'
          : 'Sign-ins are not mailed to you.',
      }));
    // Who took a session would otherwise turn off what tells the person of it.
    return signInNotice ? change() : confirmed(routes.changePreferences, request, deps, change);
  },
);
