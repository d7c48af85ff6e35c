/** Which requirements of a compliance profile a domain fulfills, also for printing. */
import type { ComplianceView } from '../../../views/compliance.ts';
import { day } from '../../check-results/text.ts';
import { html, type Markup, untrustedText } from '../../markup.ts';
import { COMPLIANCE_PATH, countsInWords, profileForm, profileNote, statusMark } from '../compliance-text.ts';
import { domainFrame, domainPath, type ShownDomain } from './frame.ts';

type Shown = ComplianceView['compliance'];
type Requirement = Shown['requirements'][number];

export function compliancePage(domain: ShownDomain, { compliance, profiles }: ComplianceView): Markup {
  const { profile, checkedAt, counts, requirements } = compliance;
  const path = domainPath(domain.id, 'compliance');
  return domainFrame(
    domain,
    'compliance',
    html`<div class="printed">${profileForm(path, profiles, profile.id)}
<section aria-labelledby="profile"><h2 id="profile">${untrustedText(profile.name)}</h2>
<p><strong>${verdict(compliance)}</strong> ${countsInWords(counts)} ${checkedAt === null ? 'The domain has not been checked yet.' : html`Checked on ${day(checkedAt)}.`}</p>
${profileNote(profile)}
<p class="actions"><a class="button small" href="${path}?profile=${profile.id}&amp;format=csv">Save as CSV</a> <a class="button small" href="${COMPLIANCE_PATH}?profile=${profile.id}">All domains</a></p></section>
<section aria-labelledby="requirements"><h2 id="requirements">Requirements</h2>${requirementTable(requirements)}</section>
${sources(requirements)}</div>`,
  );
}

function verdict({ status, requirements }: Shown): string {
  switch (status) {
    case 'violated':
      return 'Requirements are violated.';
    case 'unknown':
      return 'It is not known whether the requirements are fulfilled.';
    case 'fulfilled':
      return requirements.some((one) => one.level === 'must' && one.status === 'fulfilled')
        ? 'Every mandatory requirement that checks can decide is fulfilled.'
        : 'Every requirement that checks can decide is fulfilled.';
    case 'not-applicable':
      return 'Nothing that checks can decide concerns this domain.';
  }
}

const coverageWords = {
  text: 'As the source says it',
  interpretation: 'Interpretation',
  'not covered': 'Not covered',
} as const;

function requirementTable(requirements: readonly Requirement[]): Markup {
  const isOne = new Set(requirements.map(({ source }) => source.title)).size === 1;
  return html`<div class="scroll" role="region" aria-label="Table of requirements" tabindex="0"><table class="words"><caption class="hush">Requirements</caption><thead><tr><th scope="col">Requirement</th><th scope="col">Status</th><th scope="col">Section</th><th scope="col">How it is decided</th></tr></thead><tbody>${requirements.map(
    ({ id, text, level, status, section, source, coverage, findings }) =>
      html`<tr><th scope="row">${untrustedText(id)} <span class="soft">${level}</span><p class="soft">${untrustedText(text)}</p></th><td>${statusMark(status)}</td><td>${untrustedText(section)}${isOne ? '' : html`<p class="soft">${untrustedText(source.title)}</p>`}</td><td>${coverageWords[coverage]}${
        findings.length === 0
          ? ''
          : html`<ul class="plain">${findings.map(({ message }) => html`<li>${untrustedText(message)}</li>`)}</ul>`
      }</td></tr>`,
  )}</tbody></table></div>`;
}

/** The length of `2024-06`. */
const MONTH = 7;

/** The documents, each once. */
function sources(requirements: readonly Requirement[]): Markup {
  const all = [...new Map(requirements.map(({ source }) => [source.title, source])).values()];
  return html`<section aria-labelledby="sources"><h2 id="sources">Sources</h2><ul class="plain">${all.map(
    ({ title, address, date, read }) =>
      html`<li>${address === null ? untrustedText(title) : html`<a href="${address}" rel="noreferrer">${untrustedText(title)}</a>`}${date === null ? '' : html`, ${date.length === MONTH ? date : day(date)}`}. <span class="soft">${untrustedText(read)}.</span></li>`,
  )}</ul></section>`;
}
