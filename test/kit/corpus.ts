/** Tests over the shared corpus of real files. */
import { describe, expect, test } from '@jest/globals';
import { corpusBytes, hasCorpus } from './corpus-files.ts';

export { corpusBytes } from './corpus-files.ts';

/** A suite over the corpus; without a corpus, one skipped test that says so. */
export function corpusSuite(title: string, define: () => void): void {
  if (hasCorpus) describe(title, define);
  else test.skip(`${title} (skipped: no corpus)`, () => undefined);
}

// biome-ignore lint/suspicious/noExplicitAny: foreign data of several shapes
export function corpusJson(path: string): any {
  return JSON.parse(Buffer.from(corpusBytes(path)).toString());
}

interface Vector {
  readonly id: string;
  readonly input: string;
  readonly origin_verdict: 'valid' | 'invalid';
}

/** The scored cases of a suite of record vectors. */
function scoredVectors(path: string): readonly Vector[] {
  return corpusJson(path).cases.filter(
    (vector: Vector & { readonly quirk?: unknown; readonly disputed?: unknown }) =>
      vector.origin_verdict !== undefined && !vector.quirk && !vector.disputed,
  );
}

/** Expects of each scored vector that it is valid where its origin says so. */
export function testVectors(path: string, isValid: (input: string) => boolean): void {
  for (const { id, input, origin_verdict } of scoredVectors(path))
    test(`${id}: ${JSON.stringify(input.slice(0, 90))} is ${origin_verdict}`, () => {
      expect(isValid(input)).toBe(origin_verdict === 'valid');
    });
}
