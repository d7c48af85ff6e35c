import { showChecks } from '../../shared/api/show-checks.ts';
import { differenceOf } from '../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../shared/operations/checks/preview-checks.ts';
import { previewDependencies } from '../../shared/runtime/dependencies/checks.ts';
import { computeScore } from '../../shared/score/score.ts';
import { findingAudienceOf } from '../../shared/store/domains/report-address.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.previewChecks,
  previewDependencies,
  previewChecks,
  ({ domain, checkedAt, before, after }, { reportsDomain }) => ({
    checkedAt,
    results: showChecks(after, findingAudienceOf(domain, reportsDomain)),
    score: { ...computeScore(after, domain.usageType), lastCheckedAt: checkedAt },
    scoreBefore: computeScore(before, domain.usageType).score,
    ...differenceOf(before, after),
  }),
);
