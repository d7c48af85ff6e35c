/** The keys of a message's signatures, each looked up once. */

import type { Answer, Dns } from '../dns.ts';
import { type DkimKey, parseDkimKey, resemblesDkimKey } from './key.ts';

export interface KeyLookups {
  lookup(name: string): Promise<Answer<string>>;
  /** The key as it reads; null where none was found. */
  keyOf(name: string): Promise<DkimKey | null>;
}

export function keyLookups(dns: Dns): KeyLookups {
  const asked = new Map<string, Promise<Answer<string>>>();
  const lookup = (name: string) => {
    const answer = asked.get(name) ?? dns.lookup(name, 'TXT').then(onlyKeys);
    asked.set(name, answer);
    return answer;
  };
  return {
    lookup,
    async keyOf(name) {
      const answer = await lookup(name);
      const text = answer.status === 'found' ? answer.records[0] : undefined;
      return text === undefined ? null : parseDkimKey(text, '').key;
    },
  };
}

/** What a wildcard for another protocol puts at a selector's name is no key. */
function onlyKeys(answer: Answer<string>): Answer<string> {
  if (answer.status !== 'found') return answer;
  const records = answer.records.filter(resemblesDkimKey);
  return records.length === 0 ? answer : { ...answer, records };
}
