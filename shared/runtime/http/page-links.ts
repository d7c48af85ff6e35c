import type { EndpointEvent } from './endpoint-event.ts';
import type { Reply } from './reply.ts';

/** The header `Link` of a page of a list (RFC 8288), relative to the URL of the request. */
export function pageLinks(
  { rawQueryString }: Pick<EndpointEvent, 'rawQueryString'>,
  { pagination }: Pick<Reply, 'pagination'>,
): Record<string, string> {
  if (pagination === undefined) return {};
  const { page, hasMore } = pagination;
  const link = (relation: string, number: number) => {
    const query = new URLSearchParams(rawQueryString);
    query.set('page', String(number));
    return `<?${query}>; rel="${relation}"`;
  };
  const links = [
    ...(page > 1 ? [link('first', 1), link('prev', page - 1)] : []),
    ...(hasMore ? [link('next', page + 1)] : []),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}
