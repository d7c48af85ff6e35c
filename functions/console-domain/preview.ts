import { previewFix } from '../../shared/operations/fixes/preview-fix.ts';
import { domainDocument } from '../../shared/pages/console/domain/document.ts';
import { previewPage } from '../../shared/pages/console/domain/preview.ts';
import { previewDependencies } from '../../shared/runtime/dependencies/checks.ts';
import { planDependencies } from '../../shared/runtime/dependencies/fixes.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { computeScore } from '../../shared/score/score.ts';
import { findingAudienceOf } from '../../shared/store/domains/report-address.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.previewFix,
  () => ({ ...planDependencies(), ...previewDependencies() }),
  async ({ path: { id }, query: { change }, ...request }, deps) =>
    answer(await previewFix(request.caller, { id, change }, deps), ({ domain, ...previewed }) => {
      const score = (results: typeof previewed.before) => computeScore(results, domain.usageType).score;
      const scores = { before: score(previewed.before), after: score(previewed.after) };
      const view = { ...previewed, scores, owner: findingAudienceOf(domain, deps.reportsDomain) };
      return domainDocument(domain, request, 'Preview', (shown, room) => previewPage(shown, view, room));
    }),
);
