/**
 * The letters of the picture for link previews, as strokes of a pen. A picture without text in a font looks the same
 * everywhere, and needs no font files.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line through points; one point is a dot. */
export type Stroke = readonly Point[];

/** The height of capitals, in the unit of all coordinates; `y` grows downward from there, and descenders end at 8. */
export const CAP_HEIGHT = 6;

/** Between letters, and between words. */
const GAP = 1.7;
const SPACE = 2.2;

/**
 * Strokes as pairs of digits, x and y. `~` rounds the corners of a stroke, and `@` those of a closed one. Names of domains
 * have lowercase letters, digits, hyphens and dots; the others are for grades.
 */
const strokes: Readonly<Record<string, string>> = {
  ...{ a: '@02424606 4246', b: '0006 @02424606', c: '~42020646', d: '@02424606 4046' },
  ...{ e: '0444 ~4442020646', f: '~16111030 0232', g: '@02424606 ~4247480807', h: '0006 ~0402424446' },
  ...{
    i: '0206 0000',
    j: '~1217180807 1010',
    k: '0006 3204 1336',
    l: '0006',
    m: '0206 ~0402323436 ~3432626466',
  },
  ...{ n: '0206 ~0402424446', o: '@02424606', p: '0208 @02424606', q: '4248 @02424606', r: '0206 ~040232' },
  ...{ s: '~420204444606', t: '~10151636 0232', u: '~0204064644 4246', v: '022642', w: '0226324662' },
  ...{ x: '0246 4206', y: '0226 4218', z: '02420646' },
  ...{ '0': '@00404606', '1': '012026', '2': '~0100404306 0646', '3': '~0100404313 ~1343460605' },
  ...{ '4': '300444 3236', '5': '400002 ~0242460605', '6': '~300104 @02424606', '7': '004016' },
  ...{ '8': '@00404303 @03434606', '9': '@00404404 ~424516', '-': '0434', '.': '0606' },
  ...{ A: '062046 1434', B: '0006 ~00404303 ~03434606', C: '~414000064645', D: '0006 ~00404606' },
  ...{ F: '060040 0333', '?': '~0100404222 2224 2626' },
};

/** The strokes of a text from its left edge; what has no letter here is a space. */
export function strokesOf(text: string): { readonly strokes: readonly Stroke[]; readonly width: number } {
  const all: Stroke[] = [];
  let left = 0;
  for (const character of text) {
    const letter = strokes[character];
    if (letter === undefined) {
      left += SPACE;
      continue;
    }
    const drawn = letter.split(' ').map(strokeOf);
    all.push(...drawn.map((stroke) => stroke.map(({ x, y }) => ({ x: x + left, y }))));
    left += Math.max(...drawn.flat().map(({ x }) => x)) + GAP;
  }
  return { strokes: all, width: Math.max(0, left - GAP) };
}

function strokeOf(written: string): Stroke {
  const points = (written.match(/\d\d/g) ?? []).map((pair) => ({ x: Number(pair[0]), y: Number(pair[1]) }));
  if (written.startsWith('@')) return rounded([...points, ...points.slice(0, 1)], true);
  return written.startsWith('~') ? rounded(points, false) : points;
}

/** How often corners are cut: often enough that no corner is left at the largest size. */
const CUTS = 3;

/** Cuts every corner at a quarter of its sides (Chaikin's algorithm). */
function rounded(points: Stroke, isClosed: boolean): Stroke {
  let line = points;
  for (let n = 0; n < CUTS; n += 1) {
    const cut = line.slice(1).flatMap((to, index) => {
      const from = line[index] ?? to;
      return [between(from, to, 0.25), between(from, to, 0.75)];
    });
    const ends = isClosed ? cut : line;
    const [first, last] = [ends[0], isClosed ? ends[0] : ends.at(-1)];
    if (first === undefined || last === undefined) return line;
    line = isClosed ? [...cut, last] : [first, ...cut, last];
  }
  return line;
}

const between = (from: Point, to: Point, share: number): Point => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
});
