import { canonicalJson } from '../../shared/evidence/canonical.ts';
import { getEvidence } from '../../shared/operations/evidence/get-evidence.ts';
import { overviewDocument, standingDocument } from '../../shared/pages/console/domain/document.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { evidenceDependencies } from '../../shared/runtime/dependencies/evidence.ts';
import { planDependencies } from '../../shared/runtime/dependencies/fixes.ts';
import { pastEvidence } from '../../shared/runtime/dependencies/past-evidence.ts';
import { clock, naming, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { answer, contentReply, reply } from '../../shared/runtime/http/reply.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { overviewOf } from '../../shared/views/domain/overview.ts';
import { standingOf } from '../../shared/views/domain/standing.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

const EVIDENCE = 'application/json; charset=utf-8';

export const handler = domainEndpoint(
  routes.showDomainOverview,
  () => ({
    ...planDependencies(),
    attention: attentionStore(table()),
    evidence: pastEvidence(),
    signed: evidenceDependencies,
    history: historyStore(table(), retention()),
    dns: dns(),
    naming: naming(),
    clock,
  }),
  async (domain, request, { clock, signed, ...deps }) => {
    const { at, as } = request.query;
    if (as === 'evidence') {
      const { data } = answer(await getEvidence(request.caller, { ...request.path, at }, signed()));
      return contentReply(EVIDENCE, canonicalJson(data), 'evidence.json');
    }
    if (at !== undefined)
      return reply(standingDocument(domain, request, await standingOf(domain, at, deps, clock.now())));
    return reply(overviewDocument(domain, request, await overviewOf(domain, deps, clock.now())));
  },
  consolePages,
);
