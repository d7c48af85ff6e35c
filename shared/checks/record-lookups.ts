/**
 * Records the lookups of a check run, so that what a change of records would do can be computed later, without asking DNS
 * again: the answers are stored beside the results that they led to.
 */
import type { Answer, Dns, RecordData, RecordType, Unavailable } from '../protocol/dns.ts';
import { canonicalName } from '../protocol/domain-name.ts';
import { readValue, writeValue, type ZoneType, zoneTypes } from '../protocol/zone-file/record-set.ts';
import type { RecordedLookups } from './recorded-lookups.ts';

type Recorded = RecordedLookups[number];

/** Far more than an SPF record within its limits causes. What is not recorded counts as a failed lookup later. */
const MAX_LOOKUPS = 300;
const MAX_OCTETS = 64 * 1024;

/** Wraps a Dns so that its lookups can be stored. DKIM keys are left out: nothing that is computed later needs them. */
export function recordLookups(dns: Dns): { readonly dns: Dns; readonly lookups: () => RecordedLookups } {
  const recorded = new Map<string, Recorded>();
  let octets = 0;

  function record<T extends ZoneType>(name: string, type: T, answer: Answer<RecordData[T]>): void {
    const key = `${name} ${type}`;
    const known = recorded.get(key);
    if (known !== undefined && known.answer.status !== 'unavailable') return;
    const made = { name, type, answer: recordedAnswer(type, answer) };
    octets += JSON.stringify(made).length;
    if (recorded.size < MAX_LOOKUPS && octets <= MAX_OCTETS) recorded.set(key, made);
  }

  return {
    dns: {
      async lookup(name, type, options) {
        const answer = await dns.lookup(name, type, options);
        const recordedType = zoneTypes.find((known) => known === type);
        const canonical = canonicalName(name);
        if (recordedType !== undefined && !canonical.includes('._domainkey.'))
          record(canonical, recordedType, answer as Answer<never>);
        return answer;
      },
    },
    lookups: () => [...recorded.values()],
  };
}

function recordedAnswer<T extends ZoneType>(type: T, answer: Answer<RecordData[T]>): Recorded['answer'] {
  if (answer.status === 'unavailable') return { status: 'unavailable' };
  const aliases = answer.aliases.length === 0 ? {} : { aliases: [...answer.aliases] };
  if (answer.status === 'absent') return { status: 'absent', reason: answer.reason, ...aliases };
  const values = answer.records.map((data) => writeValue(type, data));
  const owner = answer.aliases.length === 0 ? {} : { owner: answer.name };
  return { status: 'found', values, ttl: answer.ttl, ...owner, ...aliases };
}

/** A Dns that answers from recorded lookups; a lookup that was not recorded fails. */
export function replayLookups(lookups: RecordedLookups): Dns {
  const recorded = new Map(lookups.map((lookup) => [`${lookup.name} ${lookup.type}`, lookup]));
  return {
    async lookup<T extends RecordType>(name: string, type: T): Promise<Answer<RecordData[T]>> {
      const lookup = recorded.get(`${canonicalName(name)} ${type}`);
      if (lookup === undefined || lookup.answer.status === 'unavailable') return failed;
      const { answer } = lookup;
      const evidence = { milliseconds: 0 };
      const { aliases = [] } = answer;
      if (answer.status === 'absent') return { status: 'absent', reason: answer.reason, aliases, evidence };
      const { values, owner = lookup.name, ttl } = answer;
      const records = values.flatMap((value) => readValue(lookup.type, value) ?? []) as RecordData[T][];
      return { status: 'found', records, name: owner, aliases, ttl, sets: [], evidence };
    },
  };
}

const failed: Unavailable = { status: 'unavailable', reason: 'unreachable', evidence: { milliseconds: 0 } };
