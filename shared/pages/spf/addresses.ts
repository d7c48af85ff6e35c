/** The authorized senders: mail providers by name, and networks to copy. */

import { counted } from '../../protocol/quantity.ts';
import type { Expansion } from '../../protocol/spf/expansion.ts';
import { html, type Markup, visible, visibleStart } from '../markup.ts';
import { copyButton } from './actions.ts';
import { first, more } from './extent.ts';
import { letsEveryoneSend } from './verdict.ts';

/** The markup of a plain network is about a tenth as large as that of other entries. */
const LINES_PER_ENTRY = 10;

export function addresses(expansion: Expansion, entries: number): Markup {
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
${
  networks.length === 0
    ? ''
    : html`<details class="fold"><summary>${counted(networks.length, 'address or range', 'addresses and ranges')} as published</summary>
${
  entries < networks.length
    ? plain(
        'networks',
        networks.map(({ network }) => network),
        entries,
      )
    : html`${copyButton('networks', 'list')}
<ul id="networks" class="networks">${networks.map(
        ({ network, sources }) =>
          html`<li><code>${network}</code> <span class="note">${visibleStart([...new Set(sources.map(({ domain }) => domain))].join(', '), 90)}</span></li>`,
      )}</ul>`
}</details>`
}
${
  merged === null || merged.length === 0 || merged.length === networks.length
    ? ''
    : html`<details class="fold"><summary>${counted(merged.length, 'range')} after merging</summary>
${plain('merged', merged, entries)}</details>`
}
${
  records.length === 0 || totalLookupCount === 0
    ? ''
    : html`<details class="fold"><summary>${records.length === 1 ? 'Flattened record' : `${records.length} flattened records`}</summary>
<p class="soft">Accurate as of this check. Providers change their addresses without notice, so keep a flattened record up to date.</p>
<ul class="flat">${first(
        [...records.entries()],
        entries,
        ([index, { name, text }]) =>
          html`<li><div class="head"><h3><code>${visible(name)}</code> TXT</h3>${copyButton(`flat${index}`, 'record')}</div>
<p id="flat${index}" class="record"><code>${unbroken(text)}</code></p></li>`,
      )}</ul></details>`
}
</section>`;
}

/** Networks only, one per line, to keep long lists small. */
function plain(id: string, networks: readonly string[], entries: number): Markup {
  const shown = networks.slice(0, Math.min(entries * LINES_PER_ENTRY, networks.length));
  const whole = shown.length === networks.length;
  return html`${whole ? copyButton(id, 'list') : ''}
<pre id="${id}"><code>${shown.join('\n')}</code></pre>${whole ? '' : more(networks.length - shown.length)}`;
}

/** Prevents a line break after the hyphen of `-all`. */
function unbroken(record: string): Markup {
  return html`${record
    .split(' ')
    .map((word, index) => [
      index === 0 ? '' : ' ',
      word.includes('-') ? html`<span class="t">${visible(word)}</span>` : visible(word),
    ])}`;
}
