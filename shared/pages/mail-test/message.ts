/** The message itself: bulk sender requirements, delivery path, and header. */

import type { Advice, AdviceTopic } from '../../mail-test/advice.ts';
import type { MailTestResults } from '../../mail-test/analyse.ts';
import type { Receiver, SenderNote } from '../../mail-test/bulk-sender.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import { html, type Markup } from '../markup.ts';
import { readable } from './text.ts';

const titles: Readonly<Record<SenderNote['requirement'], string>> = {
  'spf-and-dkim': 'SPF and DKIM',
  'dmarc-record': 'DMARC record',
  'dmarc-aligned': 'DMARC alignment',
  'reverse-dns': 'Reverse DNS',
  'one-click-unsubscribe': 'One-click unsubscribe',
  tls: 'TLS',
};

const states = {
  met: ['✓', 'met', 'pass'],
  'not-met': ['✕', 'not met', 'fail'],
  unknown: ['?', 'unknown', 'neutral'],
} as const;

const names: Readonly<Record<Receiver, readonly [name: string, scope: string]>> = {
  gmail: [
    'Gmail',
    'Senders of about 5,000 messages a day or more. Since November 2025, Gmail rejects mail that does not meet them.',
  ],
  yahoo: ['Yahoo', 'Bulk senders; Yahoo states no number.'],
  microsoft: [
    'Microsoft',
    'Senders of more than 5,000 messages a day to Outlook.com, Hotmail.com and Live.com. Since 5 May 2025, Microsoft rejects mail that does not meet them with 550 5.7.515.',
  ],
};

/** The bulk sender requirements, which do not affect the score. */
export function senderNotes(notes: readonly SenderNote[]): Markup {
  const groups = Map.groupBy(notes, ({ receiver }) => receiver);
  return html`<section aria-labelledby="bulk">
<h2 id="bulk">Bulk sender requirements</h2>
<p class="soft">These requirements do not affect the score.</p>
${[...groups].map(([receiver, ofReceiver]) => {
  const [name, scope] = names[receiver];
  return html`<h3>${name}</h3>
<p class="soft">${scope}</p>
<ul class="bill">${ofReceiver.map(({ requirement, state, explanation }) => {
    const [sign, word, tone] = states[state];
    return html`<li><span><strong>${titles[requirement]}</strong> ${explanation}</span><span class="n state ${tone}">${sign} ${word}</span></li>`;
  })}</ul>`;
})}
</section>`;
}

/** What can be better, without an effect on the score. */
export function adviceList(advice: readonly Advice[]): Markup {
  if (advice.length === 0) return html``;
  return html`<section aria-labelledby="advice">
<h2 id="advice">What can be better</h2>
<ul class="bill">${advice.map(({ topic, state, explanation }) => {
    const [sign, word, tone] = adviceStates[state];
    return html`<li><span><strong>${adviceTitles[topic]}</strong> ${readable(explanation, 500)}</span><span class="n state ${tone}">${sign} ${word}</span></li>`;
  })}</ul>
</section>`;
}

const adviceStates = {
  good: ['✓', 'good', 'pass'],
  bad: ['!', 'to fix', 'softfail'],
  unknown: ['?', 'unknown', 'neutral'],
} as const;

const adviceTitles: Readonly<Record<AdviceTopic, string>> = {
  'text-part': 'Text part',
  links: 'Links',
  'from-mx': 'Replies',
  'key-strength': 'Key strength',
  'one-click-unsubscribe': 'Unsubscribing',
};

export function way({ message }: MailTestResults): Markup {
  if (message.received.length === 0) return html``;
  return html`<section aria-labelledby="way">
<h2 id="way">Delivery path</h2>
<p class="soft">Only the last hop was recorded by this service; earlier hops are unverified.</p>
<ol class="way">${message.received.toReversed().map(
    ({ from, by, protocol, tls, date }) => html`<li>
${from === null ? '' : html`<p>from <code>${readable(from)}</code></p>`}
${by === null ? '' : html`<p>to <code>${readable(by)}</code></p>`}
<p class="soft">${readable([protocol, tls && `TLS ${tls}`, date].filter(Boolean).join(', '))}</p>
</li>`,
  )}</ol>
</section>`;
}

export function header({ message }: MailTestResults): Markup {
  const { fields, moreFields, octets, unscored } = message;
  return html`<section aria-labelledby="header">
<h2 id="header">Header</h2>
<p class="soft">Message size: ${pluralize(octets, 'byte')}</p>
${unscored.length === 0 ? '' : html`<p class="soft">Recognized, and not scored: ${unscored.map(({ name, count }) => `${name} (${count})`).join(', ')}</p>`}
<details class="fold"><summary>${pluralize(fields.length + moreFields, 'header field')} as received</summary>
<dl class="fields">${fields.map(
    ({ name, value }) => html`<div><dt>${readable(name)}</dt><dd>${readable(value, 500)}</dd></div>`,
  )}</dl>
${moreFields > 0 ? html`<p class="soft">and ${formatNumber(moreFields)} more</p>` : ''}
</details>
</section>`;
}
