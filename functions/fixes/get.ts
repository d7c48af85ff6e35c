import { type FixFormat, writeFixes } from '../../shared/fixes/formats.ts';
import { planFixes } from '../../shared/operations/fixes/plan-fixes.ts';
import { planDependencies } from '../../shared/runtime/dependencies/fixes.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, contentReply } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getFixes,
  () => ({ ...planDependencies(), domains: domainStore(table()), clock }),
  async ({ path, query: { format }, ...request }, deps) => {
    const plan = answer(await planFixes(asCaller(request), path, deps));
    return format === undefined ? plan : contentReply(contentTypes[format], writeFixes(plan.data, format));
  },
);

const contentTypes: Readonly<Record<FixFormat, string>> = {
  zone: 'text/dns; charset=utf-8',
  route53: 'application/json; charset=utf-8',
  terraform: 'text/plain; charset=utf-8',
};
