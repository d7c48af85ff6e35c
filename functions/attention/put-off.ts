import { showAttention } from '../../shared/api/attention.ts';
import { naming } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { putOff, putOffDependencies, subjectOf, versionOf } from './rules.ts';

export const handler = endpoint(
  routes.putOffAttention,
  () => ({ deps: putOffDependencies(), naming: naming() }),
  async ({ organization, path, body, ifMatch }, { deps, naming }) => {
    const item = await putOff(organization, path.id, body, deps, ifMatch);
    const shown = showAttention(item, naming.hostUrl, deps.clock.now());
    return { ...reply(shown), version: versionOf(item), subjects: [subjectOf(path.id, item)] };
  },
);
