/** The keys of a message's signatures, each name looked up once. */

import type { Answer, Dns } from '../dns.ts';
import { type DkimKey, parseDkimKey, resemblesDkimKey } from './key.ts';
import type { Stated } from './signature.ts';

export interface KeyLookups {
  /** The records in the order in which they are tried. */
  lookup(name: string): Promise<Answer<string>>;
  /** The keys as they read, in the same order; none where none was found. */
  keysOf(name: string): Promise<readonly DkimKey[]>;
}

export function keyLookups(dns: Dns, signatures: readonly Stated[]): KeyLookups {
  const asked = new Map<string, Promise<Answer<string>>>();
  const lookup = (name: string) => {
    const algorithm = signatures.find((signature) => signature.name === name)?.algorithm ?? '';
    const answer = asked.get(name) ?? dns.lookup(name, 'TXT').then((found) => inOrder(found, algorithm));
    asked.set(name, answer);
    return answer;
  };
  return {
    lookup,
    async keysOf(name) {
      const answer = await lookup(name);
      return answer.status === 'found' ? answer.records.filter(resemblesDkimKey).map(readKey) : [];
    },
  };
}

/**
 * What a wildcard for another protocol puts at a selector's name is no key; of several keys a verifier may choose
 * (RFC 6376 section 6.1.2), and only one of the signature's own type can be meant.
 */
function inOrder(answer: Answer<string>, algorithm: string): Answer<string> {
  if (answer.status !== 'found') return answer;
  const records = answer.records.filter(resemblesDkimKey);
  if (records.length === 0) return answer;
  const fits = (text: string) => readKey(text).k === algorithm.split('-')[0]?.toLowerCase();
  return { ...answer, records: [...records.filter(fits), ...records.filter((text) => !fits(text))] };
}

function readKey(text: string): DkimKey {
  return parseDkimKey(text, '').key;
}
