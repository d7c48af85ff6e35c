/** What the endpoints of the SPF checker share. */
import { readTypedName, type TypedName } from '../../shared/api/domain-names.ts';
import { countDomainRun } from '../../shared/operations/limits/domain-runs.ts';
import type { LimitDependencies } from '../../shared/operations/limits/limit-dependencies.ts';
import { countSavedBytes } from '../../shared/operations/limits/save-limit.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { parseLookupName } from '../../shared/protocol/domain-name.ts';
import { expand } from '../../shared/protocol/spf/expand.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import type { SpfCheck, SpfShareStore } from '../../shared/store/spf-shares.ts';

/** The name to check, or why it is invalid. Accepts every name that can hold a record, such as `_spf.example.org`. */
export const readName = (typed: string): TypedName => readTypedName(typed, parseLookupName);

/**
 * Checks the record of `domain` with uncached lookups, so that a record that was just published is found.
 * @throws ServiceError `rate_limited` beyond the limit of the domain.
 */
export async function checkNow(
  domain: string,
  { dns, ...deps }: LimitDependencies & { readonly dns: Dns },
): Promise<SpfCheck> {
  await countDomainRun(domain, 'spf', deps);
  const checkedAt = deps.clock.now().toISOString();
  const fresh: Dns = {
    lookup: (name, type, options) =>
      dns.lookup(name, type, name === domain && type === 'TXT' ? { ...options, fresh: true } : options),
  };
  return { checkedAt, expansion: await expand(domain, fresh) };
}

/**
 * Stores a result under a link. A result with failed lookups is stored as such, and its page says so.
 * @throws ServiceError `payload_too_large`, and those of `countSavedBytes`.
 */
export async function save(
  check: SpfCheck,
  clientAddress: string,
  { shares, ...deps }: LimitDependencies & { readonly shares: SpfShareStore },
): Promise<string> {
  const shareId = await shares.save(check, deps.clock.now(), (bytes) =>
    countSavedBytes(clientAddress, bytes, deps),
  );
  if (shareId === undefined) {
    throw new ServiceError('payload_too_large', 'The result is too large to save.');
  }
  return shareId;
}
