/** The domain checker before a result: the form at `/`, and the page that waits. */
import type { UsageType } from '../../checks/state.ts';
import { checkForm, checkPath, type FormState } from '../check-form.ts';
import { usageChoices } from '../check-results/usage.ts';
import { document } from '../document.ts';
import { invitation } from '../mail-test/start.ts';
import { html, type Markup } from '../markup.ts';
import { options } from '../select.ts';
import { domainCheckStyle } from '../style.ts';

/** The page without a result: empty, or with the reason why the submitted name is invalid. */
export function homePage(form: FormState, usageType: UsageType, url: string): string {
  return document({
    title: 'Email security check',
    description:
      'Check how well a domain protects its mail: MX with TLS and DANE, SPF, DKIM, DMARC, MTA-STS, TLS-RPT, BIMI and DNSSEC, with a score and what to fix.',
    url,
    indexed: form.problem === undefined,
    styles: domainCheckStyle,
    main: html`<section class="lone">
<h1>Check the email security of a domain</h1>
<p class="lead">Get a grade, what to fix first with records to copy, and the evidence behind each finding.</p>
${domainForm({ ...form, autofocus: true }, usageType)}
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

/**
 * What a visitor sees while the checks run. The script puts the result in place of `#result`; a browser without script
 * goes to the page with the result, and keeps showing this one until that arrives.
 */
export function waitingPage(domain: string, usageType: UsageType): string {
  const path = checkPath('/check', domain, { usageType });
  return document({
    title: `Checking ${domain} – email security check`,
    description: `The checks of ${domain} are running.`,
    styles: domainCheckStyle,
    head: html`<noscript><meta http-equiv="refresh" content="0;url=${path}"></noscript>
`,
    main: html`${domainForm({ domain }, usageType)}
<div id="result" data-fill="${path}" aria-busy="true"><article class="of-domain">
<header><p class="eyebrow">Email security of</p>
<h1>${domain}</h1></header>
<section class="verdict unknown" aria-labelledby="grade"><h2 id="grade" class="word">Checking…</h2>
<p>This takes a few seconds, or up to half a minute if servers do not answer.</p>
<progress aria-label="Checking ${domain}"></progress>
<p class="problem" role="alert" hidden>The checks did not finish. <a rel="nofollow" href="${checkPath('/', domain, { usageType })}">Try again</a></p></section>
<section aria-labelledby="looked-up"><h2 id="looked-up">What is looked up</h2>
<ul class="looked-up">
<li><strong>MX</strong>: the mail servers, with STARTTLS, certificates, and DANE</li>
<li><strong>SPF</strong>: the record, and everything that it includes</li>
<li><strong>DKIM</strong>: keys at common selectors</li>
<li><strong>DMARC</strong>: the policy, and where reports go</li>
<li><strong>MTA-STS</strong> and <strong>TLS-RPT</strong>: the policy for encrypted delivery, and reports about it</li>
<li><strong>BIMI</strong>: the logo and its certificate</li>
<li><strong>DNSSEC</strong>: the chain of signatures</li>
</ul></section>
</article></div>`,
  });
}

/** The form for a domain, with the usage type that it is scored for. */
export function domainForm(form: FormState, usageType: UsageType): Markup {
  return checkForm(
    '/',
    form,
    html`<p class="usage"><label for="usage">Usage</label> <select id="usage" name="usageType">${options(usageChoices, usageType)}</select></p>`,
  );
}
