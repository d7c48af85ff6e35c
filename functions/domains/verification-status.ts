import { naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { verificationRecordOf } from '../../shared/store/domains/verification-record.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getVerification,
  () => ({ domains: domainStore(table()), naming: naming() }),
  async ({ organization, path }, { domains, naming }) => {
    const domain = await requireDomain(domains, organization, path.id);
    return reply({ verified: domain.verified, verificationRecord: verificationRecordOf(domain, naming) });
  },
);
