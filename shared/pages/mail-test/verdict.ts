/** The overall verdict on a test message: a title, a sentence, and a dial. */
import type { MailTest } from '../../mail-test/analyse.ts';
import type { Verdict } from '../../mail-test/rules.ts';
import { html, type Markup } from '../markup.ts';
import { points } from './text.ts';

export interface VerdictWords {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly sign: string;
  readonly title: string;
  readonly sentence: string;
}

export const words: Readonly<Record<Verdict, VerdictWords>> = {
  ham: {
    tone: 'good',
    sign: '✓',
    title: 'Not spam',
    sentence: 'Receivers have little reason to treat this message as spam.',
  },
  'probable-spam': {
    tone: 'warn',
    sign: '!',
    title: 'Probable spam',
    sentence: 'Some receivers will put this message in the spam folder.',
  },
  spam: {
    tone: 'bad',
    sign: '✕',
    title: 'Spam',
    sentence: 'Most receivers will treat this message as spam.',
  },
  'high-spam': {
    tone: 'bad',
    sign: '✕',
    title: 'High-confidence spam',
    sentence: 'Receivers will reject or discard this message.',
  },
};

/** The highest score on the dial, from which a message is high-confidence spam; higher scores are shown at its end. */
const DIAL_END = 10;
/** The score ranges of the verdicts. */
const RANGES = [
  [0, 3, 'pass'],
  [3, 6, 'softfail'],
  [6, DIAL_END, 'fail'],
] as const;
const [CENTER, RADIUS] = [100, 80];
/** Degrees between two ranges. */
const GAP = 1.5;

export function dial({ spamScore, verdict }: MailTest): Markup {
  const label = `Spam score ${points(spamScore)}: ${words[verdict].title}`;
  const angle = angleOf(spamScore);
  return html`<svg class="dial" viewBox="0 0 200 122" role="img" aria-label="${label}">
${RANGES.map(([from, to, tone]) => html`<path class="arc ${tone}" d="${arc(angleOf(from) + GAP, angleOf(to) - GAP)}"/>`)}
<path class="needle" d="M${CENTER - 4} ${CENTER}L${CENTER} 34L${CENTER + 4} ${CENTER}z" transform="rotate(${angle - 90} ${CENTER} ${CENTER})"/>
<circle class="needle" cx="${CENTER}" cy="${CENTER}" r="7"/>
<text x="20" y="118">0</text><text x="180" y="118">10+</text>
</svg>`;
}

/** Degrees from the left end of the half circle. */
function angleOf(score: number): number {
  const shown = Math.min(Math.max(score, 0), DIAL_END);
  return Math.round((shown / DIAL_END) * 1800) / 10;
}

function arc(from: number, to: number): string {
  const [start, end] = [from, to].map((degrees) => {
    const radians = ((180 - degrees) * Math.PI) / 180;
    return `${(CENTER + RADIUS * Math.cos(radians)).toFixed(1)} ${(CENTER - RADIUS * Math.sin(radians)).toFixed(1)}`;
  });
  return `M${start}A${RADIUS} ${RADIUS} 0 0 1 ${end}`;
}
