/**
 * A regular expression for a route's path template such as `/api/v1/domains/{id}`, as in API Gateway: a parameter is
 * one path segment, captured in template order.
 */
export function pathPattern(template: string): RegExp {
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const segments = template.split(/\{\w+\}/).map(literal);
  return new RegExp(`^${segments.join('([^/]+)')}$`);
}
