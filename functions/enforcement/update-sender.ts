import { missing } from '../../shared/api/common.ts';
import { decideSender } from '../../shared/enforcement/decide.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.updateSender,
  () => ({ domains: domainStore(table()), deps: enforcementDependencies() }),
  async ({ organization, path, body, token }, { domains, deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const sender = await decideSender(domain, path.senderId, { ...body, by: token.id }, deps);
    if (sender === undefined) throw new ServiceError('not_found', missing.sender);
    return { data: sender, subjects: [{ id: domain.id, name: `${domain.domain}: ${sender.name}` }] };
  },
);
