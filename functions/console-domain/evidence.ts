import { canonicalJson } from '../../shared/evidence/canonical.ts';
import { getEvidence } from '../../shared/operations/evidence/get-evidence.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { evidenceDependencies } from '../../shared/runtime/dependencies/evidence.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, contentReply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.downloadEvidence,
  evidenceDependencies,
  async ({ path, query, ...request }, deps) => {
    const { data } = answer(await getEvidence(asCaller(request), { ...path, ...query }, deps));
    return contentReply('application/json; charset=utf-8', canonicalJson(data), 'evidence.json');
  },
  consolePages,
);
