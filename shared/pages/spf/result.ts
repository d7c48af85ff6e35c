/** The result of an SPF check, shared by all pages that show one. */

import { parsePrefix } from '../../protocol/ip.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import type { Expansion } from '../../protocol/spf/expansion.ts';
import { MAX_LOOKUPS } from '../../protocol/spf/limits.ts';
import { timeInWords } from '../../protocol/time.ts';
import type { SpfCheck } from '../../store/spf-shares.ts';
import { findings } from '../components/findings.ts';
import { html, type Markup, timeElement } from '../markup.ts';
import { inTurn } from '../room.ts';
import { addresses } from './addresses.ts';
import { budget } from './budget.ts';
import { record } from './record.ts';
import { tree } from './tree.ts';
import { inOneLine, letsEveryoneSend, type Tone, verdictOf } from './verdict.ts';

const signs: Readonly<Record<Tone, string>> = { good: '✓', warn: '!', bad: '✕', unknown: '?' };

/** What the frame of the pages says about the tool. */
export const spfTool = { site: 'SPF checker', home: '/spf' } as const;

/** Title, description and tool of the page. */
export function summary({ checkedAt, expansion }: SpfCheck) {
  return {
    ...spfTool,
    title: `${expansion.domain}: ${verdictOf(expansion).title} – SPF check`,
    description: `${inOneLine(expansion)} Checked ${timeInWords(checkedAt)}.`,
  };
}

interface Around {
  readonly actions: Markup;
  readonly note?: Markup;
}

/** In bytes. With the rest, such as styles, a page stays under 40 kB, which loads quickly on a phone. */
const ROOM = 20_000;

export function result({ checkedAt, expansion }: SpfCheck, { actions, note = html`` }: Around): Markup {
  const { tone, title, sentence } = verdictOf(expansion);
  return html`<article>
<header class="verdict ${tone}">
<p class="eyebrow">SPF record of</p>
<h1>${expansion.domain}</h1>
<p class="word"><span class="sign" aria-hidden="true">${signs[tone]}</span>${title}</p>
<p class="lead">${sentence}</p>
<p class="soft">Checked ${timeElement(checkedAt)}</p>
${note}
<div class="actions">${actions}</div>
</header>
${expansion.record === null ? '' : facts(expansion)}
${inTurn(
  ROOM,
  (expansion.record === null ? [findings] : [findings, record, budget, tree, addresses]).map(
    (part) => (room: number) => part(expansion, room),
  ),
)}
</article>`;
}

function facts(expansion: Expansion): Markup {
  const { totalLookupCount, allPolicy, recordLength, unknown } = expansion;
  const [hosts, where] = senders(expansion);
  return html`<dl class="facts">
<div><dt>DNS lookups</dt><dd>${totalLookupCount}<small> ${unknown.length > 0 ? 'or more, ' : ''}limit ${MAX_LOOKUPS}</small></dd></div>
<div><dt>Other hosts</dt><dd>${allPolicy ?? 'neutral'}<small> ${allPolicy === null ? 'no “all”' : words[allPolicy]}</small></dd></div>
<div><dt>Authorized</dt><dd>${hosts}<small> ${where}</small></dd></div>
<div><dt>Length</dt><dd>${formatNumber(recordLength)}<small> bytes</small></dd></div>
</dl>`;
}

const words = { '-all': 'fail', '~all': 'softfail', '?all': 'neutral', '+all': 'pass' } as const;

/** The number of authorized senders in compact form, and its unit. */
function senders(expansion: Expansion): [string, string] {
  if (letsEveryoneSend(expansion)) return ['any host', 'listed or not'];
  const { flattened, findings: found, unknown } = expansion;
  const families = flattened.networks.map(({ network }) => parsePrefix(network)?.family);
  const ipv6 = families.filter((family) => family === 6).length;
  const networks = families.length;
  const more =
    unknown.length > 0 || found.some(({ id }) => id === 'spf-depends-on-message') ? ' or more' : '';
  const hosts = ipv4Hosts(flattened.merged);
  if (hosts === 0) return [formatNumber(networks), `${networks === 1 ? 'network' : 'networks'}${more}`];
  return [
    compact.format(hosts),
    `IPv4 ${hosts === 1 ? 'address' : 'addresses'}${more} in ${pluralize(networks - ipv6, 'network')}${ipv6 > 0 ? `, and ${pluralize(ipv6, 'IPv6 network')}` : ''}`,
  ];
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** The number of IPv4 addresses in ranges that do not overlap; 0 if the ranges are unknown. */
function ipv4Hosts(ranges: readonly string[] | null): number {
  const prefixes = (ranges ?? []).flatMap((text) => parsePrefix(text) ?? []);
  return prefixes.reduce((sum, { family, length }) => sum + (family === 4 ? 2 ** (32 - length) : 0), 0);
}
