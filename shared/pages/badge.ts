/** A domain's badge: an SVG 1.1 image of its grade and score that any page can embed. */
import type { Grade } from '../score/grade.ts';
import { gradeOf } from '../score/score.ts';
import type { Badge } from '../store/domains/badges.ts';
import { html } from './markup.ts';

/** The image loads and runs nothing, and pages of any origin may embed it. */
export const badgeHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
};

const LABEL = 'email security';

/** Background colors with enough contrast for white text (WCAG 2.2, 1.4.3), visible on light and dark pages. */
export const badgeColours: Readonly<Record<Grade | 'label' | 'unknown', string>> = {
  A: '#1a7f37',
  B: '#4d7c0f',
  C: '#8a6100',
  D: '#b3480b',
  F: '#b91c1c',
  label: '#41474d',
  unknown: '#66707a',
};

/** Pixels. */
const HEIGHT = 20;
const FONT_SIZE = 11;
const PADDING = 6;

export function badge({ domain, score }: Badge): string {
  const grade = score === null ? undefined : gradeOf(score).grade;
  const value = grade === undefined ? 'unknown' : `${grade} ${score}/100`;
  const title = `Email security of ${domain}: ${grade === undefined ? 'unknown' : `grade ${grade}, ${score} of 100`}`;
  const left = textWidth(LABEL) + 2 * PADDING;
  const right = textWidth(value) + 2 * PADDING;
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="round"><rect width="${left + right}" height="${HEIGHT}" rx="3"/></clipPath>
<g clip-path="url(#round)">
<rect width="${left}" height="${HEIGHT}" fill="${badgeColours.label}"/>
<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${badgeColours[grade ?? 'unknown']}"/>
</g>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="${FONT_SIZE}" aria-hidden="true">
<text x="${PADDING}" y="14" textLength="${textWidth(LABEL)}">${LABEL}</text>
<text x="${left + PADDING}" y="14" textLength="${textWidth(value)}">${value}</text>
</g>
</svg>
`}`;
}

/**
 * Advance widths of Verdana in thousandths of an em, for the characters that badges use. `textLength` stretches any
 * other font to this width, so the text always fits its background.
 */
const widths: Readonly<Record<string, number>> = {
  ...{ ' ': 352, '/': 454, A: 684, B: 686, C: 698, D: 771, F: 575 },
  ...{ a: 601, c: 521, e: 596, i: 274, k: 592, l: 274, m: 973, n: 633, o: 607, r: 427, s: 521, t: 394 },
  ...{ u: 633, w: 818, y: 592 },
};
const DIGIT_WIDTH = 636;

/** Whole pixels. */
function textWidth(text: string): number {
  const thousandths = Array.from(text, (character) => widths[character] ?? DIGIT_WIDTH);
  return Math.ceil((thousandths.reduce((sum, width) => sum + width, 0) * FONT_SIZE) / 1000);
}
