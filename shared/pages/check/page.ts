/** The pages of the domain checker: the form at `/`, the page that waits, and results. */
import { type UsageType, usageTypes } from '../../checks/state.ts';
import type { Plan } from '../../fixes/plan.ts';
import type { Score } from '../../score/score.ts';
import type { SharedCheck } from '../../store/domain-checks.ts';
import { checkForm, checkPath, type FormState } from '../check-form.ts';
import { fixNext } from '../checks/changes.ts';
import { gradeSection } from '../checks/grade.ts';
import { checkSections } from '../checks/sections.ts';
import { document } from '../document.ts';
import { invitation, startForm } from '../mail-test/start.ts';
import { html, type Markup, timeInWords } from '../markup.ts';
import { copyLink } from '../spf/actions.ts';
import { fitting } from '../spf/extent.ts';
import { domainStyle } from '../style.ts';

/** The maximum size of a page in bytes. */
const MAX_OCTETS = 60_000;

/** A check run with its score and recommended changes for one usage type. */
export interface AssessedCheck {
  readonly check: Omit<SharedCheck, 'lookups'>;
  readonly score: Score;
  readonly plan: Plan;
}

const usages: Readonly<Record<UsageType, string>> = {
  'sends-and-receives': 'sends and receives mail',
  'sends-only': 'only sends mail',
  'receives-only': 'only receives mail',
  parked: 'has no mail',
};

/** The page without a result: empty, or with the reason why the submitted name is invalid. */
export function homePage(form: FormState, url: string): string {
  return document({
    title: 'Email security check',
    description:
      'Check how well a domain protects its mail: MX with TLS and DANE, SPF, DKIM, DMARC, MTA-STS, TLS-RPT, BIMI and DNSSEC, with a score and what to fix.',
    url,
    indexed: form.problem === undefined,
    main: html`<section class="lone">
<h1>Check the email security of a domain</h1>
<p class="lead">Get a grade, what to fix first with records to copy, and the evidence behind each finding.</p>
${checkForm('/', { ...form, autofocus: true })}
<ul class="promises">
<li>MX with TLS and DANE, SPF, DKIM, DMARC, MTA-STS, TLS-RPT, BIMI, and DNSSEC.</li>
<li>Every finding cites the section of the standard that it is based on.</li>
<li>A failed lookup is never reported as a missing record.</li>
</ul>
<p><a href="/spf">Check only an SPF record</a>, with its tree of includes and its DNS lookups.</p>
${invitation}
</section>`,
  });
}

/** What a visitor sees while the checks run. The page at `wait`, which has the result, loads in its place. */
export function waitingPage(domain: string, usageType: UsageType): string {
  const wait = checkPath('/', domain, { usageType, wait: '1' });
  return document({
    title: `Checking ${domain}`,
    description: `The checks of ${domain} are running.`,
    // Works without script. The page stays visible until the result arrives.
    head: html`<meta http-equiv="refresh" content="0;url=${wait}">`,
    main: html`<section class="lone" aria-busy="true"><h1>Checking ${domain}</h1>
<p class="lead" role="status">Looking up its records and asking its mail servers. This takes a few seconds, and at most 20.</p>
<p><a rel="nofollow" href="${wait}">Show the result</a> if this page does not change.</p></section>`,
  });
}

/** The result of a check. */
export function resultPage(assessed: AssessedCheck): string {
  const { domain, usageType } = assessed.check;
  const actions = html`<a class="button" rel="nofollow" href="${checkPath('/', domain, { usageType })}">Check again</a>
<form method="post" action="/s/check"><input type="hidden" name="domain" value="${domain}"><input type="hidden" name="usageType" value="${usageType}"><button data-busy="Saving…">Save and share</button></form>`;
  return fitting(
    (most) =>
      document({
        ...summary(assessed),
        styles: domainStyle,
        main: html`${checkForm('/', { domain })}
${result(assessed, actions, most)}`,
      }),
    MAX_OCTETS,
  );
}

/** A saved result, public to anyone with the link `url`. */
export function sharedPage(assessed: AssessedCheck, url: string): string {
  const { domain, usageType } = assessed.check;
  const actions = html`<p class="soft">Saved result. The domain may have changed since.</p>
<a class="button" rel="nofollow" href="${checkPath('/', domain, { usageType })}">Check again</a>${copyLink}`;
  return fitting(
    (most) =>
      document({
        ...summary(assessed),
        url,
        image: `${url}/card.svg`,
        styles: domainStyle,
        main: result(assessed, actions, most),
      }),
    MAX_OCTETS,
  );
}

function summary({ check: { domain, usageType, checkedAt }, score }: AssessedCheck) {
  const graded = score.grade === null ? 'no grade' : `grade ${score.grade}, ${score.score} of 100`;
  return {
    title: `${domain}: ${graded} – email security check`,
    description: `Email security of ${domain}, scored as a domain that ${usages[usageType]}: ${graded}. Checked ${timeInWords(checkedAt)}.`,
  };
}

function result({ check, score, plan }: AssessedCheck, actions: Markup, most: number): Markup {
  const { domain, checkedAt, results } = check;
  return html`<article class="of-domain">
<header><p class="eyebrow">Email security of</p>
<h1>${domain}</h1></header>
${gradeSection({ checkedAt, score }, html`${scoredAs(check)}<div class="actions">${actions}</div>`)}
${fixNext(plan, most)}
${checkSections(results, score, { domain }, most)}
<section aria-labelledby="more"><h2 id="more">Look closer</h2>
<div class="actions"><a class="button" rel="nofollow" href="${checkPath('/spf', domain)}">SPF tree</a>${startForm('Test your mail')}</div></section>
</article>`;
}

/** The usage type that the score is for, and the others to choose from. */
function scoredAs({ domain, usageType }: AssessedCheck['check']): Markup {
  const others = usageTypes.filter((one) => one !== usageType);
  return html`<details class="fold"><summary>Scored as a domain that ${usages[usageType]}</summary><ul>${others.map(
    (one) =>
      html`<li><a rel="nofollow" href="${checkPath('/', domain, { usageType: one })}">Score it as one that ${usages[one]}</a></li>`,
  )}</ul></details>`;
}
