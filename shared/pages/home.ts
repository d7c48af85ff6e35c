/** The page at `/`: a form, and the result for the domain that was asked for. */
import type { SpfCheck } from '../store/spf-shares.ts';
import { checkForm, type FormState } from './check-form.ts';
import { document } from './document.ts';
import { invitation } from './mail-test/start.ts';
import { html } from './markup.ts';
import { checkAgain, saveForm } from './spf/actions.ts';
import { fitting } from './spf/extent.ts';
import { result, summary } from './spf/result.ts';

/** The page before anything was checked, or with what is wrong with the name that was typed. */
export function homePage(form: FormState, url: string): string {
  return document({
    title: 'SPF checker',
    description:
      'See what the SPF record of a domain does: who may send, what it costs of the ten look-ups, and what to fix.',
    url,
    indexed: form.problem === undefined,
    main: html`<section class="lone">
<h1>What does your SPF record do?</h1>
<p class="lead">See who may send mail for a domain, what every include costs of the ten look-ups that receivers make, and what to fix.</p>
${checkForm({ ...form, autofocus: true })}
<ul class="promises">
<li>Every branch is followed, and every finding names the section of the RFC that it rests on.</li>
<li>A name server that did not answer is never taken for a record that is not there.</li>
<li>Save a result to share it: the link shows what was seen, to anyone, for good.</li>
</ul>
${invitation}
</section>`,
  });
}

/** The result of a check just made. */
export function checkPage(check: SpfCheck): string {
  const { domain } = check.expansion;
  const actions = html`${checkAgain(domain)}${saveForm(domain)}`;
  return fitting((entries) =>
    document({
      ...summary(check),
      main: html`${checkForm({ domain })}
${result(check, { actions, entries })}`,
    }),
  );
}
