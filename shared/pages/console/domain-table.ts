/** The table of the domains of an organization. */
import { boxOf } from '../../api/console.ts';
import { checkTitles } from '../../checks/checks.ts';
import { checkNames } from '../../checks/state.ts';
import { describeFor } from '../../protocol/findings/catalogue.ts';
import { formatNumber } from '../../protocol/quantity.ts';
import { gradeOf } from '../../score/score.ts';
import type { DomainFilter } from '../../store/domains/select-rows.ts';
import type { DomainList, DomainRow } from '../../views/domain-list.ts';
import { percent } from '../charts/shares.ts';
import { sparkline } from '../charts/sparkline.ts';
import { day, signCell } from '../check-results/text.ts';
import { html, type Markup, untrustedText } from '../markup.ts';
import { alertsPath } from './alert-filter.ts';
import { domainPath } from './domain/frame.ts';
import { DEFAULT_ORDER, domainsPath } from './domain-filter.ts';
import { policyNames } from './organization-figures.ts';
import { signed } from './signed.ts';

type Order = DomainFilter['sort'];

/** A heading that orders the rows: by what it does first, and the other way round. */
interface SortedColumn {
  readonly name: string;
  readonly orders: readonly [first: Order, then: Order];
}

const columns: readonly SortedColumn[] = [
  { name: 'Domain', orders: ['domain', '-domain'] },
  { name: 'Score', orders: ['-grade', 'grade'] },
  { name: '7 days', orders: ['change', '-change'] },
  { name: 'Policy', orders: ['policy', '-policy'] },
  { name: 'Mail that passes', orders: ['passing', '-passing'] },
  { name: 'Messages', orders: ['-messages', 'messages'] },
];

export const orderNames: Readonly<Record<Order, string>> = {
  '-grade': 'Lowest score first',
  grade: 'Highest score first',
  domain: 'By name',
  '-domain': 'By name, Z to A',
  '-createdAt': 'Newest first',
  createdAt: 'Oldest first',
  change: 'Greatest loss of 7 days first',
  '-change': 'Greatest gain of 7 days first',
  policy: 'Weakest policy first',
  '-policy': 'Strongest policy first',
  passing: 'Least mail that passes first',
  '-passing': 'Most mail that passes first',
  '-messages': 'Most messages first',
  messages: 'Fewest messages first',
};

/** The tags of a domain that the list shows; 100 domains with all of their tags would be too much. */
const MAX_TAGS = 3;

/** Each check in a heading as short as its sign. */
const shortTitles: Readonly<Partial<Record<(typeof checkNames)[number], string>>> = {
  mtaSts: 'STS',
  tlsRpt: 'RPT',
  dnssec: 'DNSS.',
};

/**
 * Which columns windows without room leave out, and which have numbers, is in the style by their places: 100 rows with classes
 * would be a tenth larger.
 * @param form The ID of the form for selected domains; undefined if nothing can be selected.
 * @param ticked The names of the boxes that are ticked.
 */
export function domainTable(
  { rows, selection }: DomainList,
  form: string | undefined,
  ticked: ReadonlySet<string> = new Set(),
): Markup {
  const label = `Domains: ${orderNames[selection.sort].toLowerCase()}`;
  return html`<div class="scroll domains list" tabindex="0" role="region" aria-label="${label}"><table><caption class="hush">${label}</caption><thead><tr>${
    form === undefined ? html`<td></td>` : html`<th scope="col"><span class="hush">Select</span></th>`
  }${columns.map((column) => sortedHeading(column, selection))}${checkNames.map(
    (name) =>
      html`<th scope="col" class="state-sign"><abbr title="${checkTitles[name]}">${shortTitles[name] ?? checkTitles[name]}</abbr></th>`,
  )}<th scope="col" class="next">Next fix</th><th scope="col">Alerts</th><th scope="col">Trend</th><th scope="col">Checked</th></tr></thead><tbody>${rows.map((row) => domainRow(row, form, ticked))}</tbody></table></div>`;
}

function sortedHeading({ name, orders }: SortedColumn, selection: DomainFilter): Markup {
  const [first, then] = orders;
  const isFirst = selection.sort === first;
  const isSorted = isFirst || selection.sort === then;
  // What `aria-sort` calls ascending: of the order named `grade`, the best grade comes first, and has the most points.
  const isDescending =
    selection.sort === 'grade' || (selection.sort !== DEFAULT_ORDER && selection.sort.startsWith('-'));
  const to = domainsPath({ ...selection, sort: isFirst ? then : first });
  return html`<th scope="col"${isSorted ? html` aria-sort="${isDescending ? 'descending' : 'ascending'}"` : ''}><a href="${to}" title="${orderNames[isFirst ? then : first]}">${name}${isSorted ? html`<span aria-hidden="true"> ${isDescending ? '↓' : '↑'}</span>` : ''}</a></th>`;
}

function domainRow(row: DomainRow, form: string | undefined, ticked: ReadonlySet<string>): Markup {
  const { domain, score, change, policy, mail, scores, unread } = row;
  const { id, domain: name, tags, verified, lastCheckedAt, states = {} } = domain;
  return html`<tr>${
    form === undefined
      ? html`<td></td>`
      : html`<td><input type="checkbox" form="${form}" name="${boxOf(id)}"${ticked.has(boxOf(id)) ? html` checked` : ''} aria-label="${name}"></td>`
  }<th scope="row"><a href="${domainPath(id)}">${untrustedText(name)}</a>${verified ? '' : html` <span class="tag open">not verified</span>`}${tags.length === 0 ? '' : html` <span class="soft">${tagsInWords(tags)}</span>`}</th>
<td>${score === null ? (lastCheckedAt === null ? 'not checked' : 'none') : html`<strong>${gradeOf(score).grade}</strong> ${score}`}</td><td>${change === null || change === 0 ? '' : signed(change)}</td><td>${policy === null ? '' : policyNames[policy]}</td>
<td>${mail === null ? 'no reports' : percent(mail.passed, mail.messages)}</td><td>${mail === null ? '' : formatNumber(mail.messages)}</td>${checkNames.map((check) => signCell(states[check] ?? 'unknown'))}
<td class="next">${nextFixOf(domain)}</td><td>${unread === 0 ? '' : html`<a href="${alertsPath({ domain: id, unread: true })}">${unread}<i> unread</i></a>`}</td><td>${scores.length < 2 ? '' : sparkline('Score', scores)}</td><td>${lastCheckedAt === null ? '' : day(lastCheckedAt)}</td></tr>`;
}

/** In characters: more does not fit. */
const MAX_FIX = 60;

/** The most dangerous finding of a domain with its points; empty if there is none. */
export function nextFixOf({ domain, listed }: DomainRow['domain'], most = MAX_FIX): Markup {
  const next = listed?.next ?? null;
  if (next === null) return html``;
  const { message } = describeFor({ domain })(next.finding);
  return html`${next.gain === 0 ? '' : html`<strong>+${Math.round(next.gain)}</strong> `}${untrustedText(message.slice(0, most))}${message.length > most ? '…' : ''}`;
}

function tagsInWords(tags: readonly string[]): Markup {
  const left = tags.length - MAX_TAGS;
  return html`${tags.slice(0, MAX_TAGS).join(', ')}${left > 0 ? ` +${left}` : ''}`;
}
