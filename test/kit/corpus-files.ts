/** The files of the shared corpus, which lies beside the project and is not part of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../../shared/corpus/', import.meta.url);
export const hasCorpus = existsSync(root);

export function corpusBytes(path: string): Uint8Array {
  return readFileSync(new URL(path, root));
}

/** The paths of all mails, in the order of their names; none where the corpus is absent. */
export function corpusMails(): readonly string[] {
  if (!hasCorpus) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.eml'))
    .toSorted();
}
