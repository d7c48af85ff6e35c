/** A schema of the API description for people: its type, its limits, and its properties. */
import { nameOf, type Schema } from '../../openapi/schema.ts';
import { html, type Markup } from '../markup.ts';

/** Text with code between backticks. */
export function prose(text: string): Markup {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** The type in words, with links to the schemas it names. */
export function typeOf(schema: Schema): Markup {
  const { $ref, anyOf, oneOf, type, items, format } = schema;
  if ($ref !== undefined) return html`<a href="#${nameOf($ref)}">${nameOf($ref)}</a>`;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return joined(choices.map(typeOf), ' or ');
  if (type === 'array') return html`array of ${items === undefined ? 'anything' : typeOf(items)}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (type === undefined) return html`anything`;
  const names = (typeof type === 'object' ? type : [type]).join(' or ');
  return html`${format === undefined ? names : `${names} (${format})`}`;
}

/** What a value must fulfil beyond its type. */
export function limitsOf(schema: Schema): Markup {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern } = schema;
  const texts = [
    ...(schema.default === undefined ? [] : [html`default: <code>${JSON.stringify(schema.default)}</code>`]),
    ...(minimum === undefined ? [] : [html`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [html`at most ${maximum}`]),
    ...(minLength === undefined ? [] : [html`at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [html`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [html`at most ${maxItems} items`]),
    ...(pattern === undefined ? [] : [html`pattern: <code>${pattern}</code>`]),
  ];
  return texts.length === 0 ? html`` : html`<p class="soft">${joined(texts, '; ')}</p>`;
}

/** The properties of an object, the values of an enumeration, or the alternatives of a union. */
export function contentsOf(schema: Schema): Markup {
  const { properties, required = [], items, anyOf, oneOf } = schema;
  if (schema.enum !== undefined) return valuesOf(schema.enum);
  if (properties !== undefined) {
    const rows = Object.entries(properties).map(([name, property]) =>
      fieldOf({ name, schema: property, isRequired: required.includes(name) }),
    );
    return html`<dl class="fields">${rows}</dl>`;
  }
  const nested = (anyOf ?? oneOf ?? []).filter((choice) => choice.properties !== undefined);
  if (nested.length > 0)
    return html`${nested.map((choice) => html`<div class="choice">${contentsOf(choice)}</div>`)}`;
  return items === undefined ? html`` : contentsOf(items);
}

/** A property or a parameter: name, type, and description. */
export function fieldOf({
  name,
  schema,
  isRequired,
  description = schema.description,
}: {
  name: string;
  schema: Schema;
  isRequired: boolean;
  description?: string | undefined;
}): Markup {
  return html`<dt><code>${name}</code> <span class="soft">${typeOf(schema)}${isRequired ? '' : ', optional'}</span></dt>
<dd>${description === undefined ? '' : html`<p>${prose(description)}</p>`}${limitsOf(schema)}${contentsOf(schema)}</dd>
`;
}

function valuesOf(values: readonly unknown[]): Markup {
  return html`<p class="values">${joined(
    values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
    ' ',
  )}</p>`;
}

function joined(parts: readonly Markup[], separator: string): Markup {
  return html`${parts.map((part, at) => (at === 0 ? part : html`${separator}${part}`))}`;
}
