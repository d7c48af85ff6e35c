import { isDeepStrictEqual } from 'node:util';
import type { TlsCause, TlsFailure } from '../../../monitoring/tls-failures.ts';
import { describeFor } from '../../../protocol/findings/catalogue.ts';
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import { dayInWords } from '../../../protocol/time.ts';
import type { TlsDay } from '../../../store/reports/tls-reports.ts';
import type { TlsView } from '../../../views/domain/tls.ts';
import { line } from '../../charts/line.ts';
import { percent } from '../../charts/shares.ts';
import { code, day, daysFromTo } from '../../check-results/text.ts';
import { html, type Markup, visibleStart } from '../../markup.ts';
import { fitting } from '../../room.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain } from './frame.ts';
import { daysOfWindow, windowForm } from './window.ts';

/** If no day is below, the axis begins here, so that small drops are visible. */
const NARROW = 90;

/** RFC 8460 section 4.3. */
const meanings: Readonly<Record<string, string>> = {
  'starttls-not-supported': 'The MX host did not offer STARTTLS',
  'certificate-host-mismatch': 'The certificate does not name the MX host',
  'certificate-expired': 'The certificate had expired',
  'certificate-not-trusted': 'The sender does not trust the issuer of the certificate',
  'validation-failure': 'The TLS session failed for another reason',
  'tlsa-invalid': 'The certificate does not match the TLSA records',
  'dnssec-invalid': 'DNSSEC validation of the MX host failed',
  'dane-required': 'The sender requires DANE, which the MX host does not have',
  'sts-policy-fetch-error': 'The MTA-STS policy could not be fetched',
  'sts-policy-invalid': 'The MTA-STS policy is invalid',
  'sts-webpki-invalid': 'The certificate of the MTA-STS policy host is invalid',
};

const policyNames: Readonly<Record<string, string>> = {
  sts: 'MTA-STS policy',
  tlsa: 'TLSA records',
  'no-policy-found': 'no policy',
};

/** The chart of a year, for which a page of failures leaves room. */
const CHART_OCTETS = 30_000;

export function tlsPage(domain: ShownDomain, view: TlsView, room: number): Markup {
  const { days, today, timeline, failures } = view;
  const form = windowForm(domainPath(domain.id, 'tls'), days, today);
  if (timeline.length === 0) {
    const none = nothingYet(
      'No TLS reports in this window',
      html`Senders report once a day if a TLS-RPT record asks them to. Choose a longer window, or see on the <a href="${domainPath(domain.id)}">overview</a> whether the record exists.`,
    );
    return domainFrame(domain, 'tls', html`${form}${none}`);
  }
  const groups = groupsOf(failures);
  const { shown, omitted } = fitting(groups, room - CHART_OCTETS, (group) => groupCard(domain, group));
  const successful = timeline.reduce((sum, one) => sum + one.successful, 0);
  const failed = timeline.reduce((sum, one) => sum + one.failed, 0);
  const reports = timeline.reduce((sum, one) => sum + one.reports, 0);
  return domainFrame(
    domain,
    'tls',
    html`${form}
<section aria-labelledby="figures"><h2 id="figures" class="hush">Figures</h2><dl class="facts">
<div><dt>Sessions</dt><dd>${formatNumber(successful + failed)}<small>in ${pluralize(reports, 'report')}</small></dd></div>
<div><dt>Successful</dt><dd>${percent(successful, successful + failed)}</dd></div>
<div><dt>Failed</dt><dd>${formatNumber(failed)}</dd></div>
</dl></section>
<section aria-labelledby="per-day"><h2 id="per-day">Success rate per day</h2>${chart(view, successful, failed)}</section>
<section aria-labelledby="failures"><h2 id="failures">Failures by cause and host</h2>
${failures.length === 0 ? html`<p>${failed === 0 ? 'No session failed.' : 'The reports say nothing about why sessions failed.'}</p>` : html`${shown.length > 1 ? overviewTable(groups.slice(0, shown.length)) : ''}<ul class="cards">${shown}</ul>`}
${omitted > 0 ? html`<p class="note">and ${formatNumber(omitted)} more kinds of failures, available through the API</p>` : ''}
${view.isPartial ? html`<p class="note">These are the failures in the newest reports of this window. Choose an earlier or shorter window to see others.</p>` : ''}</section>`,
  );
}

function chart({ days, timeline }: TlsView, successful: number, failed: number): Markup {
  const known = new Map(timeline.map((one) => [one.day, one]));
  const all = daysOfWindow(days);
  return line({
    id: 'success',
    title: `Successful sessions from ${dayInWords(days.from)} to ${dayInWords(days.to)}`,
    summary: `${percent(successful, successful + failed)} of ${pluralize(successful + failed, 'session')} on ${pluralize(timeline.length, 'day')} with reports.`,
    unit: 'Day',
    measure: 'Successful',
    minimum: Math.min(...timeline.map((one) => rateOf(one) ?? 100)) < NARROW ? 0 : NARROW,
    maximum: 100,
    format: (value) => `${value} %`,
    range: [dayInWords(days.from), dayInWords(days.to)],
    points: all.map((date, index) => {
      const found = known.get(date);
      const at = all.length === 1 ? 0.5 : index / (all.length - 1);
      // Days without reports interrupt the line.
      return { label: dayInWords(date), at, value: found === undefined ? null : rateOf(found) };
    }),
  });
}

function rateOf({ successful, failed }: TlsDay): number | null {
  const sessions = successful + failed;
  return sessions === 0 ? null : Math.round((1000 * successful) / sessions) / 10;
}

