import { showChecks } from '../../shared/api/show-checks.ts';
import { runChecks } from '../../shared/operations/checks/run-checks.ts';
import { runDependencies } from '../../shared/runtime/dependencies/checks.ts';
import { findingAudienceOf } from '../../shared/store/domains/report-address.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.runChecks,
  runDependencies,
  runChecks,
  ({ domain, checks }, { run }) => ({
    checkedAt: checks.checkedAt,
    results: showChecks(checks.results, findingAudienceOf(domain, run.settings.reportsDomain)),
  }),
);
