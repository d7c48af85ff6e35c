import { runChecks } from '../../shared/operations/checks/run-checks.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { scoreChangeInWords } from '../../shared/pages/console/domain/score-change.ts';
import { runDependencies } from '../../shared/runtime/dependencies/checks.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { computeScore } from '../../shared/score/score.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(routes.checkDomainNow, runDependencies, async (request, deps) =>
  redirect(
    await runChecks(request.caller, request.path, deps),
    ({ domain }) => domainPath(domain.id),
    ({ domain, checks }) => ({
      says: scoreChangeInWords(
        domain.scores?.[domain.usageType] ?? null,
        computeScore(checks.results, domain.usageType).score,
      ),
    }),
  ),
);
