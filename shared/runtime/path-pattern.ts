/**
 * The expression that takes the paths of a route's template, `/api/v1/domains/{id}`, as API Gateway does: a parameter
 * is one segment, captured in the order of the template.
 */
export function pathPattern(template: string): RegExp {
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const segments = template.split(/\{\w+\}/).map(literal);
  return new RegExp(`^${segments.join('([^/]+)')}$`);
}
