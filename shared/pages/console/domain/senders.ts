/** The senders of a domain on the page with its reports, and what is behind the figures of one. */
import type { Days } from '../../../api/report-sources.ts';
import type { Portion } from '../../../enforcement/sender-details.ts';
import type { Sender } from '../../../enforcement/shapes.ts';
import { pluralize } from '../../../protocol/quantity.ts';
import { SENDERS_PER_PAGE, type SenderRows, senderSections } from '../../../views/domain/dmarc.ts';
import { percent } from '../../charts/shares.ts';
import { html, type Markup } from '../../markup.ts';
import { pager } from '../../pager.ts';
import { fitting, more } from '../../room.ts';
import { ownerSources } from './address-owner.ts';
import { domainPath, type ShownDomain } from './frame.ts';
import { changeNotice, senderTable, undoneNotice } from './sender-table.ts';
import { windowQuery } from './window.ts';

interface SenderListView {
  readonly days: Days;
  /** Those of this page. */
  readonly senders: readonly Sender[];
  /** The number of all senders. */
  readonly total: number;
  readonly page: number;
  readonly rows: SenderRows;
  /** Those that were just decided about, which can be on another page now. */
  readonly decided: readonly Sender[];
}

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

export function senderList(domain: ShownDomain, view: SenderListView, room: number): Markup {
  const { days, senders, total, page, rows, decided } = view;
  const to = (n: number) => `${domainPath(domain.id, 'dmarc')}?${windowQuery(days)}&page=${n}`;
  const place = { on: 'reports', days, page } as const;
  return html`<section class="full" aria-labelledby="senders-heading"><h2 id="senders-heading">Senders</h2>
<p class="soft">Approve the senders that may send as this domain. Your decisions do not change any record; they tell <a href="${domainPath(domain.id, 'enforcement')}">enforcement</a> which mail must not be lost. The page of a sender has its addresses and reporters.</p>
${changeNotice(domain, rows, decided, place)}${undoneNotice(domain, senders, place)}
${senderTable(domain, sectionsOf(senders), rows, place, room)}
${ownerSources(rows.networks)}${pager({ page, hasMore: page * SENDERS_PER_PAGE < total, of: 'of senders', names: ['More messages', 'Fewer messages'], to })}</section>`;
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
