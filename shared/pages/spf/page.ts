/** The page at `/spf`: the form for a domain, and the result for a submitted one. */
import type { SpfCheck } from '../../store/spf-shares.ts';
import { checkForm, type FormState } from '../check-form.ts';
import { checkAgain, saveForm } from '../components/actions.ts';
import { document, publicLinks } from '../document.ts';
import { invitation } from '../mail-test/start.ts';
import { html } from '../markup.ts';
import { KEPT } from '../saved.ts';
import { result, spfTool, summary } from './result.ts';

/** Where the page is, and whether the service also checks whole domains for anyone. */
interface SpfPlace {
  readonly url: string;
  readonly hasDomainChecker: boolean;
}

/** The page without a result: empty, or with the reason why the submitted name is invalid. */
export function spfPage(form: FormState, { url, hasDomainChecker }: SpfPlace): string {
  return document({
    title: 'SPF checker',
    description:
      'Check the SPF record of a domain: who may send, how many of the 10 allowed DNS lookups it uses, and what to fix.',
    url,
    indexed: form.problem === undefined,
    ...spfTool,
    nav: publicLinks(spfTool.site, hasDomainChecker),
    main: html`<section class="lone">
<h1>Check your SPF record</h1>
<p class="lead">See who may send mail for a domain, how many of the 10 allowed DNS lookups each include uses, and what to fix.</p>
${checkForm('/spf', { ...form, autofocus: true })}
<ul class="promises">
<li>Every include and redirect is followed, and every finding cites the RFC section.</li>
<li>A DNS timeout is never reported as a missing record.</li>
<li>Save a result to get a public link. ${KEPT}</li>
</ul>
${hasDomainChecker ? html`<p><a href="/">Check everything else about the email security of a domain</a></p>` : ''}
${invitation}
</section>`,
  });
}

/** The result of a check. */
export function spfResultPage(check: SpfCheck): string {
  const { domain } = check.expansion;
  const actions = html`${checkAgain(domain)}${saveForm(domain)}`;
  return document({
    ...summary(check),
    main: html`${checkForm('/spf', { domain })}
${result(check, { actions })}`,
  });
}
