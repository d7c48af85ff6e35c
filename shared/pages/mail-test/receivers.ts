/** What each receiver does with a test message: the headline of the result, and the rules behind it. */
import {
  type Delivery,
  deliveries,
  type ReceiverName,
  type ReceiverOutcome,
} from '../../mail-test/receivers.ts';
import { html, type Markup } from '../markup.ts';
import type { VerdictWords } from './verdict.ts';

const names: Readonly<Record<ReceiverName, string>> = {
  gmail: 'Gmail',
  yahoo: 'Yahoo',
  microsoft: 'Microsoft',
  others: 'other receivers',
};

interface DeliveryWords extends Pick<VerdictWords, 'tone' | 'sign'> {
  readonly word: string;
  readonly title: string;
  readonly sentence: string;
}

const words: Readonly<Record<Delivery, DeliveryWords>> = {
  delivered: {
    tone: 'good',
    sign: '✓',
    word: 'delivered',
    title: 'Delivered',
    sentence:
      'The message meets the published rules of receivers. Reputation and content decide about the spam folder.',
  },
  unknown: {
    tone: 'warn',
    sign: '?',
    word: 'unknown',
    title: 'Not fully checked',
    sentence: 'A rule that decides about delivery could not be checked. Send another message later.',
  },
  'spam-folder': {
    tone: 'warn',
    sign: '!',
    word: 'spam folder',
    title: 'Spam folder',
    sentence: 'The message breaks rules of these receivers, which are listed below.',
  },
  rejected: {
    tone: 'bad',
    sign: '✕',
    word: 'rejected',
    title: 'Rejected',
    sentence: 'These receivers do not accept the message, for the rules that are listed below.',
  },
};

/** The worst that happens, with the receivers that do it. */
export function headline(outcomes: readonly ReceiverOutcome[]): VerdictWords {
  const worst = deliveries.findLast((it) => outcomes.some(({ delivery }) => delivery === it)) ?? 'unknown';
  const { tone, sign, title, sentence } = words[worst];
  const by = outcomes.filter(({ delivery }) => delivery === worst).map(({ receiver }) => names[receiver]);
  if (worst === 'delivered' || worst === 'unknown') return { tone, sign, title, sentence };
  const who = by.length === outcomes.length ? 'all receivers' : new Intl.ListFormat('en').format(by);
  const preposition = worst === 'rejected' ? 'by' : 'of';
  return { tone, sign, title: `${title} ${preposition} ${who}`, sentence };
}

export function receiverList(outcomes: readonly ReceiverOutcome[]): Markup {
  return html`<section aria-labelledby="receivers">
<h2 id="receivers">What receivers do</h2>
<p class="soft">By the rules that they publish; reputation and content count, too.</p>
${outcomes.map(
  ({ receiver, delivery, bulkDelivery, broken }) => html`<h3>${capital(names[receiver])}</h3>
<ul class="bill">
<li><span>${broken.some(({ senders }) => senders === 'all') ? reasons(broken, 'all') : 'The message breaks none of the rules for all senders.'}</span>${state(delivery)}</li>
${
  bulkDelivery === delivery
    ? ''
    : html`<li><span><strong>From senders of bulk mail</strong> ${reasons(broken, 'bulk')}</span>${state(bulkDelivery)}</li>`
}
</ul>`,
)}
</section>`;
}

function reasons(
  broken: ReceiverOutcome['broken'],
  of: ReceiverOutcome['broken'][number]['senders'],
): Markup[] {
  return broken
    .filter(({ senders }) => senders === of)
    .map(
      ({ rule, reply, source, delivery }) =>
        html`${source === null ? rule : html`<a href="${source}" rel="noreferrer">${rule}</a>`}${delivery === 'unknown' ? ' This could not be checked.' : ''}${reply === null ? '' : html` <code>${reply}</code>`} `,
    );
}

const tones = { good: 'pass', warn: 'softfail', bad: 'fail' } as const;

function state(delivery: Delivery): Markup {
  const { sign, word, tone } = words[delivery];
  return html`<span class="n state ${tones[tone]}">${sign} ${word}</span>`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
