/** A table of senders that decides about them: one with the buttons of its row, or several that are ticked. */
import { boxOf } from '../../../api/console.ts';
import { decisionsTyped, decisionText, type FormDecision } from '../../../api/console-domain.ts';
import type { Days } from '../../../api/report-sources.ts';
import { isOtherCustomers } from '../../../enforcement/sender-fields.ts';
import type { Sender } from '../../../enforcement/shapes.ts';
import { printable } from '../../../protocol/printable.ts';
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import type { SenderRows } from '../../../views/domain/dmarc.ts';
import { percent } from '../../charts/shares.ts';
import { daysFromTo } from '../../check-results/text.ts';
import { html, type Markup, visibleStart } from '../../markup.ts';
import { fitting, more } from '../../room.ts';
import type { Choice } from '../../select.ts';
import { type FormState, formState } from '../form-fields.ts';
import { formTokenField } from '../layout.ts';
import { ownerText } from './address-owner.ts';
import { domainPath, type ShownDomain, senderPath } from './frame.ts';
import { windowQuery } from './window.ts';

export const statuses = {
  approved: { name: 'Approved', action: 'Approve', tone: 'pass' },
  forwarder: { name: 'Forwarder', action: 'Forwarder', tone: 'neutral' },
  unauthorized: { name: 'Unauthorized', action: 'Unauthorized', tone: 'fail' },
} as const;

/** What was decided about a sender; null: nothing. */
export const statusTag = (status: Sender['status']): Markup =>
  status === null
    ? html`<span class="tag open">no decision</span>`
    : html`<span class="tag ${statuses[status].tone}">${statuses[status].name}</span>`;

/** The decisions to choose from. @param isOne Whether they are for one domain, whose form has its present decision. */
export function decisionField(form: FormState, senderId: string, isOne: boolean): Markup {
  const domains = isOne ? 'this domain' : 'these domains';
  const choices: readonly Choice[] = [
    ...(isOtherCustomers(senderId) ? [] : [['approved', `Approved: it may send as ${domains}`] as const]),
    ['forwarder', 'Forwarder: it passes on mail of others'],
    ['unauthorized', `Unauthorized: it must not send as ${domains}`],
    ['none', isOne ? 'No decision' : 'No decision: take decisions back'],
  ];
  return html`<fieldset id="${form.id('status')}"><legend>Decision</legend>${choices.map(
    ([value, name]) =>
      html`<label class="choice"><input type="radio" name="status" value="${value}"${isOne ? '' : html` required`}${form.value('status') === value ? html` checked` : ''}> ${name}</label>`,
  )}</fieldset>
${form.problem('status')}`;
}

const statusNames = ['approved', 'forwarder', 'unauthorized'] as const;

export const senderKinds = {
  provider: 'Mail provider',
  domain: 'Domain',
  network: 'Unknown server',
} as const;

/** Where the table is, which its form leads back to. */
interface Place {
  readonly on: 'reports' | 'enforcement';
  readonly days?: Days;
  readonly page?: number;
}

/** Senders with a heading of their own. */
export interface SenderSection {
  readonly name: string;
  readonly senders: readonly Sender[];
}

/** The form that the boxes and the buttons of the table belong to. */
const FORM = 'decide';

const columns = ['Messages', 'Share', 'Pass', 'DKIM', 'SPF', 'Receivers did', 'Seen', 'Decision'] as const;

/** What is above the rows and below them, in bytes. */
const FRAME_OCTETS = 2_500;

export function senderTable(
  domain: ShownDomain,
  sections: readonly SenderSection[],
  rows: SenderRows,
  place: Place,
  room: number,
): Markup {
  const senders = sections.flatMap((section) => section.senders);
  const most = Math.max(1, ...senders.map(({ messages }) => messages));
  const width = columns.length + (domain.canWrite ? 2 : 1);
  let left = room - FRAME_OCTETS;
  let omitted = 0;
  const bodies = sections.map((section) => {
    const found = fitting(section.senders, left, (sender) => senderRow(domain, sender, rows, place, most));
    left -= Buffer.byteLength(String(html`${found.shown}`));
    omitted += found.omitted;
    return html`<tbody><tr class="group"><th scope="rowgroup" colspan="${width}">${section.name}</th></tr>${found.shown}</tbody>`;
  });
  return html`${domain.canWrite ? decideForm(domain, place) : ''}
<div class="scroll domains senders" tabindex="0" role="region" aria-label="Table of senders"><table><caption class="hush">Senders, most messages first</caption><thead><tr>${
    domain.canWrite ? html`<th scope="col"><span class="hush">Select</span></th>` : ''
  }<th scope="col">Sender</th>${columns.map((name) => html`<th scope="col"${columnClass[name] === undefined ? '' : html` class="${columnClass[name]}"`}>${name}</th>`)}</tr></thead>${bodies}</table></div>
${omitted > 0 ? html`<p class="soft">${more(omitted)}</p>` : ''}`;
}

