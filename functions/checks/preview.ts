import { showChecks } from '../../shared/api/show-checks.ts';
import { differenceOf } from '../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../shared/operations/checks/preview-checks.ts';
import { previewDependencies } from '../../shared/runtime/dependencies/checks.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { computeScore } from '../../shared/score/score.ts';
import { findingAudienceOf } from '../../shared/store/domains/report-address.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.previewChecks,
  previewDependencies,
  async ({ path, body, ...request }, deps) =>
    answer(
      await previewChecks(asCaller(request), { ...path, ...body }, deps),
      ({ domain, checkedAt, before, after }) => ({
        checkedAt,
        results: showChecks(after, findingAudienceOf(domain, deps.reportsDomain)),
        score: { ...computeScore(after, domain.usageType), lastCheckedAt: checkedAt },
        scoreBefore: computeScore(before, domain.usageType).score,
        ...differenceOf(before, after),
      }),
    ),
);
