/** An operation of the API description for people. */
import type { ApiResponse, Content, Operation } from '../../openapi/schema.ts';
import { html, type Markup } from '../markup.ts';
import { contentsOf, fieldOf, prose, typeOf } from './schema.ts';

/** An operation with the method and path that it is called by. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** `GET /api/v1/domains`, in which lines can break after a slash. */
export function callOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): Markup {
  const parts = path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`);
  return html`<code class="call"><b>${method.toUpperCase()}</b> ${parts}</code>`;
}

export function operationSection(endpoint: Endpoint): Markup {
  const { operationId, summary, description, parameters, requestBody, responses } = endpoint.operation;
  return html`<section class="operation" id="${operationId}">
<h3>${prose(summary)}</h3>
<p>${callOf(endpoint)}</p>
<p>${prose(description)}</p>
${
  parameters.length === 0
    ? ''
    : html`<h4>Parameters</h4>
<dl class="fields">${parameters.map(({ name, in: where, required, schema, description: text }) =>
        fieldOf({ name, schema, isRequired: required === true, description: `${text ?? ''} (${where})` }),
      )}</dl>`
}
${requestBody === undefined ? '' : html`<h4>Request body</h4>${contentSection(requestBody.content)}`}
<h4>Responses</h4>
<dl class="fields">${Object.entries(responses).map(responseSection)}</dl>
</section>
`;
}

function responseSection([status, { description, content = {} }]: [string, ApiResponse]): Markup {
  const isError = Number(status) >= 400;
  return html`<dt><code>${status}</code></dt>
<dd><p>${prose(description)}</p>${isError ? '' : contentSection(content)}</dd>
`;
}

function contentSection(content: Content): Markup {
  return html`${Object.entries(content).map(
    ([type, { schema, example }]) => html`<p class="soft">${type}: ${typeOf(schema)}</p>
${contentsOf(schema)}${example === undefined ? '' : exampleSection(type, example)}`,
  )}`;
}

function exampleSection(type: string, example: unknown): Markup {
  const text = type.endsWith('json') ? JSON.stringify(example, undefined, 2) : String(example);
  return html`<details><summary>Example</summary><pre tabindex="0"><code>${text}</code></pre></details>`;
}
