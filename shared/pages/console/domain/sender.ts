/** One sender of a domain: its mail by day, what is behind it, how to set it up, and the decision about it. */
import type { SetupStep } from '../../../enforcement/sender-setup.ts';
import type { ReverseDns } from '../../../mail-test/reverse-dns.ts';
import { printable } from '../../../protocol/printable.ts';
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import type { Effect, KnownSender, Selector, SenderView } from '../../../views/domain/sender.ts';
import { percent } from '../../charts/shares.ts';
import { code, daysFromTo, mark } from '../../check-results/text.ts';
import { html, type Markup, visibleStart } from '../../markup.ts';
import { fitting, inTurn, more } from '../../room.ts';
import { formState, inputField } from '../form-fields.ts';
import { formTokenField } from '../layout.ts';
import { ownerSources, ownerText } from './address-owner.ts';
import { messageChart } from './dmarc.ts';
import { simulationChart } from './enforcement.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain, senderPath } from './frame.ts';
import { decisionField, senderKinds, statusTag } from './sender-table.ts';
import { overrideNames, portions } from './senders.ts';
import { marks } from './steps.ts';
import { windowForm, windowQuery } from './window.ts';

export function senderPage(domain: ShownDomain, senderId: string, view: SenderView, room: number): Markup {
  const { days, today, known } = view;
  const form = windowForm(senderPath(domain.id, senderId), days, today);
  const back = html`<p class="eyebrow"><a href="${domainPath(domain.id, 'dmarc')}?${windowQuery(days)}">All senders</a></p>`;
  if (known === undefined) {
    const none = nothingYet('No mail of this sender in this window', 'Choose a longer window, or go back.');
    return domainFrame(domain, 'dmarc', html`<section>${back}${form}</section>${none}`);
  }
  const { sender, timeline, details, effect, blocker, setup } = known;
  return domainFrame(
    domain,
    'dmarc',
    inTurn(room, [
      () => html`<section aria-labelledby="sender">${back}
<div class="head"><h2 id="sender">${visibleStart(sender.name, 120)} <span class="soft">${senderKinds[sender.kind]}</span></h2>${statusTag(sender.status)}</div>
${form}</section>
${figures(known)}
${decision(domain, view, known)}
${messageChart(days, timeline)}`,
      () => setupSection(setup, blocker),
      () => effectSection(domain, sender, effect),
      (left) => html`<section aria-labelledby="behind"><h2 id="behind">What is behind it</h2>
${inTurn(left, [
  (part) => addresses(known, part),
  (part) => selectors(known.selectors, part),
  (part) =>
    portions(html`<h3>Domains that signed with DKIM</h3>`, details.signers, part, (name) => code(name, 100)),
  (part) => portions(html`<h3>Domains in MAIL FROM</h3>`, details.envelopes, part, (name) => code(name, 100)),
  (part) => portions(html`<h3>Reporters</h3>`, details.reporters, part, (name) => visibleStart(name, 100)),
  (part) =>
    portions(
      html`<h3>Why receivers did not apply the policy</h3>`,
      details.overrides,
      part,
      (name) => html`${overrideNames[name] ?? name}`,
    ),
])}</section>`,
    ]),
  );
}

function figures({ sender }: KnownSender): Markup {
  const { messages, passedMessages, disposition } = sender;
  return html`<section aria-labelledby="figures"><h2 id="figures" class="hush">Figures</h2><dl class="facts">
<div><dt>Messages</dt><dd>${formatNumber(messages)}<small>${daysFromTo(sender.firstSeen, sender.lastSeen)}</small></dd></div>
<div><dt>Passed DMARC</dt><dd>${percent(passedMessages, messages)}<small>${formatNumber(messages - passedMessages)} failed</small></dd></div>
<div><dt>Aligned DKIM</dt><dd>${percent(sender.dkimAligned, messages)}<small>aligned SPF ${percent(sender.spfAligned, messages)}</small></dd></div>
<div><dt>Not delivered as usual</dt><dd>${formatNumber(disposition.quarantine + disposition.reject)}<small>${formatNumber(disposition.quarantine)} quarantined, ${formatNumber(disposition.reject)} rejected</small></dd></div>
</dl></section>`;
}

function decision(
  { id, canWrite, formToken, flash }: ShownDomain,
  { days }: SenderView,
  { sender }: KnownSender,
): Markup {
  if (!canWrite)
    return sender.note === null ? html`` : html`<p class="soft">Note: ${visibleStart(sender.note, 1000)}</p>`;
  const form = formState('decideOnSender', flash, {
    status: sender.status ?? 'none',
    note: sender.note ?? '',
  });
  return html`<section aria-labelledby="decision"><h2 id="decision">Your decision</h2>
<p class="soft">It changes no record. It tells <a href="${domainPath(id, 'enforcement')}">enforcement</a> which mail must not be lost.${sender.suggestion === 'forwarder' && sender.status === null ? ' The mail looks forwarded: DKIM survives, SPF does not.' : ''}</p>
<form class="trial" method="post" action="${domainPath(id, 'dmarc')}">${formTokenField(formToken)}
<input type="hidden" name="on" value="sender"><input type="hidden" name="ids" value="${sender.id}"><input type="hidden" name="startDate" value="${days.from}"><input type="hidden" name="endDate" value="${days.to}">
${decisionField(form, sender.id, true)}
${inputField(form, 'note', 'Note', html`type="text" maxlength="1000" autocomplete="off"`)}
<button data-busy="Saving…">Save</button></form></section>`;
}

