/** Whether all name servers of a zone say the same, for the checks that show what one of them said. */
import type { AuthorityAnswer, Network } from '../network/ports.ts';
import type { Dns, RecordData, RecordType } from '../protocol/dns.ts';
import { organizationalDomain } from '../protocol/domain-name.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../protocol/findings/finding.ts';
import { zoneRules } from '../protocol/findings/zone.ts';

/** Servers that are asked; the root has thirteen, hardly any other zone more than eight. */
const MAX_SERVERS = 8;
/** Names at which the zone that holds a domain is looked for. */
const MAX_ANCESTORS = 4;
/** Characters of an answer, and different answers, that are shown. */
const MAX_SHOWN = 120;
const MAX_ANSWERS = 3;

const raise = raiser(zoneRules);

type Servers = Pick<Network, 'dns' | 'authorities'>;

/** A question on which all name servers of a zone should agree. */
export interface ServerQuestion<T extends RecordType> {
  readonly domain: string;
  readonly name: string;
  readonly type: T;
  /** What the records are, for the reader. */
  readonly records: string;
  /** The text by which records are compared; undefined for one that is none of the asker's business. */
  readonly print: (record: RecordData[T]) => string | undefined;
}

/** A finding where the name servers of the zone of `domain` answer differently; none where they are not to be asked. */
export async function inspectAgreement<T extends RecordType>(
  network: Servers,
  { domain, name, type, records, print }: ServerQuestion<T>,
): Promise<readonly Finding[]> {
  const answers = await differentAnswers(network, domain, name, type, print);
  return answers.length === 0 ? [] : [raise('zone-servers-disagree', { name, records, answers })];
}

/** A finding where the name servers of the zone of `domain` hold different versions of it. */
export async function inspectSerials(network: Servers, domain: string): Promise<readonly Finding[]> {
  const answers = await differentAnswers(network, domain, undefined, 'SOA', ({ serial }) => String(serial));
  return answers.length === 0 ? [] : [raise('zone-serials-differ', { domain, answers })];
}

/**
 * What the servers that could be asked say of `name` (of the zone itself, where it is undefined), one line for each of
 * the different answers: `ns1.example.org, ns2.example.org: "10 mx.example.org"`. Empty where they agree.
 */
async function differentAnswers<T extends RecordType>(
  { dns, authorities }: Servers,
  domain: string,
  name: string | undefined,
  type: T,
  print: (record: RecordData[T]) => string | undefined,
): Promise<readonly string[]> {
  if (authorities === undefined) return [];
  const zone = await findZone(domain, dns);
  if (zone === undefined || zone.servers.length < 2) return [];
  const asked = await Promise.all(
    zone.servers.map(async (server) => ({
      server,
      says: write(await authorities.ask(server, name ?? zone.name, type), print),
    })),
  );
  const saying = new Map<string, string[]>();
  for (const { server, says } of asked) {
    if (says !== undefined) saying.set(says, [...(saying.get(says) ?? []), server]);
  }
  if (saying.size < 2) return [];
  const told = [...saying].map(([says, servers]) => `${named(servers)}: ${excerpt(says, MAX_SHOWN)}`);
  const more = told.length - MAX_ANSWERS;
  return more > 0 ? [...told.slice(0, MAX_ANSWERS), `${more} more answers`] : told;
}

interface Zone {
  readonly name: string;
  /** Host names of its servers, in order. */
  readonly servers: readonly string[];
}

/** The zone that holds `domain`, as far up as the organizational domain; undefined where it could not be told. */
async function findZone(domain: string, dns: Dns): Promise<Zone | undefined> {
  const top = organizationalDomain(domain);
  const between = domain.split('.').length - top.split('.').length;
  const candidates = Array.from({ length: Math.min(between + 1, MAX_ANCESTORS) }, (_, dropped) =>
    domain.split('.').slice(dropped).join('.'),
  );
  const answers = await Promise.all(candidates.map((name) => dns.lookup(name, 'NS')));
  for (const [index, answer] of answers.entries()) {
    if (answer.status === 'unavailable') return undefined;
    if (answer.status === 'found' && answer.aliases.length === 0) {
      const servers = [...new Set(answer.records)].sort().slice(0, MAX_SERVERS);
      return { name: candidates[index] ?? domain, servers };
    }
  }
  return undefined;
}

function named([first = '', ...more]: readonly string[]): string {
  const shown = excerpt(first);
  if (more.length === 0) return shown;
  return more.length === 1 ? `${shown}, ${excerpt(more[0] ?? '')}` : `${shown} and ${more.length} more`;
}

/** An answer as text that is equal for equal answers; undefined where there was none. */
function write<T>(answer: AuthorityAnswer<T>, print: (record: T) => string | undefined): string | undefined {
  switch (answer.status) {
    case 'unavailable':
      return undefined;
    case 'alias':
      return `an alias of ${answer.target}`;
    case 'absent':
      return 'nothing';
    case 'found': {
      const texts = answer.records.flatMap((record) => print(record) ?? []);
      return texts.length === 0
        ? 'nothing'
        : texts
            .sort()
            .map((text) => `"${text}"`)
            .join(' ');
    }
  }
}
