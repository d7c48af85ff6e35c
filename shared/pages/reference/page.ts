/** The API reference for people, made from the OpenAPI document. */
import type { OpenApiDocument, Schema, Tag } from '../../openapi/schema.ts';
import { inWords } from '../../protocol/in-words.ts';
import { document } from '../document.ts';
import { html, type Markup } from '../markup.ts';
import { referenceStyle } from '../style.ts';
import { callOf, type Endpoint, operationSection } from './operation.ts';
import { contentsOf, limitsOf, prose, typeOf } from './schema.ts';

export function referencePage({ info, servers, tags, paths, webhooks, components }: OpenApiDocument): string {
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = tags.map((tag) => ({
    tag,
    endpoints: endpoints.filter(({ operation }) => operation.tags?.includes(tag.name)),
  }));
  const [{ url } = { url: '' }] = servers;
  return document({
    title: 'API reference',
    description: info.description,
    url: `${url}/docs`,
    indexed: true,
    site: 'API reference',
    styles: referenceStyle,
    main: html`<div class="reference">
<h1>API reference</h1>
<p class="lead">${info.description}</p>
<p>Base URL: <code>${url}</code>. Paths under <code>/api/v1</code> require the header <code>Authorization: Bearer &lt;token&gt;</code>. A client can be generated from the <a href="/api/openapi.json">OpenAPI document</a>, version ${info.version}.</p>
<nav aria-label="Contents" class="contents">
${groups.map(({ tag, endpoints: listed }) => contentsEntry(tag, listed))}
<p><a href="#webhooks">Webhooks</a></p>
<p><a href="#schemas">Schemas</a></p>
</nav>
${groups.map(({ tag, endpoints: listed }) => groupSection(tag, listed))}
<h2 id="webhooks">Webhooks</h2>
${Object.values(webhooks).map(({ post }) =>
  operationSection({ method: 'post', path: 'the URL of your webhook', operation: post }),
)}
<h2 id="schemas">Schemas</h2>
<p>Later releases can add properties to responses.</p>
${Object.entries(components.schemas)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(schemaSection)}
</div>`,
  });
}

function contentsEntry({ name }: Tag, endpoints: readonly Endpoint[]): Markup {
  return html`<p><a href="#tag-${name}">${titleOf(name)}</a></p>
<ul>${endpoints.map((one) => html`<li><a href="#${one.operation.operationId}">${callOf(one)}</a></li>`)}</ul>
`;
}

function groupSection({ name, description }: Tag, endpoints: readonly Endpoint[]): Markup {
  return html`<h2 id="tag-${name}">${titleOf(name)}</h2>
<p>${prose(description)}</p>
${endpoints.map(operationSection)}`;
}

function schemaSection([name, schema]: [string, Schema]): Markup {
  return html`<section class="operation" id="${name}">
<h3>${name}</h3>
${schema.properties === undefined && schema.enum === undefined ? html`<p>${typeOf(schema)}</p>` : ''}
${schema.description === undefined ? '' : html`<p>${prose(schema.description)}</p>`}
${limitsOf(schema)}${contentsOf(schema)}
</section>
`;
}

/** `spf-checker` as `SPF checker`. */
function titleOf(tag: string): string {
  const words = inWords(tag).replace(/^spf\b/, 'SPF');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
