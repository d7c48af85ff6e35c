/** All domains and a compliance profile, also for printing, and which profiles the organization follows. */
import { boxOf } from '../../api/console.ts';
import { MOST_OWN_PROFILES } from '../../compliance/own-profile.ts';
import type { ComplianceStatus } from '../../compliance/shapes.ts';
import { formatNumber } from '../../protocol/quantity.ts';
import type { OrganizationComplianceView } from '../../views/compliance.ts';
import { day } from '../check-results/text.ts';
import { html, type Markup, untrustedText } from '../markup.ts';
import { pager } from '../pager.ts';
import { COMPLIANCE_PATH, profileForm, profileNote, statusMark } from './compliance-text.ts';
import { domainPath } from './domain/frame.ts';
import { DOMAINS_PATH } from './domain-filter.ts';
import { formState } from './form-fields.ts';
import { consoleDocument, formTokenField, readOnlyNote, type Visitor } from './layout.ts';

interface CompliancePage extends Visitor {
  readonly view: OrganizationComplianceView;
  readonly status: ComplianceStatus | undefined;
  readonly page: number;
  readonly hasMore: boolean;
}

export function organizationCompliancePage(given: CompliancePage): string {
  const { view, page, hasMore, canWrite, formToken, flash } = given;
  const { profile, profiles } = view;
  return consoleDocument({
    title: 'Compliance',
    description: 'Which domains fulfill the requirements of a profile',
    ...{ formToken, flash, current: DOMAINS_PATH },
    main: html`<article class="of-domain wide printed"><header><h1>Compliance</h1>${readOnlyNote(canWrite)}</header>
${profileForm(COMPLIANCE_PATH, profiles, profile.id)}
<section aria-labelledby="profile"><h2 id="profile">${untrustedText(profile.name)}</h2>${profileNote(profile)}
${statusLinks(given)}
${domainTable(given)}
${pager({ page, hasMore, of: 'of domains', names: ['Earlier domains', 'Later domains'], to: (n) => addressOf(given, { page: n }) })}
<p class="actions"><a class="button small" href="${addressOf(given, { format: 'csv' })}">Save this page as CSV</a></p></section>
${canWrite ? settings(given) : ''}</article>`,
  });
}

type Parameters = {
  readonly page?: number;
  readonly format?: 'csv';
  readonly status?: ComplianceStatus | null;
};

/** The address of the page, of another page of it, or of it as a file. */
function addressOf({ view, status, page }: CompliancePage, changes: Parameters): string {
  const wanted = changes.status === undefined ? status : (changes.status ?? undefined);
  const number = changes.page ?? (changes.status === undefined ? page : 1);
  const query = new URLSearchParams({
    profile: view.profile.id,
    ...(wanted !== undefined && { status: wanted }),
    ...(number > 1 && { page: String(number) }),
    ...(changes.format !== undefined && { format: changes.format }),
  });
  return `${COMPLIANCE_PATH}?${query}`;
}

function statusLinks(given: CompliancePage): Markup {
  const { counts } = given.view;
  const all = counts.violated + counts.unknown + counts.fulfilled + counts.notApplicable;
  const link = (status: ComplianceStatus | null, name: string, count: number) =>
    html`<li><a href="${addressOf(given, { status })}"${(given.status ?? null) === status ? html` aria-current="true"` : ''}>${name} (${formatNumber(count)})</a></li>`;
  return html`<nav class="window" aria-label="Domains by status"><ul>${link(null, 'All domains', all)}${link('violated', 'Violated', counts.violated)}${link('unknown', 'Unknown', counts.unknown)}${link('fulfilled', 'Fulfilled', counts.fulfilled)}${link('not-applicable', 'Not applicable', counts.notApplicable)}</ul></nav>
<p class="soft">Statuses are about the mandatory requirements that checks can decide, or about all of these where none is mandatory. Counts are of the latest check run of each domain.</p>`;
}

function domainTable({ view: { domains, profile } }: CompliancePage): Markup {
  if (domains.length === 0) return html`<p>No domain has this status.</p>`;
  return html`<div class="scroll" role="region" aria-label="Table of domains" tabindex="0"><table class="words"><caption class="hush">Domains in the order of registration</caption><thead><tr><th scope="col">Domain</th><th scope="col">Status</th><th scope="col">Requirements</th><th scope="col">Violated</th><th scope="col">Checked</th></tr></thead><tbody>${domains.map(
    ({ domainId, domain, status, counts, violated, checkedAt }) =>
      html`<tr><th scope="row"><a href="${domainPath(domainId, 'compliance')}?profile=${profile.id}">${untrustedText(domain)}</a></th><td>${statusMark(status)}</td><td>${counts.fulfilled} fulfilled, ${counts.violated} violated, ${counts.unknown} unknown</td><td>${untrustedText(violated.join(', '))}</td><td>${checkedAt === null ? 'not yet' : day(checkedAt)}</td></tr>`,
  )}</tbody></table></div>`;
}

function settings({ view: { profiles, own }, formToken, flash }: CompliancePage): Markup {
  const typed = own.length === 0 ? '' : JSON.stringify(own, null, 2);
  const form = formState('saveCompliance', flash, { own: typed });
  return html`<section aria-labelledby="settings" class="trial"><h2 id="settings">Follow profiles</h2>
<p class="soft">When a domain that fulfilled a requirement of a followed profile violates it, you see it on the page Today. What is violated already is no news.</p>
<form class="trial" method="post" action="${COMPLIANCE_PATH}">${formTokenField(formToken)}
<fieldset id="followed"><legend>Profiles to follow</legend>${profiles.map(
    ({ id, name, isFollowed }) =>
      html`<label class="choice"><input type="checkbox" name="${boxOf(id)}" value="on"${form.isChosen(boxOf(id), isFollowed) ? html` checked` : ''}> ${untrustedText(name)}</label>`,
  )}</fieldset>
<label for="own-profiles">Your own profiles as JSON, at most ${MOST_OWN_PROFILES}</label>${form.problem('own')}
<textarea ${form.attributes('own')} rows="8" autocapitalize="none" spellcheck="false">${form.value('own')}</textarea>
<p class="soft">A list of profiles, such as <code>[{"id": "own-baseline", "name": "Our baseline", "version": "1", "requirements": [{"id": "reject", "text": "The policy is reject.", "level": "must", "rules": ["dmarc-missing", "dmarc-below-reject"]}]}]</code>. The documentation lists rules and facts.</p>
<button data-busy="Saving…">Save</button></form></section>`;
}