/** Of the cells that other widths leave out, or numbers. */
const columnClass: Readonly<Partial<Record<(typeof columns)[number], string>>> = {
  Messages: 'num',
  Share: 'mid',
  Pass: 'num',
  DKIM: 'num mid',
  SPF: 'num mid',
  'Receivers did': 'did mid late',
  Seen: 'mid late',
};

/** One form has the boxes and the buttons of all rows. */
function decideForm(domain: ShownDomain, place: Place): Markup {
  return html`<form id="${FORM}" class="window statuses" method="post" action="${domainPath(domain.id, 'dmarc')}">${fieldsOf(domain, place)}
<strong>With the selected</strong>${statusNames.map((status) => html` <button class="small" name="status" value="${status}" data-busy="Saving…">${statuses[status].action}</button>`)} <button class="small" name="status" value="none" data-busy="Saving…">Clear the decision</button></form>`;
}

/** What the forms say of the place, to which they lead back. */
function fieldsOf({ formToken }: ShownDomain, { on, days, page }: Place): Markup {
  return html`${formTokenField(formToken)}<input type="hidden" name="on" value="${on}">${days === undefined ? '' : html`<input type="hidden" name="startDate" value="${days.from}"><input type="hidden" name="endDate" value="${days.to}">`}${page === undefined ? '' : html`<input type="hidden" name="page" value="${page}">`}`;
}

const MAX_NAME = 120;

function senderRow(
  domain: ShownDomain,
  sender: Sender,
  rows: SenderRows,
  { days }: Place,
  most: number,
): Markup {
  const { id, name, messages, passedMessages, dkimAligned, spfAligned } = sender;
  return html`<tr id="sender-${id}">${
    domain.canWrite
      ? html`<td><input type="checkbox" form="${FORM}" name="${boxOf(id)}" aria-label="${printable(name, MAX_NAME)}"></td>`
      : ''
  }<th scope="row"><a href="${senderPath(domain.id, id, days === undefined ? '' : windowQuery(days))}">${visibleStart(name, MAX_NAME)}</a> <span class="soft">${kindOf(sender, rows)}</span>${hint(sender)}</th>
<td class="num" data-unit="messages">${formatNumber(messages)}</td><td class="mid">${shareBar(sender, most)}</td><td class="num" data-unit="pass">${percent(passedMessages, messages)}</td><td class="num mid">${percent(dkimAligned, messages)}</td><td class="num mid">${percent(spfAligned, messages)}</td><td class="did mid late">${receiversDid(sender)}</td><td class="mid late">${daysFromTo(sender.firstSeen, sender.lastSeen)}</td>
<td class="decision">${decisionCell(domain, sender)}</td></tr>`;
}

/** What is known of a sender besides its name: of a network, who runs it. */
function kindOf({ id, kind }: Sender, { details, networks }: SenderRows): Markup {
  const address = details.get(id)?.addresses[0]?.name;
  const found = address === undefined ? undefined : networks.owners.get(address);
  return html`${senderKinds[kind]}${found === undefined ? '' : html`, ${ownerText(found)}`}`;
}

function hint({ id, status, suggestion, note }: Sender): Markup {
  const said = [
    ...(isOtherCustomers(id)
      ? [
          'Every customer of the provider can send this. If mail of yours is among it, have the provider sign it in the name of this domain (DKIM) before you enforce.',
        ]
      : []),
    ...(suggestion === 'forwarder' && status === null
      ? ['Looks like a forwarder: DKIM survives, SPF does not.']
      : []),
    ...(note === null ? [] : [`Your note: ${note}`]),
  ];
  return html`${said.map((one) => html`<span class="hint soft">${visibleStart(one)}</span>`)}`;
}

