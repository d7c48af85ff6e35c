/** All domains in plain words on two printed pages, for a person who decides. */
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import { gradeOf } from '../../score/score.ts';
import type { OrganizationReport } from '../../views/organization-report.ts';
import { percent, shares } from '../charts/shares.ts';
import { day } from '../check-results/text.ts';
import { html, type Markup, untrustedText } from '../markup.ts';
import { DOMAINS_PATH } from './domain-filter.ts';
import { nextFixOf } from './domain-table.ts';
import { consoleDocument, type Visit } from './layout.ts';
import { gradeShares, policyShares } from './organization-figures.ts';
import { signed } from './signed.ts';

export function organizationReportPage(view: OrganizationReport & Visit): string {
  const { formToken, figures, now } = view;
  return consoleDocument({
    title: 'Report',
    description: 'The email security of all domains in plain words',
    ...{ formToken, current: DOMAINS_PATH },
    main: html`<article class="of-domain printed"><header><h1>Email security of ${pluralize(figures.total, 'domain')}</h1>
<p>${day(now.toISOString())}</p><p class="actions">Print this page, or save it as a PDF: it fits two pages.</p></header>
<section aria-labelledby="words"><h2 id="words">In short</h2><ul class="plain">${sentences(view).map((sentence) => html`<li>${sentence}</li>`)}</ul></section>
${figures.total === 0 ? '' : html`<section aria-labelledby="how"><h2 id="how">How the domains are</h2>${gradeShares(figures)}${policyShares(figures)}${mailShares(view)}</section>${lowest(view)}${moves(view)}`}</article>`,
  });
}

/** Of one matter, and of several. */
const groupWords = {
  broken: ['is broken now', 'are broken now'],
  decide: ['needs a decision', 'need a decision'],
  ready: ['is ready for a stronger policy', 'are ready for a stronger policy'],
  setup: ['is not set up completely', 'are not set up completely'],
} as const;

/** In characters of what to fix. */
const MAX_FIX = 200;

function sentences({ figures, open }: OrganizationReport): readonly Markup[] {
  const { total, byGrade, byPolicy, mail, verified } = figures;
  if (total === 0) return [html`There are no domains yet.`];
  const good = byGrade.A + byGrade.B;
  const weak = byPolicy.none + byPolicy['no-policy'];
  return [
    html`<strong>${formatNumber(good)} of ${pluralize(total, 'domain')}</strong> ${good === 1 ? 'has' : 'have'} the grade A or B; ${formatNumber(byGrade.F)} ${byGrade.F === 1 ? 'has' : 'have'} the grade F.`,
    html`<strong>${formatNumber(byPolicy.reject + byPolicy.quarantine)}</strong> ${byPolicy.reject + byPolicy.quarantine === 1 ? 'is' : 'are'} protected: receivers are asked to reject forged mail, or to put it into the spam folder. ${formatNumber(weak)} ${weak === 1 ? 'is' : 'are'} not protected yet.${byPolicy.unknown === 0 ? '' : ` Of ${formatNumber(byPolicy.unknown)}, the policy is not known.`}`,
    mail.messages === 0
      ? html`Receivers reported no mail in the last 30 days.`
      : html`Receivers reported ${pluralize(mail.messages, 'message')} in the last 30 days; <strong>${percent(mail.passed, mail.messages)}</strong> proved where they come from.`,
    ...(verified === total
      ? []
      : [
          html`${pluralize(total - verified, 'domain')} ${total - verified === 1 ? 'is' : 'are'} not verified, so nobody is warned when something changes there.`,
        ]),
    ...open.map(
      ({ group, count, hasMore }) =>
        html`${hasMore ? 'More than ' : ''}${pluralize(count, 'matter')} ${groupWords[group][count === 1 ? 0 : 1]}.`,
    ),
  ];
}

function mailShares({ figures: { mail } }: OrganizationReport): Markup {
  if (mail.messages === 0) return html``;
  return shares({
    ...{ id: 'mail', title: 'Mail of 30 days', unit: 'Messages' },
    summary: `${formatNumber(mail.messages)} messages that receivers reported.`,
    series: [
      { name: 'Proved where it comes from', fill: 'good' },
      { name: 'Did not', fill: 'bad' },
    ],
    rows: [{ label: 'All domains', values: [mail.passed, mail.messages - mail.passed] }],
  });
}

function lowest({ lowest: list }: OrganizationReport): Markup {
  if (list.every(({ domain }) => (domain.listed?.next ?? null) === null)) return html``;
  return html`<section aria-labelledby="lowest"><h2 id="lowest">Where to begin: the lowest scores</h2>
<div class="scroll" role="region" aria-label="The lowest scores" tabindex="0"><table class="words"><caption class="hush">The lowest scores</caption><thead><tr><th scope="col">Domain</th><th scope="col">Score</th><th scope="col">What to fix first</th></tr></thead><tbody>${list
    .filter(({ domain }) => (domain.listed?.next ?? null) !== null)
    .map(
      ({ domain, score }) =>
        html`<tr><th scope="row">${untrustedText(domain.domain)}</th><td><strong>${gradeOf(score).grade}</strong> ${score}</td><td>${nextFixOf(domain, MAX_FIX)}</td></tr>`,
    )}</tbody></table></div></section>`;
}

function moves({ moves: { fell, rose, fellCount, roseCount } }: OrganizationReport): Markup {
  const all = [...fell, ...rose];
  return html`<section aria-labelledby="moves"><h2 id="moves">The last 7 days</h2><p>${fellCount + roseCount === 0 ? 'No score changed.' : `${pluralize(roseCount, 'score')} rose, and ${pluralize(fellCount, 'score')} fell.`}</p>
${all.length === 0 ? '' : html`<ul class="portions">${all.map(({ domain, score, change }) => html`<li><span>${untrustedText(domain)}</span><span>${score - change} → ${score} ${signed(change)}</span></li>`)}</ul>`}</section>`;
}
