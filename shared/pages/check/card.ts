/** The image of link previews: an SVG 1.1 image of the domain, its grade and its score. */
import type { Score } from '../../score/score.ts';
import { badgeColours } from '../badge.ts';
import { html } from '../markup.ts';

/** Pixels: the size that sites ask for. */
const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 80;

/** No font has wider digits and letters on average, in em. */
const CHARACTER_WIDTH = 0.62;

export function card(domain: string, { score, grade, label }: Score): string {
  const points = score === null ? label : `${score} of 100`;
  const title = `Email security of ${domain}: ${grade === null ? label : `grade ${grade}, ${points}`}`;
  const size = Math.min(84, Math.floor((WIDTH - 2 * MARGIN) / (domain.length * CHARACTER_WIDTH)));
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<title>${title}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<rect width="${WIDTH}" height="16" fill="${badgeColours[grade ?? 'unknown']}"/>
<g font-family="Verdana,Geneva,DejaVu Sans,sans-serif" aria-hidden="true">
<text x="${MARGIN}" y="130" font-size="36" fill="${badgeColours.label}">Email security of</text>
<text x="${MARGIN}" y="${150 + size}" font-size="${size}" fill="#111">${domain}</text>
<rect x="${MARGIN}" y="310" width="220" height="220" rx="28" fill="${badgeColours[grade ?? 'unknown']}"/>
<text x="${MARGIN + 110}" y="475" font-size="150" text-anchor="middle" fill="#fff">${grade ?? '?'}</text>
<text x="${MARGIN + 270}" y="445" font-size="72" fill="#111">${points}</text>
</g>
</svg>
`}`;
}
