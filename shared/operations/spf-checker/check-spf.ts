import { readTypedName } from '../../api/domain-names.ts';
import { spfCheckBody } from '../../api/spf-check-requests.ts';
import { freshWhere } from '../../checks/fresh-lookups.ts';
import type { Dns } from '../../protocol/dns.ts';
import { parseLookupName } from '../../protocol/domain-name.ts';
import { expand } from '../../protocol/spf/expand.ts';
import type { SpfCheck } from '../../store/spf-shares.ts';
import { countDomainRun } from '../limits/domain-runs.ts';
import type { LimitDependencies } from '../limits/limit-dependencies.ts';
import type { InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid } from '../outcome.ts';

export const operation = {
  name: 'checkSpf',
  summary: 'Expand the SPF record of any domain',
  description:
    'Resolves `include`, `redirect`, `a`, `mx` and `exists` recursively, and counts the DNS lookups that receivers need.',
  scope: 'read',
  input: spfCheckBody,
  refusals: ['invalid_request', 'payload_too_large', 'rate_limited'],
  uses: ['spf-shares:write', 'dns'],
} as const satisfies Operation;

interface SpfCheckDependencies extends LimitDependencies {
  readonly dns: Dns;
}

/**
 * Checks the record of any name that can hold one, such as `_spf.example.org`, with uncached lookups of it, so that a record
 * that was just published is found.
 */
export async function checkSpf(
  { domain: typed }: Pick<InputOf<typeof operation>, 'domain'>,
  { dns, ...deps }: SpfCheckDependencies,
): Promise<OutcomeOf<typeof operation, SpfCheck>> {
  const parsed = readTypedName(typed, parseLookupName);
  if (!parsed.ok) return invalid({ path: 'domain', message: parsed.problem });
  const domain = parsed.name;
  const refused = await countDomainRun(domain, 'spf', deps);
  if (refused !== undefined) return refused;
  const checkedAt = deps.clock.now().toISOString();
  const fresh = freshWhere(dns, (name, type) => name === domain && type === 'TXT');
  return { value: { checkedAt, expansion: await expand(domain, fresh) } };
}
