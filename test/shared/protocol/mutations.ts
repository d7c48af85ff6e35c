/**
 * Generates texts for fuzz tests: seeds that are spliced, cut, doubled and filled with unusual characters. The texts
 * are the same in every run.
 */
export function* mutations(seeds: readonly string[], count: number): Generator<string> {
  let state = 0x9e3779b9;
  const below = (limit: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
  const awkward = [
    ';',
    '=',
    ' ',
    '\t',
    '\r\n',
    ',',
    ':',
    '!',
    '"',
    '\\',
    '%',
    '\0',
    'é',
    '\ud800',
    '😀',
    'v',
    'p',
    '0',
  ];
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
