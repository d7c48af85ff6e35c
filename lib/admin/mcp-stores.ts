/** The tools of `mcp` about the domains of an organization, on the stores of a service. */
import { type CheckToolDependencies, checkTools } from '../../shared/mcp/check-tools.ts';
import { type DomainToolDependencies, domainTools } from '../../shared/mcp/domain-tools.ts';
import { previewStores } from '../../shared/runtime/dependencies/preview-stores.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import type { Place } from './deployment.ts';
import { openAdminDependencies } from './open.ts';

/** Reads what is stored as the service does, and checks from this machine. */
export async function openTools(
  place: Place,
  checks: CheckToolDependencies,
  environment: Readonly<Record<string, string | undefined>>,
) {
  const { deps: opened, close } = await openAdminDependencies(place, environment);
  const checking = await opened.checks();
  const deps: DomainToolDependencies & CheckToolDependencies = {
    ...checking,
    ...opened.enforcement(),
    domains: opened.domains,
    stores: previewStores(opened.table),
    attention: attentionStore(opened.table),
    check: checks.check,
    hostUrl: opened.naming().hostUrl,
  };
  return { tools: [...checkTools, ...domainTools], deps, close };
}
