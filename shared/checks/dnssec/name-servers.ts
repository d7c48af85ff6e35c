/** Compares the answers of all name servers of a zone, for the checks that show the answer of one of them. */
import type { AuthoritativeServers, AuthorityAnswer, Network } from '../../network/ports.ts';
import {
  type Dns,
  isNonExistent,
  type RecordData,
  type RecordSet,
  type RecordType,
} from '../../protocol/dns.ts';
import { organizationalDomain } from '../../protocol/domain-name.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { unownedRules } from '../../protocol/findings/unowned.ts';
import { zoneRules } from '../../protocol/findings/zone.ts';
import { pluralize } from '../../protocol/quantity.ts';
import { registrableAbove } from '../unowned.ts';

/** Maximum number of servers to query. The root zone has thirteen; hardly any other zone has more than eight. */
const MAX_SERVERS = 8;
/** Maximum number of names at which to look for the zone that contains a domain. */
const MAX_ANCESTORS = 4;
/** Maximum number of characters per answer, and of different answers, to show. */
const MAX_SHOWN = 120;
const MAX_ANSWERS = 3;

const raise = raiser({ ...zoneRules, ...unownedRules });

type Servers = Pick<Network, 'dns' | 'authorities'>;

/** A question that all name servers of a zone should answer alike. */
interface ServerQuestion<T extends RecordType> {
  readonly domain: string;
  readonly name: string;
  readonly type: T;
  /** The kind of records, for the message. */
  readonly records: string;
  /** The text by which records are compared; undefined for a record that does not matter to the check. */
  readonly print: (record: RecordData[T]) => string | undefined;
}

/**
 * A finding if the name servers of the zone of `domain` answer differently. No finding if the network does not query
 * them one by one.
 */
export async function inspectAgreement<T extends RecordType>(
  network: Servers,
  { domain, name, type, records, print }: ServerQuestion<T>,
): Promise<readonly Finding[]> {
  const asked = await askServers(network, domain, name, type);
  const answers = asked === undefined ? [] : differentAnswers(asked, print);
  return answers.length === 0 ? [] : [raise('zone-servers-disagree', { name, records, answers })];
}

/** The record set of one name server, with its signatures. */
export interface ServedSet {
  readonly server: string;
  readonly set: RecordSet;
}

export interface InspectedServers {
  readonly findings: readonly Finding[];
  /** The SOA records, as each server has them. */
  readonly soas: readonly ServedSet[];
}

/**
 * Findings about the name servers of the zone of `domain`, those of its delegation included: that they serve different versions of
 * it, that one of them or all of them do not serve it, and that nobody owns the name of one.
 */
export async function inspectServers(network: Servers, domain: string): Promise<InspectedServers> {
  const { dns, authorities } = network;
  if (authorities === undefined) return { findings: [], soas: [] };
  const found = await findZone(domain, dns);
  // Where no server answers, the lookup of the zone fails, too.
  const zone = found?.name ?? organizationalDomain(domain);
  const delegated = await delegationOf(zone, { dns, authorities });
  const servers = [...new Set([...(found?.servers ?? []), ...delegated])].slice(0, MAX_SERVERS);
  const answers = await askEach(servers, zone, 'SOA', authorities);
  const serials = differentAnswers(answers, ({ serial }) => String(serial));
  const failed = answers.flatMap(({ server, answer }) =>
    answer.status === 'unavailable' ? [{ server, answer: answer.notServed }] : [],
  );
  const missing = await Promise.all(failed.map(({ server }) => missingServer(server, zone, dns)));
  const unowned = missing.flatMap((one) => one?.findings ?? []);
  const lame = failed.flatMap(({ server, answer }, at) => {
    const why = missing[at]?.findings.length === 0 ? 'there is no such name' : answer;
    return why === undefined ? [] : [{ server, answer: why }];
  });
  const findings = [
    ...(serials.length === 0 ? [] : [raise('zone-serials-differ', { domain, answers: serials })]),
    ...lameFindings(zone, lame, {
      isServed: failed.length < servers.length,
      isCertain: found === undefined && lame.length === servers.length,
    }),
    ...unowned,
  ];
  const soas = answers.flatMap(({ server, answer }) =>
    answer.status === 'found' && answer.set !== undefined ? [{ server, set: answer.set }] : [],
  );
  return { findings, soas };
}

/**
 * If no server has authority, but the zone is found, something on the way answers in their place. `isCertain`: it is not found
 * either, and every server says that it does not serve it.
 */
