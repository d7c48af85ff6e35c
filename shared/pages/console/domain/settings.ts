/** The settings of a domain: what its owner says about it, its badge, and how it is deleted. */
import { badgePath } from '../../../api/badges.ts';
import type { Naming } from '../../../api/domains.ts';
import type { Domain } from '../../../store/domains/domains.ts';
import { publishedReportAddress } from '../../../store/domains/report-address.ts';
import { code } from '../../check-results/text.ts';
import { usageNames } from '../../check-results/usage.ts';
import { copyButton } from '../../components/actions.ts';
import { html, type Markup } from '../../markup.ts';
import { commonFields } from '../add-domains.ts';
import { formState, inputField } from '../form-fields.ts';
import { formTokenField } from '../layout.ts';
import { domainFrame, domainPath, type ShownDomain } from './frame.ts';

export function domainSettingsPage(shown: ShownDomain, domain: Domain, naming: Naming): Markup {
  const address = publishedReportAddress(domain, naming.reportsDomain);
  return domainFrame(
    shown,
    'settings',
    html`<section aria-labelledby="about"><h2 id="about">About the domain</h2>
${shown.canWrite ? editForm(shown, domain) : facts(domain)}</section>
<section aria-labelledby="reports-to"><h2 id="reports-to">Report mailbox</h2>
<p>${address === undefined ? html`Reporters cannot reach the report mailboxes of this service, because they are at ${code(naming.reportsDomain)}. The <a href="${domainPath(shown.id)}">overview</a> says how to get reports.` : html`Reports about the domain are received at ${code(address)}.`}</p></section>
${badgeSection(shown, domain, naming)}
${shown.canWrite ? deleteSection(shown) : ''}`,
  );
}

function editForm({ id, formToken, flash }: ShownDomain, domain: Domain): Markup {
  const form = formState('saveDomainSettings', flash, {
    usageType: domain.usageType,
    testEmailLocalPart: domain.testEmailLocalPart ?? '',
    tags: domain.tags.join(', '),
    dkimSelectors: domain.dkimSelectors.join(', '),
  });
  return html`<form class="trial" method="post" action="${domainPath(id, 'settings')}">${formTokenField(formToken)}
${commonFields(form)}
${inputField(form, 'dkimSelectors', 'DKIM selectors of your mail, separated by commas; common ones and those in reports are checked anyway', html`type="text" maxlength="1500" autocomplete="off" autocapitalize="none" spellcheck="false"`)}
<button data-busy="Saving…">Save</button></form>`;
}

function facts({ usageType, testEmailLocalPart, tags, dkimSelectors }: Domain): Markup {
  const list = (texts: readonly string[]) => (texts.length === 0 ? 'none' : texts.join(', '));
  return html`<dl class="fields"><div><dt>Usage</dt><dd>${usageNames[usageType]}</dd></div><div><dt>Mailbox of the delivery check</dt><dd>${testEmailLocalPart ?? 'none'}</dd></div><div><dt>Tags</dt><dd>${list(tags)}</dd></div><div><dt>DKIM selectors</dt><dd>${list(dkimSelectors)}</dd></div></dl>`;
}

function badgeSection({ id, canWrite, formToken }: ShownDomain, domain: Domain, { hostUrl }: Naming): Markup {
  const { verified, badgeToken } = domain;
  const form = (): Markup =>
    html`<form method="post" action="${domainPath(id, 'settings')}" class="actions">${formTokenField(formToken)}<input type="hidden" name="badge" value="on"><button data-busy="Saving…">Turn the badge on</button></form>`;
  const off = html`<p>The badge is off. It is a public image with the grade and score of the domain, which any page can embed.</p>
${!verified ? html`<p class="soft">Only verified domains can have one.</p>` : canWrite ? form() : ''}`;
  const on = (token: string): Markup =>
    html`<p>The badge is on. Anybody with its address sees the grade and score of the domain.</p>
<div class="record" id="badge-url">${code(`${hostUrl}${badgePath(token)}`)}</div>
<div class="actions">${copyButton('badge-url', 'address')}${canWrite ? html`<a class="button small" href="${domainPath(id)}/ask?about=badge">Turn the badge off</a>` : ''}</div>`;
  return html`<section aria-labelledby="badge"><h2 id="badge">Badge</h2>
${badgeToken === undefined ? off : on(badgeToken)}</section>`;
}

function deleteSection({ id }: ShownDomain): Markup {
  return html`<section aria-labelledby="delete"><h2 id="delete">Delete the domain</h2>
<p>Its checks, reports, decisions, and alerts are deleted with it.</p>
<p class="actions"><a class="button" href="${domainPath(id)}/ask?about=delete">Delete the domain</a></p></section>`;
}
