/** Folders and labels of a mailbox by their names, whatever protocol lists them. */
import { FolderProblem } from './folder-port.ts';

/** How many names a problem has. */
const MOST_NAMES = 12;

type SameName = (a: string, b: string) => boolean;

const folded = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * The first that has a name, in any case; undefined if none has. A name in the same case is preferred.
 * @param isNamed Whether one has the name, by a comparison of names.
 */
export const findNamed = <T>(
  all: readonly T[],
  isNamed: (one: T, same: SameName) => boolean,
): T | undefined =>
  all.find((one) => isNamed(one, (a, b) => a === b)) ??
  all.find((one) => isNamed(one, (a, b) => folded(a) === folded(b)));

/** @param names Those that exist. */
export function notFound(kind: 'folder' | 'label', name: string, names: readonly string[]): FolderProblem {
  const others = names.length > MOST_NAMES ? ', ...' : '';
  const first = names.slice(0, MOST_NAMES).join(', ');
  return new FolderProblem('folder-not-found', `there is no ${kind} "${name}"; there are ${first}${others}`);
}
