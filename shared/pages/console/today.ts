/** The first page of the console: what needs a person, how the organization is, and what moved in the last days. */

import { textOf } from '../../attention/kinds.ts';
import { type AttentionGroup, todayRows } from '../../attention/today.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import { grade } from '../../score/grade.ts';
import { gradeOf } from '../../score/score.ts';
import type { AttentionItem } from '../../store/attention-items.ts';
import type { ScoreMove } from '../../views/organization-figures.ts';
import type { KindPage, TodayGroup, TodayView } from '../../views/today.ts';
import { percent } from '../charts/shares.ts';
import { day } from '../check-results/text.ts';
import { html, type Markup, timeElement, untrustedText, visibleStart } from '../markup.ts';
import { ADD_PATH, addForm } from './add-domains.ts';
import { isRefused, putOffForm } from './attention.ts';
import { domainPath } from './domain/frame.ts';
import { domainsPath } from './domain-filter.ts';
import { consoleDocument, readOnlyNote, type Visitor } from './layout.ts';
import { figuresAside } from './organization-figures.ts';
import { signed } from './signed.ts';

export const TODAY_PATH = '/console';

type TodayPage = TodayView & Visitor;

const groupNames: Readonly<Record<AttentionGroup, string>> = {
  broken: 'Broken now',
  decide: 'Decide',
  ready: 'Ready for the next step',
  setup: 'Setup unfinished',
};

export function todayPage(view: TodayPage): string {
  const { formToken, flash, figures, only, unread } = view;
  return consoleDocument({
    title: 'Today',
    description: 'What needs you, and how the email security of your domains is',
    ...{ formToken, flash, unread, current: TODAY_PATH },
    main: html`<article class="of-domain wide"><header><h1>Today</h1>${figures.total === 0 ? '' : html`<p class="actions"><a class="button small" href="/console/report">Report for printing</a> <a class="button small" href="/console/compliance">Compliance</a></p>`}${readOnlyNote(view.canWrite)}</header>
${
  figures.total === 0
    ? noDomains(view)
    : html`<p class="sum">${summary(view)}</p>
<div class="desk"><div>${only === undefined ? needs(view) : onlyKind(only, view)}</div>
${figuresAside(figures)}</div>
${moves(view)}`
}</article>`,
  });
}

/** One line that sums up the organization. */
function summary(view: TodayPage): Markup {
  const { total, byGrade, withoutGrade, mail } = view.figures;
  const grades = grade.options
    .filter((one) => byGrade[one] > 0)
    .map((one) => html`<a href="${domainsPath({ grade: one })}">${formatNumber(byGrade[one])} ${one}</a>, `);
  const passing = html`${percent(mail.passed, mail.messages)} of mail passes`;
  return html`<a href="${domainsPath({})}">${pluralize(total, 'domain')}</a>: ${grades}${
    withoutGrade === 0 ? '' : html`${formatNumber(withoutGrade)} without grade, `
  }${mail.messages === 0 ? 'no reports in 30 days' : passing}; <strong>${needsInWords(view)}</strong>`;
}

function needsInWords({ groups, unverified }: TodayPage): string {
  const count = groups.reduce((sum, { items }) => sum + items.length, unverified.count);
  if (count === 0) return 'nothing needs you';
  const isMore = groups.some(({ more }) => more.length > 0);
  return isMore
    ? `more than ${formatNumber(count)} need you`
    : `${formatNumber(count)} ${count === 1 ? 'needs' : 'need'} you`;
}

function needs(view: TodayPage): Markup {
  const { groups, unverified } = view;
  if (groups.length === 0 && unverified.count === 0) return quiet(view);
  const setup = groups.find(({ group }) => group === 'setup');
  const others = groups.filter(({ group }) => group !== 'setup');
  return html`${others.map((group) => groupSection(group, view))}${
    setup === undefined && unverified.count === 0
      ? ''
      : groupSection(setup ?? { group: 'setup', items: [], more: [] }, view, unverifiedRow(view))
  }`;
}

function groupSection({ group, items, more }: TodayGroup, view: TodayPage, last = html``): Markup {
  return html`<section aria-labelledby="${group}"><h2 id="${group}">${groupNames[group]}</h2>
<ul class="tasks">${items.map((item) => itemRow(item, view))}${last}</ul>
${more.map((kind) => html`<p><a href="${TODAY_PATH}?kind=${kind}">All like “${sampleOf(kind, items)}”</a></p>`)}</section>`;
}

/** The words of the first item of a kind, without what it names. */
const sampleOf = (kind: AttentionItem['kind'], items: readonly AttentionItem[]): string => {
  const found = items.find((item) => item.kind === kind);
  return found === undefined ? kind : (todayRows[kind].what(found.about).split(':')[0] ?? kind);
};

