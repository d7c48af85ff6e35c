/** Resolver trouble of kinds that can be distinguished from valid responses; the same in every run. */
import type {
  Answer,
  Dns,
  RecordData,
  RecordSet,
  RecordType,
  Unavailable,
} from '../../shared/protocol/dns.ts';

/** Returns a pseudorandom number from 0 to below 1. */
export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** A Dns in which all lookups fail, except those of `name` if `dns` is given. */
export function outage(reason: Unavailable['reason'], dns?: Dns, name?: string): Dns {
  return {
    async lookup(lookupName, type, options) {
      if (dns !== undefined && lookupName === name) return dns.lookup(lookupName, type, options);
      return { status: 'unavailable', reason, evidence: { milliseconds: 0 } };
    },
  };
}

/** Makes a Dns unreliable; `share` is the share of affected queries. */
export type Trouble = (dns: Dns, random: Random, share: number) => Dns;

const fails =
  (reason: Unavailable['reason']): Trouble =>
  (dns, random, share) => ({
    async lookup(name, type, options) {
      if (random() < share) return { status: 'unavailable', reason, evidence: { milliseconds: 0 } };
      return dns.lookup(name, type, options);
    },
  });

/** Applies `change` to responses with records. */
const changes =
  (change: <T>(answer: Answer<T>, type: RecordType, random: Random) => Answer<T>): Trouble =>
  (dns, random) => ({
    async lookup<T extends RecordType>(name: string, type: T, options?: Parameters<Dns['lookup']>[2]) {
      return change<RecordData[T]>(await dns.lookup(name, type, options), type, random);
    },
  });

export const troubles: Readonly<Record<string, Trouble>> = {
  timeouts: fails('timeout'),
  'server failures': fails('server-failure'),
  refusals: fails('refused'),
  'malformed responses': fails('malformed'),
  'an unreachable network': (dns, random) => fails('unreachable')(dns, random, 1),
  /** From no delay to long after the deadline of a run. */
  'slow responses': (dns, random, share) => ({
    async lookup(name, type, options) {
      if (random() < share) await new Promise((resolve) => setTimeout(resolve, random() * 60_000));
      return dns.lookup(name, type, options);
    },
  }),
  'lying TTLs': changes((answer, _type, random) => {
    if (answer.status !== 'found') return answer;
    const ttl = pick([0, 1, 2 ** 31 - 1, 2 ** 32 - 1], random);
    return { ...answer, ttl, sets: answer.sets.map((set) => ({ ...set, ttl })) };
  }),
  'stripped signatures': changes((answer) => {
    const bare = (sets: readonly RecordSet[]) => sets.map((set) => ({ ...set, signatures: [] }));
    if (answer.status === 'found') return { ...answer, sets: bare(answer.sets) };
    if (answer.status === 'unavailable' || answer.denial === undefined) return answer;
    return { ...answer, denial: { ...answer.denial, sets: bare(answer.denial.sets) } };
  }),
  'everything of DNSSEC taken away': changes((answer, type) => {
    if (answer.status === 'absent' && answer.denial !== undefined)
      return { ...answer, denial: { ...answer.denial, sets: [] } };
    if (answer.status !== 'found') return answer;
    const { aliases, evidence, sets } = answer;
    if (['DS', 'DNSKEY'].includes(type)) {
      return { status: 'absent', reason: 'no-data', aliases, evidence };
    }
    return { ...answer, sets: sets.map((set) => ({ ...set, signatures: [] })) };
  }),
};
