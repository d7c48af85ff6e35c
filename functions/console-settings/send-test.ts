import { consolePages } from '../../shared/pages/console/layout.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { sendTests, testDependencies } from '../notifications/rules.ts';
import { routes } from './routes.ts';
import { changed, settingsDependencies } from './rules.ts';

export const handler = endpoint(
  routes.sendTestNotification,
  () => ({ ...settingsDependencies(), sending: testDependencies() }),
  ({ form: { channel }, ...request }, { sending, ...deps }) =>
    changed(request, deps, async () => {
      const sent = await sendTests(request.organization, channel, sending);
      return {
        says: 'A test is on its way. Its result appears here within two minutes.',
        subjects: sent.map(({ id }) => ({ id, name: channel })),
      };
    }),
  consolePages,
);
