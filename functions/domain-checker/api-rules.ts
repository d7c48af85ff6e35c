/** What the endpoints of the domain checker in the API share, with and without a token. */
import type { DomainCheckBody } from '../../shared/api/domain-check-requests.ts';
import type { DomainCheckResult } from '../../shared/api/domain-checker.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { type DomainCheckShareStore, domainCheckShareStore } from '../../shared/store/domain-checks.ts';
import {
  assess,
  type CheckDependencies,
  checkDependencies,
  checkNow,
  type Owner,
  readDomain,
  save,
  showCheck,
  showShare,
} from './rules.ts';

interface ApiDependencies extends CheckDependencies {
  readonly shares: DomainCheckShareStore;
  readonly hostUrl: string;
}

export const apiDependencies = (): ApiDependencies => ({
  ...checkDependencies(),
  shares: domainCheckShareStore(table()),
  hostUrl: config().HOST_URL,
});

interface CheckRequest {
  readonly body: DomainCheckBody;
  readonly clientAddress: string;
}

/**
 * Checks a domain, and saves the result if requested.
 * @throws ServiceError `invalid_request`, and those of `checkNow` and `save`.
 */
export async function checkAndSave(
  { body: { usageType, ...body }, clientAddress }: CheckRequest,
  ownerOf: (domain: string) => Promise<Owner | null>,
  { hostUrl, ...deps }: ApiDependencies,
): Promise<DomainCheckResult> {
  const parsed = readDomain(body.domain);
  if (!parsed.ok) throw invalidRequest({ path: 'body.domain', message: parsed.problem });
  const owner = await ownerOf(parsed.name);
  const checked = await checkNow(parsed.name, owner, deps);
  const shareId = body.save ? await save(checked, usageType, owner, clientAddress, deps) : null;
  return {
    ...showCheck(await assess({ ...checked, usageType }, owner), owner),
    ...showShare(shareId, hostUrl),
  };
}
