/** The senders of a domain: their figures, the decision of the owner, and the addresses and reporters behind them. */
import type { Days } from '../../../api/report-sources.ts';
import type { Portion, SenderDetails } from '../../../enforcement/sender-details.ts';
import { isOtherCustomers } from '../../../enforcement/sender-fields.ts';
import type { Sender, SenderStatus } from '../../../enforcement/shapes.ts';
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import { type Networks, SENDERS_PER_PAGE, senderSections } from '../../../views/domain/dmarc.ts';
import { percent } from '../../charts/shares.ts';
import { code, daysFromTo } from '../../check-results/text.ts';
import { html, type Markup, visibleStart } from '../../markup.ts';
import { fitting, inTurn, more } from '../../room.ts';
import { formState } from '../form-fields.ts';
import { formTokenField } from '../layout.ts';
import { ownerSources, ownerText } from './address-owner.ts';
import { domainPath, type ShownDomain, senderPath } from './frame.ts';
import { windowQuery } from './window.ts';

interface SenderListView {
  readonly days: Days;
  /** Those of this page. */
  readonly senders: readonly Sender[];
  /** The number of all senders. */
  readonly total: number;
  readonly page: number;
  readonly details: ReadonlyMap<string, SenderDetails>;
  readonly networks: Networks;
  /** The sender that was just decided about, and its status before, which a button restores. */
  readonly changed?: { readonly id: string; readonly was: SenderStatus } | undefined;
  /** That sender, which can be on another page now. */
  readonly decided?: Sender | undefined;
}

export const statuses = {
  approved: { name: 'Approved', action: 'Approve', tone: 'pass' },
  forwarder: { name: 'Forwarder', action: 'Forwarder', tone: 'neutral' },
  unauthorized: { name: 'Unauthorized', action: 'Unauthorized', tone: 'fail' },
} as const;

export const senderKinds = { provider: 'Mail provider', domain: 'Domain', network: 'Network' } as const;

/** Override reasons (RFC 9990 and RFC 7489 appendix C). */
export const overrideNames: Readonly<Record<string, string>> = {
  forwarded: 'forwarded',
  local_policy: 'local policy of the receiver',
  mailing_list: 'mailing list',
  other: 'other reason',
  policy_test_mode: 'policy in test mode',
  sampled_out: 'sampled out (pct)',
  trusted_forwarder: 'trusted forwarder',
};

/** What the card of a sender takes without what is behind its figures. */
const CARD_OCTETS = 1_600;

export function senderList(domain: ShownDomain, view: SenderListView, room: number): Markup {
  return html`<section aria-labelledby="senders-heading"><h2 id="senders-heading">Senders</h2>
<p class="soft">Approve the senders that may send as this domain. Your decisions do not change any record; they tell <a href="${domainPath(domain.id, 'enforcement')}">enforcement</a> which mail must not be lost.</p>
${changeNotice(domain, view)}${undoneNotice(domain, view)}
${inTurn(
  room,
  sectionsOf(view.senders).map(
    ({ name, senders }) =>
      (left: number) =>
        html`<h3>${name}</h3><ul class="cards">${inTurn(
          left,
          senders.map((sender) => (part: number) => senderCard(domain, sender, view, part)),
        )}</ul>`,
  ),
)}
${ownerSources(view.networks)}${pager(domain, view)}</section>`;
}

const sectionNames = { approved: 'Approved', forwarder: 'Forwarders', unauthorized: 'Unauthorized' } as const;

/** The senders of a page by the decision about them; those without one come first. */
const sectionsOf = (senders: readonly Sender[]) =>
  senderSections
    .map((status) => ({
      name: status === null ? 'Without your decision' : sectionNames[status],
      senders: senders.filter((sender) => sender.status === status),
    }))
    .filter((section) => section.senders.length > 0);

/** Says what the last decision was, and offers to undo it. */
function changeNotice(domain: ShownDomain, view: SenderListView): Markup {
  const { changed, decided: sender } = view;
  if (changed === undefined || sender === undefined) return html``;
  const status =
    sender.status === null ? 'has no status now' : `is now ${statuses[sender.status].name.toLowerCase()}`;
  return html`<div class="notice" id="changed" role="status"><p>${visibleStart(sender.name, 100)} ${status}.</p>${
    domain.canWrite
      ? statusForm(
          domain,
          view,
          sender.id,
          html`<button class="small" name="status" value="${changed.was ?? 'none'}" data-busy="Undoing…">Undo</button>`,
        )
      : ''
  }</div>`;
}

/** A decision that was made while the session had ended, or that was refused: the button makes it. */
function undoneNotice(domain: ShownDomain, view: SenderListView): Markup {
  const form = formState('decideOnSender', domain.flash);
  const sender = view.senders.find(({ id }) => id === form.value('sender'));
  const status = form.value('status');
  if (!form.isSent || !domain.canWrite || sender === undefined) return html``;
  const [decision, button] = isDecision(status)
    ? [statuses[status].name.toLowerCase(), statuses[status].action]
    : ['no decision', 'Clear'];
  return html`<div class="notice" id="${form.id('status')}"><p>You chose “${decision}” for ${visibleStart(sender.name, 100)}. It is not saved.</p>
${form.problem('status')}${statusForm(domain, view, sender.id, html`<button class="small" name="status" value="${isDecision(status) ? status : 'none'}" data-busy="Saving…">${button}</button>`)}</div>`;
}

export const isDecision = (status: string): status is keyof typeof statuses =>
  Object.hasOwn(statuses, status);

