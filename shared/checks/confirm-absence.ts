/**
 * Asks a second source about a record that was published and is missing: a name server of its zone, or another resolver. One
 * broken source must not say that a domain lost its records.
 */
import type { AuthorityAnswer, Network } from '../network/ports.ts';
import type { Answer, Dns, RecordData, RecordType } from '../protocol/dns.ts';
import { canonicalName } from '../protocol/domain-name.ts';
import type { ShownLookups } from './check.ts';
import { checks } from './checks.ts';
import { findZone } from './dnssec/name-servers.ts';
import { type CheckName, checkNames } from './state.ts';

export interface Confirmed {
  /** If a second source has a record that is missing, the lookup is unavailable. */
  readonly dns: Dns;
  /** Whether records of this check are missing and no second source could be asked. */
  readonly isUnconfirmed: (check: CheckName) => boolean;
}

/** Name servers to ask until one answers. */
const MAX_SERVERS = 2;
/** Aliases to follow from server to server: providers of DKIM and MTA-STS use one or two. */
const MAX_ALIASES = 4;

type Opinion = 'published' | 'missing' | 'unavailable';

type IsKnown<T extends RecordType> = (record: RecordData[T]) => boolean;

/**
 * @param published The records that the owner of `domain` knows, by check, as `publishedRecords` writes them.
 */
export function confirmAbsence(
  { dns, authorities, otherDns }: Pick<Network, 'dns' | 'authorities' | 'otherDns'>,
  domain: string,
  published: Readonly<Record<CheckName, { readonly records: readonly string[] }>>,
): Confirmed {
  const unconfirmed = new Set<CheckName>();
  const opinions = new Map<string, Promise<Opinion>>();
  return {
    isUnconfirmed: (check) => unconfirmed.has(check),
    dns: {
      async lookup(typedName, type, options) {
        const answer = await dns.lookup(typedName, type, options);
        const name = canonicalName(typedName);
        const shown = shownAt(name, type, domain);
        if (shown === undefined) return answer;
        const known = knownOf(shown.check, name, published[shown.check].records);
        const isKnown: IsKnown<typeof type> = (record) => known.includes(shown.text(record));
        if (known.length === 0 || opinionOf(answer, isKnown) !== 'missing') return answer;
        // Several checks ask the same question.
        const asked =
          opinions.get(`${name} ${type}`) ?? secondOpinion(name, type, isKnown, answer.evidence.server);
        opinions.set(`${name} ${type}`, asked);
        const second = await asked;
        if (second === 'unavailable') unconfirmed.add(shown.check);
        return second === 'published'
          ? { status: 'unavailable', reason: 'contradicted', evidence: answer.evidence }
          : answer;
      },
    },
  };

  async function secondOpinion<T extends RecordType>(
    name: string,
    type: T,
    isKnown: IsKnown<T>,
    first: string | undefined,
  ): Promise<Opinion> {
    const opinion = await askServers(name, type, isKnown);
    if (opinion !== 'unavailable' || otherDns === undefined) return opinion;
    const other = await otherDns.lookup(name, type, { fresh: true });
    // If the first resolver is down, the other one gave the first answer, too.
    if (other.evidence.server === first) return 'unavailable';
    return opinionOf(other, isKnown);
  }

  async function askServers<T extends RecordType>(
    name: string,
    type: T,
    isKnown: IsKnown<T>,
    aliases = 0,
  ): Promise<Opinion> {
    if (authorities === undefined) return 'unavailable';
    // The servers of the parent zone have DS records (RFC 4034 section 5).
    const zone = await findZone(type === 'DS' ? name.slice(name.indexOf('.') + 1) : name, dns);
    for (const server of (zone?.servers ?? []).slice(0, MAX_SERVERS)) {
      const answer = await authorities.ask(server, name, type);
      if (answer.status === 'unavailable') continue;
      if (answer.status !== 'alias') return opinionOf(answer, isKnown);
      return aliases === MAX_ALIASES ? 'unavailable' : askServers(answer.target, type, isKnown, aliases + 1);
    }
    return 'unavailable';
  }
}

/** The check that shows the records of this name and type, and how it writes them. */
function shownAt<T extends RecordType>(name: string, type: T, domain: string) {
  for (const check of checkNames) {
    const { lookup } = checks[check];
    if (isOfType(lookup, type) && lookup.isAt(name, domain)) return { check, text: lookup.text };
  }
  return undefined;
}

const isOfType = <T extends RecordType>(
  lookup: ShownLookups[RecordType],
  type: T,
): lookup is ShownLookups[T] => lookup.type === type;

/** Keys are known by their selector; other checks have one name. */
function knownOf(check: CheckName, name: string, records: readonly string[]): readonly string[] {
  if (check !== 'dkim') return records;
  const start = `${name.slice(0, name.indexOf('._domainkey.'))}: `;
  return records.filter((record) => record.startsWith(start)).map((record) => record.slice(start.length));
}

function opinionOf<T extends RecordType>(
  answer: Answer<RecordData[T]> | Exclude<AuthorityAnswer<RecordData[T]>, { status: 'alias' }>,
  isKnown: IsKnown<T>,
): Opinion {
  if (answer.status === 'unavailable') return 'unavailable';
  if (answer.status === 'absent') return 'missing';
  return answer.records.some(isKnown) ? 'published' : 'missing';
}
