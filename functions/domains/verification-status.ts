import { naming } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { verificationRecordOf } from '../../shared/store/domains/verification-record.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.getVerification,
  () => ({ naming: naming() }),
  async (domain, _request, { naming }) =>
    reply({ verified: domain.verified, verificationRecord: verificationRecordOf(domain, naming) }),
);