function itemRow(item: AttentionItem, { canWrite, formToken, flash, now }: TodayPage): Markup {
  const { what, action } = todayRows[item.kind];
  const { detail, action: to } = textOf(item);
  return html`<li><details class="behind"${isRefused(item, flash) ? html` open` : ''}><summary><span class="${item.severity}">${visibleStart(what(item.about), 160)}</span></summary>
<p>${untrustedText(detail)}</p>${item.note === null ? '' : html`<p class="soft">Note: ${visibleStart(item.note, 500)}</p>`}
${canWrite ? putOffForm(item, { formToken, flash }, now, 'today') : ''}</details>
<span class="where">${item.domainId === null ? '' : html`<a href="${domainPath(item.domainId)}">${untrustedText(item.domain ?? '')}</a>`}</span>
<span class="soft">since ${day(item.since)}</span>
<a class="button small" href="${to.path}">${action}<span class="hush"> ${item.domain ?? ''}</span></a></li>`;
}

function unverifiedRow({ unverified: { count, first }, canWrite }: TodayPage): Markup {
  if (count === 0) return html``;
  const [only] = first;
  const isOne = count === 1 && only !== undefined;
  const names = first.map(({ domain }) => domain).join(', ');
  return html`<li><span>${isOne ? 'Ownership is not verified' : `Ownership of ${formatNumber(count)} domains is not verified`}</span>
<span class="where">${isOne ? html`<a href="${domainPath(only.id)}">${untrustedText(only.domain)}</a>` : html`${untrustedText(names)}${count > first.length ? ', …' : ''}`}</span>
<span></span>
<a class="button small" href="${isOne ? `${domainPath(only.id)}#steps` : domainsPath({ verified: false })}">${canWrite ? 'Verify' : 'Show'}</a></li>`;
}

function onlyKind({ kind, items, page, hasMore }: KindPage, view: TodayPage): Markup {
  const to = (n: number) => `${TODAY_PATH}?kind=${kind}${n === 1 ? '' : `&page=${n}`}`;
  return html`<section aria-labelledby="kind"><h2 id="kind">${items.length === 0 ? 'Nothing of this kind needs you' : groupNames[todayRows[kind].group]}</h2>
<ul class="tasks">${items.map((item) => itemRow(item, view))}</ul>
<nav class="actions" aria-label="Pages">${page > 1 ? html`<a class="button" rel="prev" href="${to(page - 1)}">Previous</a>` : ''}${hasMore ? html`<a class="button" rel="next" href="${to(page + 1)}">Next</a>` : ''}<a class="button" href="${TODAY_PATH}">Everything that needs you</a></nav></section>`;
}

function quiet({ lastCheck, figures }: TodayPage): Markup {
  return html`<section class="empty" aria-labelledby="quiet"><h2 id="quiet">Nothing needs you</h2>
<dl class="inline"><div><dt>Last check</dt><dd>${lastCheck === null ? 'none yet' : html`${timeElement(lastCheck.at)} <span class="soft">${untrustedText(lastCheck.domain)}</span>`}</dd></div>
<div><dt>Last day with DMARC reports</dt><dd>${figures.mail.last === null ? 'none in 30 days' : day(figures.mail.last)}</dd></div></dl></section>`;
}

function moves({ moves: { fell, rose, fellCount, roseCount } }: TodayPage): Markup {
  return html`<section aria-labelledby="moves"><h2 id="moves">Scores of the last 7 days</h2>
${
  fellCount + roseCount === 0
    ? html`<p>No score changed.</p>`
    : html`<div class="pair">${moved('Fell', fell, fellCount, 'change')}${moved('Rose', rose, roseCount, '-change')}</div>`
}
<p><a href="/console/changes">What changed, by day</a></p></section>`;
}

function moved(name: string, list: readonly ScoreMove[], count: number, sort: 'change' | '-change'): Markup {
  const left = count - list.length;
  return html`<div><h3>${name}: ${count === 0 ? 'none' : formatNumber(count)}</h3>
<ul class="portions">${list.map(({ id, domain, score, change }) => html`<li><a href="${domainPath(id, 'history')}">${untrustedText(domain)}</a><span>${score - change} → <strong>${gradeOf(score).grade} ${score}</strong> ${signed(change)}</span></li>`)}</ul>
${left > 0 ? html`<p><a href="${domainsPath({ sort })}">and ${formatNumber(left)} more</a></p>` : ''}</div>`;
}

function noDomains(view: TodayPage): Markup {
  const { canWrite } = view;
  return html`<section class="empty" aria-labelledby="start"><h2 id="start">Three steps to your first result</h2>
<ol class="marks-list"><li><strong>Add a domain.</strong> It is checked at once.</li>
<li><strong>Publish two or three TXT records.</strong> The page of the domain shows them ready to copy: one proves that the domain is yours, the others ask receivers for reports.</li>
<li><strong>Read what comes.</strong> The first reports arrive a day or two after your next mails. From then on this page says what needs you.</li></ol>
${canWrite ? '' : html`<p>Sign in with a token that has the scope write to add one.</p>`}</section>
${canWrite ? html`${addForm(view)}<p><a href="${ADD_PATH}">Add many domains</a></p>` : ''}`;
}
