import { fixFormat } from '../../shared/api/fixes.ts';
import { writeFixes } from '../../shared/fixes/formats.ts';
import { planFixes } from '../../shared/operations/fixes/plan-fixes.ts';
import { planDependencies } from '../../shared/runtime/dependencies/fixes.ts';
import { pastEvidence } from '../../shared/runtime/dependencies/past-evidence.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, contentReply } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { fixFormats, routes } from './routes.ts';

const formats = fixFormat.options;

export const handler = endpoint(
  routes.getFixes,
  () => ({ ...planDependencies(), domains: domainStore(table()), evidence: pastEvidence(), clock }),
  async ({ caller, path, query, accepts }, deps) => {
    const plan = answer(await planFixes(caller, { ...path, at: query.at }, deps));
    const format = query.format ?? formats.find((one) => fixFormats[one].mediaType === accepts.format);
    if (format === undefined) return plan;
    return contentReply(`${fixFormats[format].mediaType}; charset=utf-8`, writeFixes(plan.data, format));
  },
);