function setupSection({ nothing, steps }: KnownSender['setup'], blocker: KnownSender['blocker']): Markup {
  const inTheWay =
    blocker === undefined
      ? ''
      : html`<p><strong>It stands in the way of p=reject:</strong> ${visibleStart(blocker.reason, 300)}. ${visibleStart(blocker.fix, 300)}</p>`;
  return html`<section aria-labelledby="setup"><h2 id="setup">How to set it up right</h2>${inTheWay}
${
  nothing === undefined
    ? html`<p class="soft">Mail passes DMARC if one of them is done; do the first one first. If you do not use the sender, do neither, and mark it as unauthorized.</p><ol class="cards">${steps.map(stepCard)}</ol>`
    : html`<p>${visibleStart(nothing, 800)}</p>`
}</section>`;
}

function stepCard({ title, text, done }: SetupStep): Markup {
  return html`<li class="card"><div class="head"><h3>${visibleStart(title, 400)}</h3>${mark(done ? marks.done : marks.open)}</div>
<p>${visibleStart(text, 1000)}</p></li>`;
}

function effectSection(
  { id }: ShownDomain,
  { messages, disposition }: KnownSender['sender'],
  effect: Effect,
): Markup {
  return html`<section aria-labelledby="effect"><h2 id="effect">What the next policy does to it</h2>
${effect.kind === 'simulated' ? simulated(effect, messages, disposition) : html`<p>${effect.kind === 'last' ? 'The policy of the domain is p=reject already, so there is no next one.' : 'The DMARC record of the domain is not known, so nothing can be said about the next one.'}</p>`}
<p><a href="${domainPath(id, 'enforcement')}">The next step</a></p></section>`;
}

function simulated(
  { record, simulated: of }: Extract<Effect, { readonly kind: 'simulated' }>,
  messages: number,
  observed: KnownSender['sender']['disposition'],
): Markup {
  const lost = of.proposed.quarantine + of.proposed.reject;
  return html`<p>${lost === 0 ? 'None of its messages would be quarantined or rejected.' : html`<strong>${formatNumber(lost)} of ${pluralize(messages, 'message')}</strong> would be quarantined or rejected.`} ${of.unpredictable === 0 ? '' : `${pluralize(of.unpredictable, 'message')} cannot be predicted. `}Its mail of this period, replayed with ${code(record, 300)}, which is only a simulation: publish that record when the domain is ready for it.</p>
${simulationChart('next-policy', 'What receivers are asked to do', { ...of, observed, messages })}`;
}

/** What DNS says that an address is called. Its owner can say anything, unless the name leads back to it. */
function nameOf(found: ReverseDns | undefined): Markup | string {
  switch (found?.status) {
    case undefined:
      return '';
    case 'valid':
      return visibleStart(found.record ?? '', 100);
    case 'missing':
      return 'no name';
    case 'unknown':
      return 'lookup failed';
    case 'mismatch':
      return html`${visibleStart(found.record ?? '', 100)} (does not lead back)`;
  }
}

function addresses({ sender, details, names, networks }: KnownSender, room: number): Markup {
  const hasNetworks = networks.sources.length > 0;
  const { shown } = fitting(
    details.addresses,
    room,
    ({ name, messages, passedMessages }) =>
      html`<tr><th scope="row">${code(name)}</th><td>${nameOf(names.get(name))}</td><td>${formatNumber(messages)}</td><td>${percent(passedMessages, messages)}</td>${hasNetworks ? html`<td>${ownerText(networks.owners.get(name))}</td>` : ''}</tr>`,
  );
  const left = sender.sources - shown.length;
  if (details.addresses.length === 0) return html`<p>Reports name no address.</p>`;
  return html`<h3>Addresses</h3>${table('Addresses, most messages first', ['Address', 'Name', 'Messages', 'Pass', ...(hasNetworks ? ['Network'] : [])], shown)}${left > 0 ? html`<p class="soft">${more(left)}</p>` : ''}${ownerSources(networks)}`;
}

function selectors(found: readonly Selector[], room: number): Markup {
  if (found.length === 0)
    return html`<h3>Selectors</h3><p class="soft">The newest reports name no DKIM selector of this sender.</p>`;
  const { shown } = fitting(
    found,
    room,
    ({ name, domain, result, messages }: Selector) =>
      html`<tr><th scope="row">${code(name, 100)}</th><td>${code(domain, 100)}</td><td>${formatNumber(messages)}</td><td>${visibleStart(result, 40)}</td></tr>`,
  );
  return html`<h3>Selectors</h3><p class="soft">From the newest reports about the last day with its mail.</p>${table('DKIM selectors, most messages first', ['Selector', 'Domain', 'Messages', 'Result'], shown)}`;
}

const table = (caption: string, head: readonly string[], rows: readonly Markup[]): Markup =>
  html`<div class="scroll words" tabindex="0" role="region" aria-label="${caption}"><table><caption class="hush">${caption}</caption><thead><tr>${head.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;

/** What tells the page apart from the others about the domain. */
export const senderTitle = ({ known }: SenderView): string =>
  known === undefined ? 'Sender' : `Sender ${printable(known.sender.name, MAX_TITLE)}`;

const MAX_TITLE = 80;
