import { canonicalJson } from '../../shared/evidence/canonical.ts';
import { getEvidence } from '../../shared/operations/evidence/get-evidence.ts';
import { evidenceDependencies } from '../../shared/runtime/dependencies/evidence.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, contentReply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getEvidence,
  evidenceDependencies,
  async ({ caller, path, query }, deps) => {
    const { data } = answer(await getEvidence(caller, { ...path, ...query }, deps), undefined, 'query');
    return contentReply('application/json; charset=utf-8', canonicalJson(data));
  },
);
