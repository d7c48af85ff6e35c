/** The picture of link previews: the domain, its grade and its score. PNG, because many clients do not show SVG. */
import type { Score } from '../../score/shapes.ts';
import { badgeColours } from '../badge.ts';
import { CAP_HEIGHT, strokesOf } from './glyphs.ts';
import { type Picture, picture } from './png.ts';

/** Pixels: the size that sites ask for. */
export const CARD = { type: 'image/png', width: 1200, height: 630 } as const;

const MARGIN = 80;
const BOX = { left: MARGIN, top: 310, width: 230, height: 230 } as const;

const [GROUND, LABEL, INK] = ['#ffffff', badgeColours.label, '#111111'];
const Ink = { text: 0, label: 1, grade: 2, inBox: 3 } as const;

/** What does not fit in one line at the smallest size that can be read is cut off. */
const MAX_DOMAIN = 60;

/** The PNG image, about 20 kB. */
export function card(domain: string, { score, grade }: Pick<Score, 'score' | 'grade'>): Uint8Array {
  const colour = badgeColours[grade ?? 'unknown'];
  const drawn = picture(CARD.width, CARD.height, [
    [GROUND, INK],
    [GROUND, LABEL],
    [GROUND, colour],
    [colour, GROUND],
  ]);
  drawn.fill({ left: 0, top: 0, width: CARD.width, height: 16 }, Ink.grade);
  write(drawn, 'email security of', { left: MARGIN, top: 100, height: 30 }, Ink.label);
  const name = domain.length > MAX_DOMAIN ? `${domain.slice(0, MAX_DOMAIN)}...` : domain;
  write(drawn, name, { left: MARGIN, top: 180, height: 66 }, Ink.text);
  drawn.fill(BOX, Ink.grade);
  const letter = grade ?? '?';
  const height = 130;
  const width = (strokesOf(letter).width * height) / CAP_HEIGHT;
  write(
    drawn,
    letter,
    { left: BOX.left + (BOX.width - width) / 2, top: BOX.top + (BOX.height - height) / 2, height },
    Ink.inBox,
  );
  const points = score === null ? 'not known' : `${score} of 100`;
  write(drawn, points, { left: BOX.left + BOX.width + 60, top: BOX.top + 85, height: 60 }, Ink.text);
  return drawn.png();
}

/** Writes a text with capitals of this height in pixels, or smaller if it would be too long. */
function write(
  onto: Picture,
  text: string,
  { left, top, height }: { readonly left: number; readonly top: number; readonly height: number },
  ink: number,
): void {
  const { strokes, width } = strokesOf(text);
  const size = Math.min(height / CAP_HEIGHT, (CARD.width - MARGIN - left) / Math.max(width, 1));
  onto.draw(strokes, { left, top: top + height - size * CAP_HEIGHT, size, thickness: size * 0.85 }, ink);
}
