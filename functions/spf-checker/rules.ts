/** What the checker's endpoints have in common. */
import { domainNameProblem } from '../../shared/api/domain-names.ts';
import type { Clock } from '../../shared/network/ports.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { nameInside, type ParsedDomainName, parseLookupName } from '../../shared/protocol/domain-name.ts';
import { expand } from '../../shared/protocol/spf/expand.ts';
import { ServiceError } from '../../shared/runtime/errors.ts';
import type { SpfCheck, SpfShareStore } from '../../shared/store/spf-shares.ts';

export type Name =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly problem: string };

/**
 * The name to check, or why it is none. Any name that may hold a record will do, also `_spf.example.org`, and also
 * inside what people paste: the address of a page or of a mailbox.
 */
export function readName(typed: string): Name {
  const parsed: ParsedDomainName = parseLookupName(nameInside(typed));
  return parsed.ok ? parsed : { ok: false, problem: domainNameProblem[parsed.problem] };
}

/** Looks at the record of `domain` as it is now: whoever has just published it must not wait for a kept answer to expire. */
export async function checkNow(domain: string, dns: Dns, clock: Clock): Promise<SpfCheck> {
  const checkedAt = clock.now().toISOString();
  const fresh: Dns = {
    lookup: (name, type, options) =>
      dns.lookup(name, type, name === domain && type === 'TXT' ? { ...options, fresh: true } : options),
  };
  return { checkedAt, expansion: await expand(domain, fresh) };
}

/**
 * Keeps a result under a link. One that could not be asked for is kept as just that: the page says so.
 * @throws ServiceError `payload_too_large`.
 */
export async function save(check: SpfCheck, shares: SpfShareStore): Promise<string> {
  const shareId = await shares.save(check);
  if (shareId === undefined) {
    throw new ServiceError('payload_too_large', 'The result is too large to be saved.');
  }
  return shareId;
}
