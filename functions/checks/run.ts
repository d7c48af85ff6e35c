import { showChecks } from '../../shared/api/show-checks.ts';
import { runChecks } from '../../shared/operations/checks/run-checks.ts';
import { runDependencies } from '../../shared/runtime/dependencies/checks.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { findingAudienceOf } from '../../shared/store/domains/report-address.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.runChecks, runDependencies, async (request, deps) =>
  answer(await runChecks(asCaller(request), request.path, deps), ({ domain, checks }) => ({
    checkedAt: checks.checkedAt,
    results: showChecks(checks.results, findingAudienceOf(domain, deps.run.settings.reportsDomain)),
  })),
);
