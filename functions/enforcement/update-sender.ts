import { missing } from '../../shared/api/common.ts';
import { decideSender } from '../../shared/enforcement/decide.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { isCurrent, versionAt } from '../../shared/runtime/http/entity-tag.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import { assessAgain, notApprovable } from './rules.ts';

export const handler = endpoint(
  routes.updateSender,
  () => ({
    domains: domainStore(table()),
    deps: { ...enforcementDependencies(), rollUps: queue('summaries') },
  }),
  async ({ organization, path, body, token, ifMatch }, { domains, deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const allow = (changedAt: string | null) => {
      if (!isCurrent(versionAt(changedAt), ifMatch)) throw new ServiceError('precondition_failed');
    };
    const sender = await decideSender(domain, path.senderId, { ...body, by: token.id, allow }, deps);
    if (sender === undefined) throw new ServiceError('not_found', missing.sender);
    if (sender === 'not-approvable') throw invalidRequest(notApprovable);
    await assessAgain(domain, deps);
    return {
      data: sender,
      version: versionAt(sender.changedAt),
      subjects: [{ id: domain.id, name: `${domain.domain}: ${sender.name}` }],
    };
  },
);
