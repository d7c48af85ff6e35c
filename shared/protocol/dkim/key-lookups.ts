/** The keys for the signatures of a message. Each name is looked up once. */

import type { Answer, Dns } from '../dns.ts';
import { type DkimKey, parseDkimKey, resemblesDkimKey } from './key.ts';
import type { Stated } from './signature.ts';

export interface KeyLookups {
  /** The records in the order in which they are to be tried. */
  lookup(name: string): Promise<Answer<string>>;
  /** The parsed keys in the same order; empty if none was found. */
  keysOf(name: string): Promise<readonly DkimKey[]>;
}

export function keyLookups(dns: Dns, signatures: readonly Stated[]): KeyLookups {
  const queried = new Map<string, Promise<Answer<string>>>();
  const lookup = (name: string) => {
    const algorithm = signatures.find((signature) => signature.name === name)?.algorithm ?? '';
    const answer = queried.get(name) ?? dns.lookup(name, 'TXT').then((found) => inOrder(found, algorithm));
    queried.set(name, answer);
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
 * Leaves out records that are not keys, such as those of a wildcard for another protocol. If there are several keys, a
 * verifier may choose (RFC 6376 section 6.1.2); those with the key type of the signature come first.
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
