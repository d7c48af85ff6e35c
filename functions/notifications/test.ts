import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { sendTests, testDependencies } from './rules.ts';

export const handler = endpoint(
  routes.testNotifications,
  testDependencies,
  async ({ organization, body }, deps) => {
    const created = await sendTests(organization, body.channel, deps);
    return {
      ...reply(created.map((one) => ({ ...one, kind: 'test' as const }))),
      subjects: created.map(({ id, channel }) => ({ id, name: channel })),
    };
  },
);