/** In units of the picture. */
const BAR = 60;

/** How many of the messages of the largest sender it has, and which of them pass. The cells beside it have the figures. */
function shareBar({ messages, passedMessages }: Sender, most: number): Markup {
  const width = (count: number) => ((count / most) * BAR).toFixed(1);
  return html`<svg class="part" width="${BAR}" height="8" aria-hidden="true"><rect width="${width(messages)}" height="8"/><rect width="${width(passedMessages)}" height="8"/></svg>`;
}

function receiversDid({ disposition: { quarantine, reject } }: Sender): string {
  const did = [
    ...(quarantine > 0 ? [`quarantined ${formatNumber(quarantine)}`] : []),
    ...(reject > 0 ? [`rejected ${formatNumber(reject)}`] : []),
  ];
  return did.length === 0 ? 'delivered' : did.join(', ');
}

/** What was decided; without a decision, the buttons that make it. */
function decisionCell({ canWrite }: ShownDomain, { id, status, name }: Sender): Markup {
  if (status !== null || !canWrite) return statusTag(status);
  return html`${statusNames
    .filter((one) => one !== 'approved' || !isOtherCustomers(id))
    .map(
      (one) =>
        html`<button class="small" form="${FORM}" name="decisions" value="${decisionText([{ senderId: id, status: one }])}" aria-label="${statuses[one].action}: ${printable(name, MAX_NAME)}" data-busy="Saving…">${statuses[one].action}</button>`,
    )}`;
}

/** Says what the last decisions were, and offers to undo them. @param decided The senders, as they are now. */
export function changeNotice(
  domain: ShownDomain,
  { changed = [] }: SenderRows,
  decided: readonly Sender[],
  place: Place,
): Markup {
  const [first] = decided;
  if (first === undefined) return html``;
  const isSame = decided.every(({ status }) => status === first.status);
  const status =
    first.status === null
      ? 'without a decision'
      : decided.length === 1 || first.status !== 'forwarder'
        ? statuses[first.status].name.toLowerCase()
        : 'forwarders';
  const who =
    decided.length === 1 ? visibleStart(first.name, 100) : html`${pluralize(decided.length, 'sender')}`;
  const says = isSame
    ? html`${who} ${decided.length === 1 ? 'is' : 'are'} now ${status}.`
    : html`${pluralize(decided.length, 'decision')} changed.`;
  return html`<div class="notice" id="changed" role="status"><p>${says}</p>${
    domain.canWrite ? againForm(domain, place, changed, 'Undo', 'Undoing…') : ''
  }</div>`;
}

/** Decisions that were made while the session had ended, or that were refused: the button makes them. */
export function undoneNotice(domain: ShownDomain, senders: readonly Sender[], place: Place): Markup {
  const form = formState('decideOnSender', domain.flash);
  const decisions = form.isSent ? decisionsTyped(domain.flash?.typed ?? {}) : [];
  const [first] = decisions;
  const sender = senders.find(({ id }) => id === first?.senderId);
  if (!domain.canWrite || first === undefined || sender === undefined) return html``;
  const chosen = first.status === 'none' ? 'no decision' : statuses[first.status].name.toLowerCase();
  const others = decisions.length - 1;
  const isSame = decisions.every(({ status }) => status === first.status);
  const says = isSame
    ? html`You chose “${chosen}” for ${visibleStart(sender.name, 100)}${others > 0 ? ` and ${pluralize(others, 'other sender')}` : ''}. It is not saved.`
    : html`You made ${pluralize(decisions.length, 'decision')}. They are not saved.`;
  return html`<div class="notice" id="${form.id('status')}"><p>${says}</p>
${form.problem('status')}${againForm(domain, place, decisions, 'Save it', 'Saving…')}</div>`;
}

function againForm(
  domain: ShownDomain,
  place: Place,
  decisions: readonly FormDecision[],
  button: string,
  busy: string,
): Markup {
  return html`<form class="statuses" method="post" action="${domainPath(domain.id, 'dmarc')}">${fieldsOf(domain, place)}
<button class="small" name="decisions" value="${decisionText(decisions)}" data-busy="${busy}">${button}</button></form>`;
}
