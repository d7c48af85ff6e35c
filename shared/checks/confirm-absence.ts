/**
 * Asks a second source about a record that was published and is missing: a name server of its zone, or another resolver. One
 * broken source must not say that a domain lost its records.
 */
import type { AuthorityAnswer, Network } from '../network/ports.ts';
import type { Answer, Dns, RecordData, RecordType } from '../protocol/dns.ts';
import { canonicalName } from '../protocol/domain-name.ts';
import { findZone } from './dnssec/name-servers.ts';
import { dsText, mxText } from './records.ts';
import type { CheckName } from './state.ts';

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

/** The records of a type as text, as `publishedRecords` writes them. */
const writers: { readonly [T in RecordType]?: (record: RecordData[T]) => string } = {
  TXT: (text) => text,
  MX: mxText,
  DS: dsText,
};

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
        const check = checkOf(name, type, domain);
        const known = check === undefined ? [] : knownOf(check, name, published[check].records);
        if (check === undefined || known.length === 0 || opinionOf(answer, type, known) !== 'missing')
          return answer;
        // Several checks ask the same question.
        const asked =
          opinions.get(`${name} ${type}`) ?? secondOpinion(name, type, known, answer.evidence.server);
        opinions.set(`${name} ${type}`, asked);
        const second = await asked;
        if (second === 'unavailable') unconfirmed.add(check);
        return second === 'published'
          ? { status: 'unavailable', reason: 'contradicted', evidence: answer.evidence }
          : answer;
      },
    },
  };

  async function secondOpinion(
    name: string,
    type: RecordType,
    known: readonly string[],
    first: string | undefined,
  ): Promise<Opinion> {
    const opinion = await askServers(name, type, known);
    if (opinion !== 'unavailable' || otherDns === undefined) return opinion;
    const other = await otherDns.lookup(name, type, { fresh: true });
    // If the first resolver is down, the other one gave the first answer, too.
    if (first !== undefined && other.evidence.server === first) return 'unavailable';
    return opinionOf(other, type, known);
  }

  async function askServers(
    name: string,
    type: RecordType,
    known: readonly string[],
    aliases = 0,
  ): Promise<Opinion> {
    if (authorities === undefined) return 'unavailable';
    // The servers of the parent zone have DS records (RFC 4034 section 5).
    const zone = await findZone(type === 'DS' ? name.slice(name.indexOf('.') + 1) : name, dns);
    for (const server of (zone?.servers ?? []).slice(0, MAX_SERVERS)) {
      const answer = await authorities.ask(server, name, type);
      if (answer.status === 'unavailable') continue;
      if (answer.status !== 'alias') return opinionOf(answer, type, known);
      return aliases === MAX_ALIASES ? 'unavailable' : askServers(answer.target, type, known, aliases + 1);
    }
    return 'unavailable';
  }
}

/** The check that shows the records of this name and type. */
function checkOf(name: string, type: RecordType, domain: string): CheckName | undefined {
  if (type === 'MX') return name === domain ? 'mx' : undefined;
  if (type === 'DS') return name === domain ? 'dnssec' : undefined;
  if (type !== 'TXT') return undefined;
  if (name === domain) return 'spf';
  if (name.startsWith('_dmarc.')) return 'dmarc';
  if (name === `_mta-sts.${domain}`) return 'mtaSts';
  if (name === `_smtp._tls.${domain}`) return 'tlsRpt';
  if (name.endsWith(`._domainkey.${domain}`)) return 'dkim';
  return name.includes('._bimi.') ? 'bimi' : undefined;
}

/** Keys are known by their selector; other checks have one name. */
function knownOf(check: CheckName, name: string, records: readonly string[]): readonly string[] {
  if (check !== 'dkim') return records;
  const start = `${name.slice(0, name.indexOf('._domainkey.'))}: `;
  return records.filter((record) => record.startsWith(start)).map((record) => record.slice(start.length));
}

function opinionOf<T extends RecordType>(
  answer: Answer<RecordData[T]> | Exclude<AuthorityAnswer<RecordData[T]>, { status: 'alias' }>,
  type: T,
  known: readonly string[],
): Opinion {
  if (answer.status === 'unavailable') return 'unavailable';
  if (answer.status === 'absent') return 'missing';
  const write = writers[type];
  return answer.records.some((record) => known.includes(write?.(record) ?? '')) ? 'published' : 'missing';
}
