/** The page with all domains of an organization, and the form that adds one. */
import { gradeOf } from '../../score/score.ts';
import type { Domain } from '../../store/domains/domain.ts';
import { usageNames, usageOptions } from '../checks/usage.ts';
import { html, type Markup, moment, visible } from '../markup.ts';
import { domainPath } from './domain/frame.ts';
import { consoleDocument, formTokenField, readOnlyNote } from './layout.ts';

export interface DomainsView {
  readonly domains: readonly Domain[];
  /** Only domains whose name contains this text; empty for all. */
  readonly q: string;
  readonly page: number;
  readonly hasMore: boolean;
  readonly canWrite: boolean;
  readonly formToken: string;
  /** What was typed into the form, and why it cannot be added as a sentence. */
  readonly refused?: { readonly typed: TypedDomain; readonly problem: string } | undefined;
}

export interface TypedDomain {
  readonly domain: string;
  readonly usageType: string;
  readonly testEmailLocalPart: string;
  readonly tags: string;
}

export function domainsPage(view: DomainsView): string {
  const { formToken, domains, q, page } = view;
  return consoleDocument({
    title: 'Domains',
    description: 'The domains of your organization and their email security',
    formToken,
    main: html`<article class="of-domain"><header><h1>Domains</h1>
${readOnlyNote(view.canWrite)}</header>
${domains.length === 0 && q === '' && page === 1 ? noDomains(view) : domainList(view)}
${view.canWrite ? addForm(view) : ''}</article>`,
  });
}

function noDomains({ canWrite }: DomainsView): Markup {
  return html`<section class="empty"><h2>No domains yet</h2><p>${canWrite ? 'Add the first one below.' : 'Sign in with a token that has the scope write to add one.'}</p></section>`;
}

function domainList(view: DomainsView): Markup {
  const { domains, q } = view;
  return html`<section aria-labelledby="list"><h2 id="list">Worst grade first</h2>
<form class="window" method="get" action="/console"><label>Name contains <input type="search" name="q" value="${q}" maxlength="253"></label><button class="small" data-busy="Loading…">Filter</button>${q === '' ? '' : html`<a href="/console">Show all</a>`}</form>
${domains.length === 0 ? html`<p>No domain on this page.</p>` : html`<ul class="cards">${domains.map(domainCard)}</ul>`}
${pager(view)}</section>`;
}

function domainCard(domain: Domain): Markup {
  const { id, domain: name, usageType, tags, verified, lastCheckedAt, scores } = domain;
  const score = scores?.[usageType];
  return html`<li class="card"><div class="head"><h3><a href="${domainPath(id)}">${visible(name)}</a></h3>
${verified ? '' : html`<span class="tag open">not verified</span>`}</div>
<dl class="inline"><div><dt>Grade</dt><dd>${typeof score === 'number' ? html`${gradeOf(score).grade} (${score} of 100)` : 'none yet'}</dd></div><div><dt>Usage</dt><dd>${usageNames[usageType]}</dd></div><div><dt>Last check</dt><dd>${lastCheckedAt === null ? 'none yet' : moment(lastCheckedAt)}</dd></div>${tags.length === 0 ? '' : html`<div><dt>Tags</dt><dd>${tags.join(', ')}</dd></div>`}</dl></li>`;
}

function pager({ q, page, hasMore }: DomainsView): Markup {
  if (page === 1 && !hasMore) return html``;
  const to = (n: number) => `/console?${new URLSearchParams({ ...(q !== '' && { q }), page: String(n) })}`;
  return html`<nav class="actions" aria-label="Pages of domains">${page > 1 ? html`<a class="button" rel="prev" href="${to(page - 1)}">Previous domains</a>` : ''}${hasMore ? html`<a class="button" rel="next" href="${to(page + 1)}">Next domains</a>` : ''}</nav>`;
}

function addForm({ formToken, refused }: DomainsView): Markup {
  const typed = refused?.typed ?? { domain: '', usageType: '', testEmailLocalPart: 'postmaster', tags: '' };
  return html`<section aria-labelledby="add"><h2 id="add">Add a domain</h2>
<form class="trial" method="post" action="/console">${formTokenField(formToken)}
<label for="domain">Domain</label>
<input id="domain" name="domain" value="${typed.domain}" type="text" inputmode="url" maxlength="1000" required placeholder="example.org" autocomplete="off" autocapitalize="none" spellcheck="false"${refused === undefined ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<label for="usage">Usage</label>
<select id="usage" name="usageType">${usageOptions(typed.usageType)}</select>
<label for="mailbox">Mailbox that the delivery check uses as a recipient: the part before the @</label>
<input id="mailbox" name="testEmailLocalPart" value="${typed.testEmailLocalPart}" type="text" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false">
<label for="tags">Tags, separated by commas</label>
<input id="tags" name="tags" value="${typed.tags}" type="text" maxlength="1100" autocomplete="off">
${refused === undefined ? '' : html`<p id="problem" class="problem" role="alert">${refused.problem}</p>`}
<button data-busy="Adding…">Add</button></form></section>`;
}
