import { changePreferences } from '../../shared/operations/people/change-preferences.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { personStore } from '../../shared/store/people.ts';
import { changed } from '../console-settings/presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.changePreferences,
  () => ({ people: personStore(table()) }),
  async (request, deps) => {
    const signInNotice = request.form.signInNotice !== undefined;
    return changed(await changePreferences(asCaller(request), { signInNotice }, deps), () => ({
      says: signInNotice
        ? 'Sign-ins with a new browser are mailed to you.'
        : 'Sign-ins are not mailed to you.',
    }));
  },
  consolePages,
);
