/** The grades, policies and mail of all domains, beside what needs a person. */
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import { grade } from '../../score/grade.ts';
import { type OrganizationFigures, shownPolicies } from '../../views/organization-figures.ts';
import type { Series } from '../charts/figure.ts';
import { percent, shares } from '../charts/shares.ts';
import { html, type Markup } from '../markup.ts';

export const policyNames = {
  'no-policy': 'no policy',
  none: 'p=none',
  quarantine: 'p=quarantine',
  reject: 'p=reject',
  unknown: 'not known',
} as const satisfies Readonly<Record<(typeof shownPolicies)[number], string>>;

const policyFills = {
  ...{ 'no-policy': 'bad', none: 'warn', quarantine: 'stripes', reject: 'good', unknown: 'other' },
} as const satisfies Readonly<Record<(typeof shownPolicies)[number], Series['fill']>>;

const gradeFills = { A: 'good', B: 'stripes', C: 'dots', D: 'warn', F: 'bad' } as const;

export function figuresAside(figures: OrganizationFigures): Markup {
  const { mail, withoutReports, total } = figures;
  return html`<aside class="beside" aria-label="All domains">${gradeShares(figures)}${policyShares(figures)}
<dl class="inline"><div><dt>Messages in 30 days</dt><dd>${formatNumber(mail.messages)}</dd></div><div><dt>Mail that passes</dt><dd>${percent(mail.passed, mail.messages)}</dd></div><div><dt>Domains with reports</dt><dd>${formatNumber(total - withoutReports)} of ${formatNumber(total)}</dd></div></dl></aside>`;
}

export function gradeShares({ byGrade, withoutGrade, total }: OrganizationFigures): Markup {
  const parts = [
    ...grade.options.map((one) => ({ name: one, fill: gradeFills[one], value: byGrade[one] })),
    { name: 'none', fill: 'other' as const, value: withoutGrade },
  ];
  return sharesOf('grades', 'Grades', total, parts);
}

export function policyShares({ byPolicy, total }: OrganizationFigures): Markup {
  const parts = shownPolicies.map((one) => ({
    ...{ name: policyNames[one], fill: policyFills[one], value: byPolicy[one] },
  }));
  return sharesOf('policies', 'DMARC policies', total, parts);
}

function sharesOf(
  id: string,
  title: string,
  total: number,
  all: readonly (Series & { readonly value: number })[],
): Markup {
  const parts = all.filter(({ value }) => value > 0);
  return shares({
    ...{ id, title, unit: 'Domains' },
    summary: parts.map(({ name, value }) => `${formatNumber(value)} ${name}`).join(', '),
    series: parts.map(({ name, fill }) => ({ name, fill })),
    rows: [{ label: pluralize(total, 'domain'), values: parts.map(({ value }) => value) }],
  });
}
