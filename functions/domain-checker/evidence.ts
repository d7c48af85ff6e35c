import { canonicalJson } from '../../shared/evidence/canonical.ts';
import { getSharedEvidence } from '../../shared/operations/evidence/get-shared-evidence.ts';
import { signingDependencies } from '../../shared/runtime/dependencies/evidence.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, contentReply } from '../../shared/runtime/http/reply.ts';
import { domainCheckShareStore } from '../../shared/store/domain-checks.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getDomainCheckEvidence,
  () => ({ ...signingDependencies(), shares: domainCheckShareStore(table()) }),
  async ({ path: { shareId } }, deps) => {
    const { data } = answer(await getSharedEvidence(shareId, deps));
    return contentReply('application/json; charset=utf-8', canonicalJson(data), 'evidence.json');
  },
);
