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
import { unguessableLabel } from './unguessable-label.ts';

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

/** What a name that does not exist leads to, and nobody owns. */
export interface Unowned {
  /** The domain that somebody could register. */
  readonly owner: string;
  /** The name below it, if an alias leads to it. */
  readonly target?: string;
}

/** Undefined unless `answer`, of a lookup of `name`, says that the name or the target of its alias is unowned. */
export async function unownedBehind(
  name: string,
  answer: Answer<unknown>,
  domain: string,
  dns: Dns,
): Promise<Unowned | undefined> {
  const alias = await danglingAlias(answer, domain, dns);
  if (alias !== undefined) return alias.owner === undefined ? undefined : { ...alias, owner: alias.owner };
  const owner = isNonExistent(answer) ? await registrableAbove(name, domain, dns) : undefined;
  return owner === undefined ? undefined : { owner };
}

/** What `*.<domain>` leads to, if it is an alias of a name that does not exist. A random name shows it. */
export async function danglingWildcard(domain: string, dns: Dns): Promise<DanglingAlias | undefined> {
  const name = `${unguessableLabel(dns)}.${domain}`;
  return danglingAlias(await dns.lookup(name, 'TXT'), domain, dns);
}

interface AliasFinding {
  /** The name that was asked about. */
  readonly at: string;
  readonly finding: Finding;
}

/**
 * Findings about the names of records that are aliases of names that do not exist. A wildcard can be the alias of several:
 * there is one finding about that, by the first of the names.
 */
export async function inspectAliases(
  domain: string,
  names: readonly (readonly [name: string, type: RecordType])[],
  dns: Dns,
): Promise<readonly AliasFinding[]> {
  const [wildcard, ...asked] = await Promise.all([
    danglingWildcard(domain, dns),
    ...names.map(async ([name, type]) => {
      const alias = await danglingAlias(await dns.lookup(name, type), domain, dns);
      return alias === undefined ? [] : [{ name, alias }];
    }),
  ]);
  const found = asked.flat();
  const own = found.filter(({ alias }) => alias.target !== wildcard?.target);
  const findings = own.map(({ name, alias }) => ({ at: name, finding: aliasFinding(name, alias) }));
  const [[first] = []] = names;
  // If nobody can register its target, it matters only to the names that have no records of their own.
  const isWorth = wildcard?.owner !== undefined || own.length < found.length;
  return wildcard === undefined || first === undefined || !isWorth
    ? findings
    : [{ at: first, finding: aliasFinding(`*.${domain}`, wildcard) }, ...findings];
}

function aliasFinding(name: string, alias: DanglingAlias): Finding {
  const target = excerpt(alias.target);
  return alias.owner === undefined
    ? raise('zone-alias-dangling', { name, target })
    : raise('unowned-alias', { name, target, owner: alias.owner });
}
