import { config } from '../config/config.ts';
import type { EndpointEvent } from './endpoint-event.ts';
import type { Reply } from './reply.ts';

/** The header `Link` of a page of a list (RFC 8288). */
export function pageLinks(
  { rawPath, rawQueryString }: Pick<EndpointEvent, 'rawPath' | 'rawQueryString'>,
  { pagination }: Pick<Reply, 'pagination'>,
): Record<string, string> {
  if (pagination === undefined) return {};
  const { page, hasMore } = pagination;
  const link = (relation: string, number: number) => {
    const query = new URLSearchParams(rawQueryString);
    query.set('page', String(number));
    return `<${config().HOST_URL}${rawPath}?${query}>; rel="${relation}"`;
  };
  const links = [
    ...(page > 1 ? [link('first', 1), link('prev', page - 1)] : []),
    ...(hasMore ? [link('next', page + 1)] : []),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}
