/** The subdomains of a domain that mail came from: volume, results, their own records, and the policy that applies. */
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import {
  SUBDOMAINS_PER_PAGE,
  type SubdomainRow,
  type SubdomainsView,
} from '../../../views/domain/subdomains.ts';
import { percent } from '../../charts/shares.ts';
import { code, daysFromTo } from '../../check-results/text.ts';
import { html, type Markup, untrustedText } from '../../markup.ts';
import { pager } from '../../pager.ts';
import { fitting, more } from '../../room.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain } from './frame.ts';
import { windowForm, windowQuery } from './window.ts';

export function subdomainsPage(domain: ShownDomain, view: SubdomainsView, room: number): Markup {
  const { days, today, rows, total, page } = view;
  const to = (n: number) => `${domainPath(domain.id, 'subdomains')}?${windowQuery(days)}&page=${n}`;
  const form = windowForm(domainPath(domain.id, 'subdomains'), days, today);
  if (rows.length === 0) {
    const none = nothingYet(
      'No mail from subdomains in this window',
      html`DMARC reports of this period show no mail with a subdomain of ${untrustedText(domain.domain)} in its From field. Choose a longer window, or see the <a href="${domainPath(domain.id, 'dmarc')}">reports</a>.`,
    );
    return domainFrame(domain, 'subdomains', html`${form}${none}`);
  }
  const { shown, omitted } = fitting(rows, room, rowOf);
  return domainFrame(
    domain,
    'subdomains',
    html`${form}
<section aria-labelledby="subdomains"><h2 id="subdomains">${pluralize(total, 'subdomain')} in the From field</h2>
<p class="soft">Anybody can write these names into mail, and a name of which nothing passes is usually forged. Before a stronger policy for subdomains, make sure that those you use pass.</p>
<div class="scroll" role="region" aria-label="Subdomains" tabindex="0"><table class="words"><caption class="hush">Subdomains, most messages first</caption><thead><tr>${['Subdomain', 'Messages', 'Pass', 'Policy that applies', 'Own records', 'Seen'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${shown}</tbody></table></div>
${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}
${pager({ page, hasMore: page * SUBDOMAINS_PER_PAGE < total, of: 'of subdomains', names: ['More messages', 'Fewer messages'], to })}</section>`,
  );
}

const origins = {
  own: 'own record',
  sp: 'sp of the domain',
  np: 'np of the domain',
  p: 'p of the domain',
  none: '',
} as const;

function rowOf(row: SubdomainRow): Markup {
  const { name, messages, passedMessages, authenticatedMessages, firstSeen, lastSeen, exists, policy } = row;
  const forged = messages - authenticatedMessages;
  return html`<tr><th scope="row">${untrustedText(name)}${exists === false ? html` <span class="soft">does not exist</span>` : ''}</th>
<td>${formatNumber(messages)}${forged > 0 ? html` <span class="soft">${formatNumber(forged)} in unauthenticated reports</span>` : ''}</td><td>${percent(passedMessages, messages)}</td>
<td>${policy === null ? 'not known' : html`${policy.policy ?? 'no policy'} <span class="soft">${origins[policy.from]}</span>`}</td>
<td>${published('DMARC', row.dmarc)}${published('SPF', row.spf)}${published('MX', row.mx)}</td><td>${daysFromTo(firstSeen, lastSeen)}</td></tr>`;
}

/** In characters of a record, and in records. */
const MAX_RECORD = 120;
const MAX_RECORDS = 2;

function published(name: string, texts: readonly string[] | null): Markup {
  if (texts === null) return html`<div>${name}: lookup failed</div>`;
  if (texts.length === 0) return html`<div class="soft">${name}: none</div>`;
  const left = texts.length - MAX_RECORDS;
  return html`<div>${name}: ${texts.slice(0, MAX_RECORDS).map((text) => html`${code(text, MAX_RECORD)} `)}${left > 0 ? html`<span class="note">and ${left} more</span>` : ''}</div>`;
}
