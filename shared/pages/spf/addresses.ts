/** The authorized senders: mail providers by name, and networks to copy. */

import { pluralize } from '../../protocol/quantity.ts';
import type { Expansion } from '../../protocol/spf/expansion.ts';
import { copyButton } from '../components/actions.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { first, fitting, inTurn, more } from '../room.ts';
import { letsEveryoneSend } from './verdict.ts';

export function addresses(expansion: Expansion, room: number): Markup {
  const { flattened, detectedProviders, totalLookupCount } = expansion;
  const { networks, merged, records } = flattened;
  const everyone = letsEveryoneSend(expansion);
  return html`<section aria-labelledby="senders">
<h2 id="senders">Authorized senders</h2>
${
  detectedProviders.length === 0
    ? html`<p class="soft">No known mail provider found.</p>`
    : html`<ul class="providers">${detectedProviders.map((provider) => html`<li>${provider}</li>`)}</ul>`
}
${everyone ? html`<p>Any host, listed or not.</p>` : networks.length === 0 ? html`<p>No IP addresses are listed.</p>` : ''}
${inTurn(room, [
  (left) => published(networks, left),
  (left) => (merged === null || merged.length === networks.length ? html`` : ranges(merged, left)),
  (left) => (totalLookupCount === 0 ? html`` : flat(records, left)),
])}
</section>`;
}

type Flattened = Expansion['flattened'];

function published(networks: Flattened['networks'], room: number): Markup {
  if (networks.length === 0) return html``;
  const { shown, omitted } = fitting(
    networks,
    room,
    ({ network, sources }) =>
      html`<li><code>${network}</code> <span class="note">${visibleStart([...new Set(sources.map(({ domain }) => domain))].join(', '), 90)}</span></li>`,
  );
  return html`<details class="fold"><summary>${pluralize(networks.length, 'address or range', 'addresses and ranges')} as published</summary>
${
  omitted === 0
    ? html`${copyButton('networks', 'list')}
<ul id="networks" class="networks">${shown}</ul>`
    : plain(
        'networks',
        networks.map(({ network }) => network),
        room,
      )
}</details>`;
}

function ranges(merged: readonly string[], room: number): Markup {
  if (merged.length === 0) return html``;
  return html`<details class="fold"><summary>${pluralize(merged.length, 'range')} after merging</summary>
${plain('merged', merged, room)}</details>`;
}

function flat(records: Flattened['records'], room: number): Markup {
  if (records.length === 0) return html``;
  return html`<details class="fold"><summary>${records.length === 1 ? 'Flattened record' : `${records.length} flattened records`}</summary>
<p class="soft">Accurate as of this check. Providers change their addresses without notice, so keep a flattened record up to date.</p>
<ul class="flat">${first(
    records,
    room,
    ({ name, text }, _left, index) =>
      html`<li><div class="head"><h3><code>${untrustedText(name)}</code> TXT</h3>${copyButton(`flat${index}`, 'record')}</div>
<p id="flat${index}" class="record"><code>${unbroken(text)}</code></p></li>`,
  )}</ul></details>`;
}

/** Networks only, one per line, to keep long lists small. */
function plain(id: string, networks: readonly string[], room: number): Markup {
  const { shown, omitted } = fitting(networks, room, (network) => html`${network}\n`);
  return html`${omitted === 0 ? copyButton(id, 'list') : ''}
<pre id="${id}"><code>${shown}</code></pre>${omitted === 0 ? '' : more(omitted)}`;
}

/** Prevents a line break after the hyphen of `-all`. */
function unbroken(record: string): Markup {
  return html`${record
    .split(' ')
    .map((word, index) => [
      index === 0 ? '' : ' ',
      word.includes('-') ? html`<span class="t">${untrustedText(word)}</span>` : untrustedText(word),
    ])}`;
}
