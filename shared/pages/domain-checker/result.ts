/** The result of a check of any domain: the grade, what to fix first, and the checks with their evidence. */

import { timeInWords } from '../../protocol/time.ts';
import type { AssessedCheck } from '../../views/assessed-check.ts';
import { checkPath } from '../check-form.ts';
import { fixNext } from '../check-results/changes.ts';
import { gradeSection } from '../check-results/grade.ts';
import { checkSections } from '../check-results/sections.ts';
import { usageNames } from '../check-results/usage.ts';
import { copyLink } from '../components/actions.ts';
import { document } from '../document.ts';
import { startForm } from '../mail-test/start.ts';
import { html, type Markup } from '../markup.ts';
import { inTurn } from '../room.ts';
import { KEPT } from '../saved.ts';
import { domainCheckStyle } from '../style.ts';
import { CARD } from './card.ts';
import { domainForm } from './form.ts';

/** In bytes. With the rest, such as styles, a page stays under 60 kB. */
const ROOM = 34_000;

/** The result of a check. */
export function resultPage(assessed: AssessedCheck): string {
  const { domain, usageType } = assessed.check;
  const actions = html`<a class="button" rel="nofollow" href="${checkPath('/', domain, { usageType })}">Check again</a>
<form method="post" action="/s/check"><input type="hidden" name="domain" value="${domain}"><input type="hidden" name="usageType" value="${usageType}"><button data-busy="Saving…">Save and share</button></form>`;
  return document({
    ...summary(assessed),
    styles: domainCheckStyle,
    main: html`${domainForm({ domain }, usageType)}
<div id="result">${result(assessed, actions)}</div>`,
  });
}

/** A saved result, public to anyone with the link `url`. */
export function sharedPage(assessed: AssessedCheck, url: string): string {
  const { domain, usageType } = assessed.check;
  const about = summary(assessed);
  const actions = html`<a class="button" rel="nofollow" href="${checkPath('/', domain, { usageType })}">Check again</a>${copyLink}`;
  return document({
    ...about,
    url,
    image: { ...CARD, url: `${url}/card.png`, text: about.title },
    styles: domainCheckStyle,
    main: result(
      assessed,
      actions,
      html`<p class="soft">Saved result. The domain may have changed since. ${KEPT}</p>${assessed.check.evidence === undefined ? '' : html`<p><a href="${url}?as=evidence" rel="nofollow" download="evidence.json">Download the signed evidence</a></p>`}`,
    ),
  });
}

function summary({ check: { domain, usageType, checkedAt }, score }: AssessedCheck) {
  const graded = !score.exists
    ? 'this domain does not exist'
    : score.grade === null
      ? 'no grade'
      : `grade ${score.grade}, ${score.score} of 100`;
  return {
    title: `${domain}: ${graded} – email security check`,
    description: `Email security of ${domain}, ${graded}. ${usageNames[usageType]}. Checked ${timeInWords(checkedAt)}.`,
  };
}

function result({ check, score, plan }: AssessedCheck, actions: Markup, note: Markup = html``): Markup {
  const { domain, checkedAt, results } = check;
  return html`<article class="of-domain">
<header><p class="eyebrow">Email security of</p>
<h1>${domain}</h1></header>
${gradeSection({ checkedAt, score }, html`<p class="soft">Scored for the usage “${usageNames[check.usageType]}”.</p>${note}<div class="actions">${actions}</div>`)}
${inTurn(ROOM, [(room) => fixNext(plan, room), (room) => checkSections(results, score, { domain }, room)])}
<section class="invitation" aria-labelledby="more"><h2 id="more">Look closer</h2>
<p>The SPF checker shows every include and address of the SPF record. The mail tester rates a message that you send to a one-time address.</p>
<div class="actions"><a class="button" rel="nofollow" href="${checkPath('/spf', domain)}">Show the SPF tree</a>${startForm('Test your mail')}</div></section>
</article>`;
}
