/**
 * Names that a domain relies on, and that nobody owns: they do not exist, and neither does the domain above them that somebody
 * could register. Anyone who registers it takes over what the domain gave to the name.
 */
import { type Answer, type Dns, isNonExistent, type RecordType } from '../protocol/dns.ts';
import { isOpenToAll, isWithin, organizationalDomain } from '../protocol/domain-name.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../protocol/findings/finding.ts';
import { unownedRules } from '../protocol/findings/unowned.ts';
import { zoneRules } from '../protocol/findings/zone.ts';

const raise = raiser({ ...unownedRules, ...zoneRules });

/**
 * The domain above `name` that anybody could register, by the public suffix list, if it is not in DNS. Undefined if it exists,
 * if a lookup failed, and for names of `domain` itself. `name` is a name that does not exist.
 */
export async function registrableAbove(name: string, domain: string, dns: Dns): Promise<string | undefined> {
  const owner = organizationalDomain(name);
  const suffix = owner.slice(owner.indexOf('.') + 1);
  if (isWithin(domain, owner) || suffix === owner || !isOpenToAll(name)) return undefined;
  const [gone, registry] = await Promise.all([dns.lookup(owner, 'SOA'), dns.lookup(suffix, 'SOA')]);
  // Below a suffix that does not exist either, such as .internal, nobody can register anything.
  const isFree =
    isNonExistent(gone) &&
    gone.status === 'absent' &&
    gone.reason === 'no-name' &&
    registry.status === 'found' &&
    registry.aliases.length === 0;
  return isFree ? owner : undefined;
}

/** An alias that ends at a name that does not exist. */
export interface DanglingAlias {
  readonly target: string;
  /** The domain above the target that somebody could register. */
  readonly owner: string | undefined;
}

/** Undefined if the answer leads to records, or to no name at all, or if a lookup failed. */
export async function danglingAlias(
  answer: Answer<unknown>,
  domain: string,
  dns: Dns,
): Promise<DanglingAlias | undefined> {
  const last = answer.status === 'absent' && answer.reason === 'no-name' ? answer.aliases.at(-1) : undefined;
  if (last === undefined) return undefined;
  const alias = await dns.lookup(last, 'CNAME');
  const [target] = alias.status === 'found' ? alias.records : [];
  return target === undefined ? undefined : { target, owner: await registrableAbove(target, domain, dns) };
}

/** Findings about the names of records that are aliases of names that do not exist. */
export async function inspectAliases(
  domain: string,
  names: readonly (readonly [name: string, type: RecordType])[],
  dns: Dns,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    names.map(async ([name, type]) => {
      const dangling = await danglingAlias(await dns.lookup(name, type), domain, dns);
      if (dangling === undefined) return [];
      const { owner } = dangling;
      const target = excerpt(dangling.target);
      return owner === undefined
        ? [raise('zone-alias-dangling', { name, target })]
        : [raise('unowned-alias', { name, target, owner })];
    }),
  );
  return findings.flat();
}
