/** The shared corpus of real files, which lies beside the project and is not part of it. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from '@jest/globals';

const root = new URL('../../../shared/corpus/', import.meta.url);
const hasCorpus = existsSync(root);

/** A suite over the corpus; where it is absent, one skipped test that says so. */
export function corpusSuite(title: string, define: () => void): void {
  if (hasCorpus) describe(title, define);
  else test.skip(`${title} (skipped: no corpus)`, () => undefined);
}

export function corpusBytes(path: string): Uint8Array {
  return readFileSync(new URL(path, root));
}

// biome-ignore lint/suspicious/noExplicitAny: foreign data of several shapes
export function corpusJson(path: string): any {
  return JSON.parse(Buffer.from(corpusBytes(path)).toString());
}

export interface Vector {
  readonly id: string;
  readonly input: string;
  readonly origin_verdict: 'valid' | 'invalid';
}

/** The cases of a suite of record vectors that are to be scored. */
export function scoredVectors(path: string): readonly Vector[] {
  return corpusJson(path).cases.filter(
    (vector: Vector & { readonly quirk?: unknown; readonly disputed?: unknown }) =>
      vector.origin_verdict !== undefined && !vector.quirk && !vector.disputed,
  );
}