function lameFindings(
  zone: string,
  lame: readonly { readonly server: string; readonly answer: string }[],
  { isServed, isCertain }: { readonly isServed: boolean; readonly isCertain: boolean },
): readonly Finding[] {
  if (isServed)
    return lame.map(({ server, answer }) =>
      raise('zone-server-lame', { server: excerpt(server), zone, answer }),
    );
  if (!isCertain || lame.length === 0) return [];
  const answers = lame.map(({ server, answer }) => `${excerpt(server)}: ${answer}`);
  return [raise('zone-servers-lame', { zone, answers })];
}

/** How many servers of the parent zone are asked until one answers. */
const PARENTS_ASKED = 2;

/** The name servers to which the parent zone delegates `zone`; none if that is not known. */
async function delegationOf(
  zone: string,
  { dns, authorities }: Required<Servers>,
): Promise<readonly string[]> {
  const parent = await findZone(zone.slice(zone.indexOf('.') + 1), dns);
  for (const server of parent?.servers.slice(0, PARENTS_ASKED) ?? []) {
    const answer = await authorities.ask(server, zone, 'NS');
    // A server of both zones answers for the lower one.
    if (answer.status === 'found') return answer.records;
    if (answer.status !== 'unavailable') return [];
    if (answer.delegatesTo !== undefined) return answer.delegatesTo;
  }
  return [];
}

/** Undefined unless the name of a server does not exist. The finding, if nobody owns it. */
async function missingServer(
  server: string,
  zone: string,
  dns: Dns,
): Promise<{ readonly findings: readonly Finding[] } | undefined> {
  if (!isNonExistent(await dns.lookup(server, 'A'))) return undefined;
  const owner = await registrableAbove(server, zone, dns);
  return {
    findings:
      owner === undefined ? [] : [raise('unowned-name-server', { server: excerpt(server), zone, owner })],
  };
}

interface ServerAnswer<T> {
  readonly server: string;
  readonly answer: AuthorityAnswer<T>;
}

/** The answers of the servers of the zone of `domain` for `name`. Undefined if there are not several to ask. */
async function askServers<T extends RecordType>(
  { dns, authorities }: Servers,
  domain: string,
  name: string,
  type: T,
): Promise<readonly ServerAnswer<RecordData[T]>[] | undefined> {
  if (authorities === undefined) return undefined;
  const zone = await findZone(domain, dns);
  if (zone === undefined || zone.servers.length < 2) return undefined;
  return askEach(zone.servers, name, type, authorities);
}

function askEach<T extends RecordType>(
  servers: readonly string[],
  name: string,
  type: T,
  authorities: AuthoritativeServers,
): Promise<readonly ServerAnswer<RecordData[T]>[]> {
  return Promise.all(
    servers.map(async (server) => ({ server, answer: await authorities.ask(server, name, type) })),
  );
}

/**
 * The different answers of servers, one line per answer: `ns1.example.org, ns2.example.org: "10 mx.example.org"`. Servers that do
 * not answer are left out. Empty if all agree.
 */
function differentAnswers<T>(
  answers: readonly ServerAnswer<T>[],
  print: (record: T) => string | undefined,
): readonly string[] {
  const saying = new Map<string, string[]>();
  for (const { server, answer } of answers) {
    const says = write(answer, print);
    if (says !== undefined) saying.set(says, [...(saying.get(says) ?? []), server]);
  }
  if (saying.size < 2) return [];
  const lines = [...saying].map(([says, servers]) => `${named(servers)}: ${excerpt(says, MAX_SHOWN)}`);
  const more = lines.length - MAX_ANSWERS;
  return more > 0 ? [...lines.slice(0, MAX_ANSWERS), pluralize(more, 'more answer')] : lines;
}

interface Zone {
  readonly name: string;
  /** Host names of its servers, in order. */
  readonly servers: readonly string[];
}

/** The zone that contains `domain`, up to the organizational domain; undefined if it could not be determined. */
export async function findZone(domain: string, dns: Dns): Promise<Zone | undefined> {
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

/** An answer as text, which is equal for equal answers; undefined if there was no answer. */
function write<T>(answer: AuthorityAnswer<T>, print: (record: T) => string | undefined): string | undefined {
  switch (answer.status) {
    case 'unavailable':
      return undefined;
    case 'alias':
      return `CNAME to ${answer.target}`;
    case 'absent':
      return 'no records';
    case 'found': {
      const texts = answer.records.flatMap((record) => print(record) ?? []);
      return texts.length === 0
        ? 'no records'
        : texts
            .sort()
            .map((text) => `"${text}"`)
            .join(' ');
    }
  }
}