/** The failures of all senders for one reason at one MX host. */
interface FailureGroup {
  readonly resultType: string;
  readonly host: string | null;
  /** Most sessions first. */
  readonly failures: readonly TlsFailure[];
  readonly sessions: number;
}

/** The failures by cause and host, most sessions first. */
function groupsOf(failures: readonly TlsFailure[]): readonly FailureGroup[] {
  const groups = Map.groupBy(failures, ({ resultType, host }) => JSON.stringify([resultType, host]));
  return [...groups.values()]
    .map((of) => ({
      ...{ resultType: of[0]?.resultType ?? '', host: of[0]?.host ?? null, failures: of },
      sessions: of.reduce((sum, { sessions }) => sum + sessions, 0),
    }))
    .toSorted((x, y) => y.sessions - x.sessions);
}

function overviewTable(groups: readonly FailureGroup[]): Markup {
  return html`<div class="scroll" role="region" aria-label="Failed sessions" tabindex="0"><table><caption class="hush">Failures by cause and host</caption><thead><tr><th scope="col">Cause</th><th scope="col">MX host</th><th scope="col" class="num">Failed sessions</th><th scope="col" class="num">Senders</th></tr></thead><tbody>${groups.map(
    ({ resultType, host, sessions, failures }) =>
      html`<tr><th scope="row">${meanings[resultType] ?? visibleStart(resultType, 100)}</th><th scope="row">${host === null ? 'not stated' : code(host, 100)}</th><td>${formatNumber(sessions)}</td><td>${formatNumber(failures.length)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** The senders of a cause that a page names. */
const MOST_SENDERS = 20;

function groupCard(domain: ShownDomain, { resultType, host, sessions, failures }: FailureGroup): Markup {
  const [first] = failures;
  const meaning = meanings[resultType];
  const from = failures.map((one) => one.from).toSorted()[0] ?? '';
  const to =
    failures
      .map((one) => one.to)
      .toSorted()
      .at(-1) ?? '';
  const left = failures.length - MOST_SENDERS;
  return html`<li class="card"><div class="head"><h3>${meaning ?? visibleStart(resultType, 100)}</h3><span class="n">${pluralize(sessions, 'session')}</span></div>
<dl class="inline">${meaning === undefined ? '' : html`<div><dt>Type</dt><dd>${code(resultType)}</dd></div>`}<div><dt>MX host</dt><dd>${host === null ? 'not stated' : code(host, 100)}</dd></div><div><dt>When</dt><dd>${daysFromTo(from, to)}</dd></div></dl>
${first === undefined ? '' : cause(domain, first.cause)}
${failures.slice(0, MOST_SENDERS).map((one) => senderPart(domain, one, first))}
${left > 0 ? html`<p class="note">and ${pluralize(left, 'more sender')}, available through the API</p>` : ''}</li>`;
}

/** What one sender reported; its cause, if it is another one than that of the first sender. */
function senderPart(domain: ShownDomain, failure: TlsFailure, first: TlsFailure | undefined): Markup {
  const { sender, sessions, remarks, from, to } = failure;
  const isOther = !isDeepStrictEqual(failure.cause, first?.cause);
  return html`<details class="behind"><summary>${visibleStart(sender, 100)}: ${pluralize(sessions, 'session')}, ${daysFromTo(from, to)}</summary>
${isOther ? cause(domain, failure.cause) : ''}
${remarks.slice(0, 3).map((remark) => html`<p class="soft">The sender says: ${visibleStart(remark, 200)}</p>`)}
${published(failure)}</details>`;
}

function cause({ domain }: ShownDomain, found: TlsCause): Markup {
  const describe = describeFor({ domain });
  switch (found.kind) {
    case 'finding':
      return html`${found.findings.slice(0, 3).map((finding) => {
        const { message, fix } = describe(finding);
        return html`<p><strong>Cause:</strong> ${visibleStart(message, 400)}</p><p class="fix">${visibleStart(fix, 400)}</p>`;
      })}`;
    case 'not-in-policy':
      return html`<p><strong>Cause:</strong> the MTA-STS policy that the sender applied does not list this MX host. It lists ${found.patterns.slice(0, 8).map((pattern) => html`${code(pattern, 100)} `)}</p><p class="fix">List the host in the policy, and publish a new id in the MTA-STS record. Senders keep the old policy until its max_age is over at the latest.</p>`;
    case 'certificate-expired':
      return html`<p><strong>Cause:</strong> the certificate of the MX host expired on ${day(found.expiry)}.</p><p class="fix">Renew the certificate, and automate its renewal.</p>`;
    case 'unchecked':
      return html`<p class="soft">No check of that time had an answer, so the cause is not known.</p>`;
    case 'unexplained':
      return html`<p class="soft">The checks of that time saw nothing that explains this. The path of the sender may differ from ours, or the problem was short.</p>`;
  }
}

function published({ policyType, policy, published: then }: TlsFailure): Markup {
  const listed = (title: string, texts: readonly string[] | undefined) =>
    texts === undefined || texts.length === 0
      ? html`<p>${title}: ${texts === undefined ? 'not known' : 'none'}</p>`
      : html`<p>${title}:</p><ul>${texts.slice(0, 10).map((text) => html`<li>${code(text, 200)}</li>`)}</ul>`;
  return html`<p>Published and applied then:</p>
${listed(`The sender applied ${policyNames[policyType] ?? 'a policy'}`, policy)}
${listed('MX records', then.mx)}${listed('MTA-STS record', then.mtaSts)}`;
}