function statusForm(
  { id, formToken }: ShownDomain,
  view: SenderListView,
  senderId: string,
  buttons: Markup,
): Markup {
  return html`<form class="statuses" method="post" action="${domainPath(id, 'dmarc')}">${formTokenField(formToken)}
<input type="hidden" name="sender" value="${senderId}"><input type="hidden" name="startDate" value="${view.days.from}"><input type="hidden" name="endDate" value="${view.days.to}"><input type="hidden" name="page" value="${view.page}">
${buttons}</form>`;
}

function senderCard(domain: ShownDomain, sender: Sender, view: SenderListView, room: number): Markup {
  const { id, name, kind, status, suggestion, note, messages, passedMessages, disposition } = sender;
  return html`<li class="card" id="sender-${id}"><div class="head"><h4 id="name-${id}"><a href="${senderPath(domain.id, id, windowQuery(view.days))}">${visibleStart(name, 120)}</a> <span class="soft">${senderKinds[kind]}</span></h4>
${status === null ? html`<span class="tag open">no decision</span>` : html`<span class="tag ${statuses[status].tone}">${statuses[status].name}</span>`}</div>
<dl class="inline"><div><dt>Messages</dt><dd>${formatNumber(messages)}</dd></div><div><dt>Pass DMARC</dt><dd>${percent(passedMessages, messages)}</dd></div><div><dt>Aligned DKIM</dt><dd>${percent(sender.dkimAligned, messages)}</dd></div><div><dt>Aligned SPF</dt><dd>${percent(sender.spfAligned, messages)}</dd></div><div><dt>Seen</dt><dd>${daysFromTo(sender.firstSeen, sender.lastSeen)}</dd></div></dl>
${disposition.quarantine + disposition.reject > 0 ? html`<p>Receivers quarantined ${formatNumber(disposition.quarantine)} and rejected ${formatNumber(disposition.reject)}.</p>` : ''}
${isOtherCustomers(id) ? html`<p class="soft">Every customer of the provider can send this. If mail of yours is among it, have the provider sign it in the name of this domain (DKIM) before you enforce.</p>` : ''}
${suggestion === 'forwarder' && status === null ? html`<p class="soft">Looks like a forwarder: DKIM survives, SPF does not.</p>` : ''}
${note === null ? '' : html`<p class="soft">Your note: ${visibleStart(note)}</p>`}
${behind(sender, view, room - CARD_OCTETS)}
${domain.canWrite ? statusForm(domain, view, id, statusButtons(sender)) : ''}</li>`;
}

function statusButtons({ id, status }: Sender): Markup {
  const entries = Object.entries(statuses) as [
    keyof typeof statuses,
    (typeof statuses)[keyof typeof statuses],
  ][];
  return html`<div role="group" aria-labelledby="name-${id}">${entries
    .filter(([value]) => value !== 'approved' || !isOtherCustomers(id))
    .map(
      ([value, { action }]) =>
        html`<button class="small" name="status" value="${value}" aria-pressed="${String(value === status)}" data-busy="Saving…">${action}</button> `,
    )}${status === null ? '' : html`<button class="small" name="status" value="none" data-busy="Saving…">Clear</button>`}</div>`;
}

function behind({ id, sources }: Sender, view: SenderListView, room: number): Markup {
  const details = view.details.get(id);
  if (details === undefined) return html``;
  const { addresses, reporters, overrides } = details;
  const { owners } = view.networks;
  return html`<details class="behind"><summary>${pluralize(sources, 'address', 'addresses')}, ${reporters.length === 0 ? 'no reporters' : `reported by ${reporters.length === 1 ? 'one receiver' : 'several receivers'}`}${overrides.length === 0 ? '' : ', with override reasons'}</summary>
${inTurn(room, [
  (left) =>
    portions(
      html`<h5>Addresses</h5>`,
      addresses,
      left,
      (name) => html`${code(name)} ${ownerText(owners.get(name))}`,
      sources,
    ),
  (left) => portions(html`<h5>Reporters</h5>`, reporters, left, (name) => visibleStart(name, 100)),
  (left) =>
    portions(
      html`<h5>Why receivers did not apply the policy</h5>`,
      overrides,
      left,
      (name) => html`${overrideNames[name] ?? name}`,
    ),
])}</details>`;
}

/** Portions of the messages of a sender, as a list. @param heading What it is called. */
export function portions(
  heading: Markup,
  found: readonly Portion[],
  room: number,
  shown: (name: string) => Markup,
  total = found.length,
): Markup {
  if (found.length === 0) return html``;
  const { shown: listed } = fitting(
    found,
    room,
    ({ name, messages, passedMessages }) =>
      html`<li><span>${shown(name)}</span><span class="n">${pluralize(messages, 'message')}, ${percent(passedMessages, messages)} pass</span></li>`,
  );
  const left = total - listed.length;
  return html`${heading}<ul class="portions">${listed}${left > 0 ? html`<li>${more(left)}</li>` : ''}</ul>`;
}

function pager({ id }: ShownDomain, { days, page, senders, total }: SenderListView): Markup {
  if (senders.length === total) return html``;
  const to = (n: number) => `${domainPath(id, 'dmarc')}?${windowQuery(days)}&page=${n}`;
  const hasMore = page * SENDERS_PER_PAGE < total;
  return html`<nav class="actions" aria-label="Pages of senders">${page > 1 ? html`<a class="button" rel="prev" href="${to(page - 1)}">More messages</a>` : ''}${hasMore ? html`<a class="button" rel="next" href="${to(page + 1)}">Fewer messages</a>` : ''}</nav>`;
}
