/** The real Authorities: sends one query to one name server, without recursion (RFC 1035 section 4.1.1). */
import type { RecordData, RecordType } from '../protocol/dns.ts';
import { canonicalName } from '../protocol/domain-name.ts';
import { encodeName, MalformedMessage } from '../protocol/wire-name.ts';
import { ContactRefused, type Dialer, type Endpoint } from './dialer.ts';
import { recordSets } from './dns-answer.ts';
import { readRecord } from './dns-rdata.ts';
import { exchange, TransportError } from './dns-transport.ts';
import { decodeMessage, type Message, type Question } from './dns-wire.ts';
import type { AuthoritativeServers, AuthorityAnswer, MayContact } from './ports.ts';

const DNS_PORT = 53;

/** One packet may be lost. A server that is slower than this is skipped. */
const ATTEMPTS = 2;
const ATTEMPT_MILLISECONDS = 1000;

/** Creates an Authorities that queries the first address of a server that `dialer` allows. */
export function createAuthorities(dialer: Dialer): AuthoritativeServers {
  return {
    async ask(server, name, type, mayContact = async () => true) {
      const wireName = encodeName(name);
      if (wireName === undefined) return { status: 'absent' };
      const resolved = await dialer.resolve(server, DNS_PORT);
      const endpoint = resolved.status === 'found' ? resolved.endpoints[0] : undefined;
      if (endpoint === undefined) return unavailable(`the server is ${resolved.status}`);
      const question = { wireName, type, dnssec: true, checkingDisabled: false, recursion: false };
      try {
        const bytes = await queryTwice(endpoint, question, mayContact);
        return readAnswer(decodeMessage(bytes), canonicalName(name), type);
      } catch (error) {
        if (error instanceof TransportError) return unavailable(error.reason);
        if (error instanceof ContactRefused) return unavailable(error.message);
        if (error instanceof MalformedMessage) return unavailable('malformed');
        throw error;
      }
    },
  };
}

async function queryTwice(
  endpoint: Endpoint,
  question: Question,
  mayContact: MayContact,
): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt += 1) {
    if (!(await mayContact(endpoint.address))) throw new ContactRefused(endpoint.address);
    try {
      return await exchange(endpoint, question, AbortSignal.timeout(ATTEMPT_MILLISECONDS));
    } catch (error) {
      const silent = error instanceof TransportError && error.reason === 'timeout';
      if (!silent || attempt === ATTEMPTS) throw error;
    }
  }
}

/** SERVFAIL is a failure, also without authority. */
const NOT_SERVED: ReadonlySet<string> = new Set(['NOERROR', 'NXDOMAIN', 'REFUSED', 'NOTAUTH']);

/** Only records of the name itself, because other servers may hold the target of an alias. */
function readAnswer<T extends RecordType>(
  message: Message,
  name: string,
  type: T,
): AuthorityAnswer<RecordData[T]> {
  const { rcode, authoritative, answers } = message;
  if (!authoritative || (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')) {
    const detail = authoritative ? rcode : 'not authoritative';
    if (!NOT_SERVED.has(rcode)) return unavailable(detail);
    const delegatesTo = delegationIn(message, name);
    return {
      ...unavailable(detail),
      ...{ notServed: rcode, ...(delegatesTo.length > 0 && { delegatesTo }) },
    };
  }
  const own = answers.filter((record) => record.name === name);
  const records = own.filter((record) => record.type === type);
  if (records.length > 0) {
    const set = recordSets(own).find((it) => it.type === type);
    return {
      status: 'found',
      records: records.map(({ rdata }) => readRecord(type, rdata)),
      ...(set && { set }),
    };
  }
  const alias = own.find((record) => record.type === 'CNAME');
  return alias === undefined
    ? { status: 'absent' }
    : { status: 'alias', target: readRecord('CNAME', alias.rdata) };
}

/** The servers in a referral of the name itself (RFC 1034 section 4.3.2), and not of a name above it. */
function delegationIn({ answers, authorities }: Message, name: string): readonly string[] {
  if (answers.length > 0) return [];
  const servers = authorities.filter((record) => record.name === name && record.type === 'NS');
  return [...new Set(servers.map(({ rdata }) => readRecord('NS', rdata)))].toSorted();
}

function unavailable(detail: string) {
  return { status: 'unavailable', detail } as const;
}
