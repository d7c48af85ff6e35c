import { random } from '../../kit/random.ts';

/**
 * Generates texts for fuzz tests: seeds that are spliced, cut, doubled and filled with unusual characters. The texts
 * are the same in every run.
 */
export function* mutations(seeds: readonly string[], count: number): Generator<string> {
  const below = random(20_260_101);
  const awkward = [...';=,:!"\\%vp0', ' ', '\t', '\r\n', '\0', 'é', '\ud800', '😀'];
  const seed = () => seeds[below(seeds.length)] ?? '';
  for (let made = 0; made < count; made++) {
    let text = seed();
    for (let edits = below(6); edits > 0; edits--) {
      const at = below(text.length + 1);
      const to = at + below(8);
      const inserted = [awkward[below(awkward.length)] ?? '', seed().slice(below(20)), ''][below(3)] ?? '';
      text = text.slice(0, at) + inserted + text.slice(below(2) === 0 ? at : to);
    }
    yield text;
  }
}
